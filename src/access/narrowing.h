/* narrowing.h - one pass over a body that is to be computed in 32 bits, see narrow.h.
 *
 *   narrow.c             finds body and entry, repeats passes, writes the text
 *   narrow_scope.c       the meaning of names
 *   narrow_type.c        types in declarations and casts
 *   narrow_value.c       the results of operations
 *   narrow_expression.c  reads expressions
 *   narrow_statement.c   reads statements
 *   narrow_loop.c        reads loops, finds their counters
 *   narrow_sums.c        additions that each thread can keep
 *
 * Passes find out what must stay 64 bits wide (`known`); they are repeated until one finds nothing
 * new.
 */
#ifndef YK_ACCESS_NARROWING_H
#define YK_ACCESS_NARROWING_H

#include "body.h"
#include "bounds.h"

enum yk_class { YK_CLASS_OTHER, YK_CLASS_INT64, YK_CLASS_INT, YK_CLASS_REAL };
struct yk_type {
    enum yk_class is;       /* INT: int, and types that C converts to int in expressions */
    int levels;             /* pointers and arrays around it */
    struct yk_bounds range; /* of INT */
};

enum yk_kind {
    YK_KIND_OTHER,  /* its type is unchanged */
    YK_KIND_INT,    /* its type is int, and unchanged; has bounds */
    YK_KIND_NARROW, /* was int64_t, is now int32_t; has bounds */
    YK_KIND_REAL    /* float or double; an int32_t is converted to it just as an int64_t is */
};

struct yk_value {
    enum yk_kind kind;
    int node;            /* number of its bounds */
    int first, behind;   /* its tokens */
    int variable;        /* number in `variables` if it is a variable; -1: it is none */
    int is_place;        /* 1: it may be on the left of an assignment */
    int gains;           /* number of its operations that became cheaper; subtracted again if it is
                          * settled */
    struct yk_type type; /* of a place or pointer; otherwise OTHER */
};

struct yk_named {
    struct yk_token name;
    int at, type_at; /* tokens of its name and its type */
    int is_type;     /* 1: a type, not a variable */
    int is_constant; /* 1: constant of an enum, with value type.range */
    struct yk_type type;
    enum yk_kind kind;
    int node;
    int counts_at; /* its name's token in the head of the loop in which it is a counter; 0: none */
};

enum {                      /* known */
       YK_KNOWN_WIDE = 1,   /* a type: its variables stay int64_t */
       YK_KNOWN_CHANGED = 2 /* a name: its variable is written to after its declaration, or in the
                             * loop in whose head it counts */
};
enum {                       /* marks */
       YK_MARK_SHORT = 1,    /* int64_t becomes int32_t */
       YK_MARK_DECLARES = 2, /* in a declaration of variables */
       YK_MARK_USED = 4,     /* and something becomes cheaper by it */
       YK_MARK_LITERAL = 8,  /* 1L becomes (int32_t)1L */
       YK_MARK_SUM = 16      /* a type: of elements that are sums of the thread */
};

struct yk_sum_use { /* of a parameter with mode add */
    int uses, adds; /* how often its name is used; and of these, additions to constant elements */
    int count;      /* number of elements up to the last of those; they can be a thread's own */
};

struct yk_narrowing {
    struct yk_body text;  /* the whole text; only kernel, tokens and count are set */
    int body_first;       /* first token behind the parameters of the body */
    int at, end;          /* next token; end of the piece that is being read */
    unsigned char *known; /* one for each token, like the following */
    unsigned char *marks, *opens, *closes; /* opens, closes: number of conversions that begin and
                                            * end there */
    struct yk_named *variables;
    int variable_count, variable_room;
    struct yk_named nowhere; /* used if there is no room for another one */
    struct yk_bounds_list bounds;
    struct yk_bounds_place usual; /* sizes for which an operation has to fit to be worth it */
    struct yk_sum_use sums[YOKE_ARGS_MAX];
    int depth;  /* nesting of statements and operands */
    int gains;  /* number of operations that became cheaper */
    int again;  /* another pass is needed */
    int failed; /* the text cannot be read */
};

