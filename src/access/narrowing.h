/* narrowing.h - a pass over a body that is to be computed in 32 bits, see narrow.h.
 *
 *   narrow.c             finds body and entry, passes until nothing changes, writes the new text
 *   narrow_scope.c       what names mean
 *   narrow_type.c        types in declarations and casts
 *   narrow_value.c       what operations make of values
 *   narrow_expression.c  reads expressions
 *   narrow_statement.c   reads statements
 *   narrow_loop.c        reads loops, finds their counters
 *
 * Passes find out what must stay 64 bits wide (`known`), and are repeated until none finds more.
 */
#ifndef YK_ACCESS_NARROWING_H
#define YK_ACCESS_NARROWING_H

#include "body.h"
#include "bounds.h"

enum yk_class { YK_CLASS_OTHER, YK_CLASS_INT64, YK_CLASS_INT, YK_CLASS_REAL };
struct yk_type {
    enum yk_class is;       /* INT: int, and what C makes an int in expressions */
    int levels;             /* pointers and arrays around it */
    struct yk_bounds range; /* of INT */
};

enum yk_kind {
    YK_KIND_OTHER,  /* its type is what it was */
    YK_KIND_INT,    /* likewise, and that is int; has bounds */
    YK_KIND_NARROW, /* was int64_t, is int32_t; has bounds */
    YK_KIND_REAL    /* float or double, which an int32_t becomes as an int64_t does */
};

struct yk_value {
    enum yk_kind kind;
    int node;            /* its bounds */
    int first, behind;   /* its tokens */
    int variable;        /* it is that variable, by number in `variables`; -1: none */
    int is_place;        /* an assignment may have it on its left */
    int gains;           /* operations of it that became cheaper, in vain if it is settled */
    struct yk_type type; /* of a place or pointer; else OTHER */
};

struct yk_named {
    struct yk_token name;
    int at, type_at; /* tokens of its name and its type */
    int is_type;     /* not a variable */
    int is_constant; /* of an enum: of value type.range */
    struct yk_type type;
    enum yk_kind kind;
    int node;
};

enum {                      /* known */
       YK_KNOWN_WIDE = 1,   /* a type: its variables stay int64_t */
       YK_KNOWN_CHANGED = 2 /* a name: its variable is written to after its declaration */
};
enum {                       /* marks */
       YK_MARK_SHORT = 1,    /* int64_t becomes int32_t, */
       YK_MARK_DECLARES = 2, /* of variables, */
       YK_MARK_USED = 4,     /* that it makes something cheaper of */
       YK_MARK_LITERAL = 8   /* 1L becomes (int32_t)1L */
};

struct yk_narrowing {
    struct yk_body text;  /* of which only kernel, tokens and count are there: the whole text */
    int at, end;          /* next token; where the piece ends that is read */
    unsigned char *known; /* of tokens, as are */
    unsigned char *marks, *opens, *closes; /* and how many wraps begin and end there */
    struct yk_named *variables;
    int variable_count, variable_room;
    struct yk_named nowhere; /* in place of one that finds no room */
    struct yk_bounds_list bounds;
    struct yk_bounds_place usual; /* sizes that have to fit for an operation to be worth it */
    int depth;                    /* of statements and operands in each other */
    int gains;                    /* operations that became cheaper */
    int again;                    /* another pass is needed */
    int failed;                   /* the text cannot be read */
};

/* --- narrow_scope.c --- */
int yk_narrowing_is(const struct yk_narrowing *n, int at, const char *word);
int yk_narrowing_is_one(const struct yk_narrowing *n, int at, const char *const *words);
int yk_narrowing_is_name(const struct yk_narrowing *n, int at);
/* Goes behind `word`, which must be there. */
void yk_narrowing_expect(struct yk_narrowing *n, const char *word);
void yk_narrowing_fail(struct yk_narrowing *n);
/* Goes behind the bracket that closes the one at `at`. */
void yk_narrowing_skip_bracket(struct yk_narrowing *n);
/* 0: too many things in each other. Each call is followed by one of leave. */
int yk_narrowing_enter(struct yk_narrowing *n);
void yk_narrowing_leave(struct yk_narrowing *n);
/* Number in `variables`, -1: unknown. */
int yk_narrowing_find(const struct yk_narrowing *n, const struct yk_token *name);
struct yk_named *yk_narrowing_declare(struct yk_narrowing *n, int at, int type_at,
                                      const struct yk_type *type);