/* --- narrow_scope.c --- */
int yk_narrowing_is(const struct yk_narrowing *n, int at, const char *word);
int yk_narrowing_is_one(const struct yk_narrowing *n, int at, const char *const *words);
int yk_narrowing_is_name(const struct yk_narrowing *n, int at);
/* Moves past `word`, which must be there. */
void yk_narrowing_expect(struct yk_narrowing *n, const char *word);
void yk_narrowing_fail(struct yk_narrowing *n);
/* Moves past the bracket that closes the one at `at`. */
void yk_narrowing_skip_bracket(struct yk_narrowing *n);
/* Returns 0 if the nesting is too deep. Call leave after each enter, whatever it returned. */
int yk_narrowing_enter(struct yk_narrowing *n);
void yk_narrowing_leave(struct yk_narrowing *n);
/* Number in `variables`; -1: unknown. */
int yk_narrowing_find(const struct yk_narrowing *n, const struct yk_token *name);
struct yk_named *yk_narrowing_declare(struct yk_narrowing *n, int at, int type_at,
                                      const struct yk_type *type);
/* From the next pass on, variables of the type at type_at stay int64_t. */
void yk_narrowing_keep_wide(struct yk_narrowing *n, int type_at);
void yk_narrowing_set_changed(struct yk_narrowing *n, const struct yk_value *value);
/* Variables named in tokens first .. behind - 1 keep their types. */
void yk_narrowing_keep_all_wide(struct yk_narrowing *n, int first, int behind);
/* Reads typedefs and enums before the body, which begins at `behind`. */
void yk_narrowing_read_outside(struct yk_narrowing *n, int behind);
void yk_narrowing_read_enum(struct yk_narrowing *n); /* at the word enum, with a list */
int yk_narrowing_is_enum_list(const struct yk_narrowing *n);

/* --- narrow_type.c --- */
extern const struct yk_bounds yk_narrowing_int;
int yk_type_is_int(const struct yk_type *type); /* int or int32_t, no pointer */
/* Whether a type, or something that can only be a type, begins there. */
int yk_narrowing_begins_type(const struct yk_narrowing *n, int at);
/* Reads the words before a declarator. Returns the token of the type's last word. */
int yk_narrowing_read_type(struct yk_narrowing *n, struct yk_type *type);
int yk_narrowing_read_stars(struct yk_narrowing *n); /* reads stars and qualifiers; returns the
                                                      * number of stars */
/* The kind and range of a name that the preludes define; kind OTHER: they do not define it. */
enum yk_kind yk_narrowing_constant(const struct yk_token *name, struct yk_bounds *range);

/* --- narrow_value.c --- */
int yk_narrowing_node(struct yk_narrowing *n, enum yk_bounds_op op, int a, int b);
int yk_narrowing_fixed(struct yk_narrowing *n, struct yk_bounds range);
int yk_narrowing_cut(struct yk_narrowing *n, int a, struct yk_bounds range);
/* Node `a` converted to that type, an INT. A char may be signed or unsigned. */
int yk_narrowing_converted(struct yk_narrowing *n, int a, const struct yk_type *to);
/* Whether it is an integer with bounds. */
int yk_value_is_counted(const struct yk_value *value);
/* A value of which only the type is known. */
struct yk_value yk_narrowing_of_type(struct yk_narrowing *n, const struct yk_type *type);
/* Notes that something becomes cheaper because this variable is narrow. */
void yk_narrowing_use(struct yk_narrowing *n, const struct yk_value *value);
/* Converts it back to int64_t, if it was one. */
void yk_narrowing_settle(struct yk_narrowing *n, struct yk_value *value);
struct yk_value yk_narrowing_unary(struct yk_narrowing *n, const struct yk_token *sign,
                                   struct yk_value value);
struct yk_value yk_narrowing_binary(struct yk_narrowing *n, const struct yk_token *sign,
                                    struct yk_value a, struct yk_value b);
struct yk_value yk_narrowing_choice(struct yk_narrowing *n, struct yk_value a, struct yk_value b);
/* A cast; type_at is the token of its type. */
struct yk_value yk_narrowing_cast(struct yk_narrowing *n, const struct yk_type *type, int type_at,
                                  struct yk_value value);

/* --- narrow_sums.c --- */
/* The value is the name at n->at. */
void yk_narrowing_sum_named(struct yk_narrowing *n, const struct yk_value *value);
/* array[index] has just been read. */
void yk_narrowing_sum_element(struct yk_narrowing *n, const struct yk_value *array,
                              const struct yk_value *index);
/* Call it after the last pass. has_places: the entry has places for a thread's sums. Returns 1 if
 * there are such sums; `count` of the other parameters becomes 0. */
int yk_narrowing_keep_sums(struct yk_narrowing *n, int has_places);

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