/* From the next pass on. */
void yk_narrowing_keep_wide(struct yk_narrowing *n, int type_at);
void yk_narrowing_set_changed(struct yk_narrowing *n, const struct yk_value *value);
/* Variables named in first .. behind - 1 keep their types. */
void yk_narrowing_keep_all_wide(struct yk_narrowing *n, int first, int behind);
/* typedefs and enums before the body, which ends at `behind`. */
void yk_narrowing_read_outside(struct yk_narrowing *n, int behind);
void yk_narrowing_read_enum(struct yk_narrowing *n); /* at the word enum, with a list */
int yk_narrowing_is_enum_list(const struct yk_narrowing *n);

/* --- narrow_type.c --- */
extern const struct yk_bounds yk_narrowing_int;
/* A type, or what can be nothing else, begins there. */
int yk_narrowing_begins_type(const struct yk_narrowing *n, int at);
/* The words before a declarator. Token of the type's last word. */
int yk_narrowing_read_type(struct yk_narrowing *n, struct yk_type *type);
int yk_narrowing_read_stars(struct yk_narrowing *n); /* and qualifiers; how many stars */
/* A name that preludes define; kind OTHER: some other name. */
enum yk_kind yk_narrowing_constant(const struct yk_token *name, struct yk_bounds *range);

/* --- narrow_value.c --- */
int yk_narrowing_node(struct yk_narrowing *n, enum yk_bounds_op op, int a, int b);
int yk_narrowing_fixed(struct yk_narrowing *n, struct yk_bounds range);
int yk_narrowing_cut(struct yk_narrowing *n, int a, struct yk_bounds range);
/* What node `a` is as a number of that type, an INT. A char may have a sign or none. */
int yk_narrowing_converted(struct yk_narrowing *n, int a, const struct yk_type *to);
/* It is an integer with bounds. */
int yk_value_is_counted(const struct yk_value *value);
/* Of nothing but its type. */
struct yk_value yk_narrowing_of_type(struct yk_narrowing *n, const struct yk_type *type);
/* Something becomes cheaper for the variable that it is. */
void yk_narrowing_use(struct yk_narrowing *n, const struct yk_value *value);
/* It is an int64_t again, if it was. */
void yk_narrowing_settle(struct yk_narrowing *n, struct yk_value *value);
struct yk_value yk_narrowing_unary(struct yk_narrowing *n, const struct yk_token *sign,
                                   struct yk_value value);
struct yk_value yk_narrowing_binary(struct yk_narrowing *n, const struct yk_token *sign,
                                    struct yk_value a, struct yk_value b);
struct yk_value yk_narrowing_choice(struct yk_narrowing *n, struct yk_value a, struct yk_value b);
/* A cast; type_at is the token of its type. */
struct yk_value yk_narrowing_cast(struct yk_narrowing *n, const struct yk_type *type, int type_at,
                                  struct yk_value value);

/* --- narrow_expression.c --- */
struct yk_value yk_narrowing_expression(struct yk_narrowing *n);
struct yk_value yk_narrowing_assignment(struct yk_narrowing *n); /* without a comma */
struct yk_value yk_narrowing_operand(struct yk_narrowing *n);    /* of a comparison */
void yk_narrowing_initialise(struct yk_narrowing *n);            /* {...} */

/* --- narrow_statement.c --- */
void yk_narrowing_statement(struct yk_narrowing *n);
int yk_narrowing_is_declaration(const struct yk_narrowing *n);
void yk_narrowing_declaration(struct yk_narrowing *n); /* with its semicolon */

/* --- narrow_loop.c --- */
void yk_narrowing_for(struct yk_narrowing *n);

#endif
