/* guard.h - inside the guard backend: one device with memory of its own, which runs kernels' CPU
 * functions on one core and finds what they touch beside what the job declares
 * (docs/checking.md, docs/adr/013).
 *
 * A launch is cut into pieces of some indexes, and each piece is run twice from the same inputs, in
 * copies of the rows it has (guard_view.c). All around these nothing can be touched, and those that
 * are only read cannot be written. What lies between rows and is not declared, and rows that are
 * written only, are traps: filled with plausible values for one run, with odd ones for the other.
 * Results that differ depend on what is in a trap; a gap that changed was written; an element of an
 * `out` row that holds both fillings was not. (Elements of out rows that are to stay hold what was
 * there for the one run.) Then smaller pieces tell the index, and smaller parts of the traps the
 * row.
 *
 * All operations are complete when their call returns.
 */
#ifndef YK_BACKEND_GUARD_H
#define YK_BACKEND_GUARD_H

#include "../../platform/fault.h"
#include "../backend.h"
#include "guard_device.h"

struct guard_span { /* bytes of a buffer */
    int64_t first, last;
};
struct guard_spans { /* growable, as are all lists here; what they have stays for other pieces */
    struct guard_span *items;
    int64_t count, capacity;
};
struct guard_bytes {
    unsigned char *data;
    int64_t capacity;
};

/* The last byte of a piece's rows ends a page, or their first begins one. */
enum guard_side { GUARD_ENDS, GUARD_BEGINS, GUARD_SIDES };

/* Where kernels see a buffer. Spans of it are bytes of `memory`. */
struct guard_view {
    unsigned char *memory;   /* addresses alone, but for open pages; NULL before the first launch */
    struct guard_span open;  /* pages that can be touched now, */
    int writable;            /* and written */
    struct guard_span holds; /* bytes of the buffer that need not be copied again */
    int64_t shift;           /* where byte 0 of the buffer would be */
};

struct yk_buffer {
    struct guard_device *device;
    struct yk_buffer *next;
    unsigned char *data;   /* at the begin of a page */
    int64_t bytes, mapped; /* asked for, and up to the end of the last page */
    struct guard_view views[GUARD_SIDES];
};

/* A buffer in a launch. */
struct guard_room {
    struct yk_buffer *buffer;
    int writes;                  /* an argument that lies in it is written */
    int64_t alignment;           /* of its elements */
    struct guard_spans declared; /* in order, and apart */
    struct guard_span all;       /* from the first of them to the last */
};

/* Bytes whose contents must not matter: a gap between rows that are declared, or a row that is
 * written only. */
struct guard_trap {
    int room, arg; /* arg -1: it is a gap */
    struct guard_span span;
    int64_t at; /* of its first byte among those of all traps */
};

/* Bytes that a piece may change. */
struct guard_change {
    int room, arg, trap; /* trap -1: its rows are read, too */
    struct guard_span span;
    int64_t at; /* of its first byte among those of all changes */
};

/* The part of the traps with odd values; the others have plausible ones. */
struct guard_odd {
    int64_t first, last;
};

struct guard_work { /* a launch, and its piece that is being checked */
    struct guard_device *device;
    const struct yk_program *program;
    const struct yk_launch *launch;
    const struct yk_declaration *declared;
    struct guard_room rooms[YOKE_ARGS_MAX];
    int room_count, room_of[YOKE_ARGS_MAX]; /* -1: a value */

    int64_t first, last; /* the piece */
    yoke_rows rows[YOKE_ARGS_MAX];
    enum guard_side side; /* of the latest run */
    unsigned char odd_byte;
    uint32_t words[YK_STEP_WORDS]; /* of a step kernel: what its latest run said, */
    uint32_t errors;               /* and what went wrong without odd values */
    struct guard_trap *traps;
    int64_t trap_count, trap_capacity, trap_bytes;
    struct guard_change *changes;
    int64_t change_count, change_capacity, change_bytes;
    struct guard_bytes filled; /* what the traps were filled with */
    struct guard_bytes plain;  /* the changes that a run without odd values made, */
    struct guard_bytes other;  /* and that another one made */
};

struct guard_device {
    struct yk_device base;
    struct yk_faults *faults;
    struct yk_buffer *buffers;
    int64_t used, page; /* bytes */
    uint64_t pieces;    /* checked so far */
    struct guard_work work;
};

struct yk_queue {
    struct guard_device *device;
};

struct yk_program {
    yoke_cpu_fn *run;
    int param_count;
    uint32_t values; /* parameters that are none of arrays, as bits */
    int is_step;
    yoke_step step;
};

struct yk_event { /* all are complete */
    char none;
};

enum guard_kind {
    GUARD_FINE,
    GUARD_READ,      /* reads what is not declared, */
    GUARD_WRITE,     /* writes it, */
    GUARD_UNWRITTEN, /* leaves an element of an out row unwritten, */
    GUARD_EARLY,     /* reads an out row first, */
    GUARD_FAULT      /* or has a fault beside all arrays */
};

struct guard_breach {
    enum guard_kind kind;
    int64_t first, last; /* indexes */
    int room;            /* -1: the address is in none */
    int arg;             /* that is meant, or -1 */
    int64_t offset;      /* in the room's buffer */
    struct yk_fault fault;
};

/* --- guard_memory.c --- */
/* Addresses, the first `open` bytes of which are memory, between margins; NULL: there are none. */
unsigned char *yk_guard_map(int64_t bytes, int64_t open);
void yk_guard_unmap(unsigned char *memory, int64_t bytes); /* NULL is fine */
yoke_status yk_guard_alloc(struct yk_device *device, int64_t bytes, struct yk_buffer **out);
void yk_guard_free(struct yk_device *device, struct yk_buffer *buffer);
int64_t yk_guard_memory_free(struct yk_device *device);
yoke_status yk_guard_copy(struct yk_queue *queue, const struct yk_copy *copy,
                          struct yk_event **event);
yoke_status yk_guard_zero(struct yk_queue *queue, struct yk_buffer *buffer, int64_t offset,
                          int64_t bytes, struct yk_event **event);

/* --- guard_view.c --- */
/* For a launch, and after it: little of the views is in memory. */
yoke_status yk_guard_views_open(struct yk_buffer *buffer);
void yk_guard_views_empty(struct yk_buffer *buffer);
void yk_guard_views_close(struct yk_buffer *buffer);
/* The view holds what is declared in the room; traps may be filled until it is sealed. */
void yk_guard_view_show(struct guard_room *room, enum guard_side side);
void yk_guard_view_seal(const struct guard_room *room, enum guard_side side);

/* --- guard_room.c --- */
yoke_status yk_guard_rooms_open(struct guard_work *work);
void yk_guard_rooms_close(struct guard_work *work);
/* Lists what the indexes have: their rows, traps and changes. */
yoke_status yk_guard_piece_open(struct guard_work *work, int64_t first, int64_t last);
/* The buffers hold what the run without odd values changed. */
void yk_guard_piece_keep(struct guard_work *work);
void yk_guard_work_close(struct guard_work *work);
/* Makes the views of that side ready for a run. */
void yk_guard_fill(struct guard_work *work, enum guard_side side, struct guard_odd odd);
unsigned char *yk_guard_seen(const struct guard_work *work, int room, int64_t offset);
/* The first byte of a gap that is not as it was filled; 0: there is none. */
int yk_guard_gap_changed(const struct guard_work *work, struct guard_breach *out);
int64_t yk_guard_row_of(const struct guard_work *work, int arg, int64_t offset);
/* The argument whose row is at that place, and the row; -1: of none. */
int yk_guard_arg_at(const struct guard_work *work, int room, int64_t offset, int64_t *row);

/* --- guard_run.c --- */
void yk_guard_call(struct guard_work *work, int64_t first, int64_t last);
/* Checks indexes first .. last - 1. Their results stay. Fails only for want of memory. */
yoke_status yk_guard_check(struct guard_work *work, int64_t first, int64_t last,
                           struct guard_breach *out);

/* --- guard_narrow.c --- */
/* Which of the piece's indexes, and which row. */
yoke_status yk_guard_narrow(struct guard_work *work, struct guard_breach *breach);

/* --- guard_breach.c --- */
/* YOKE_EINVAL with the text. */
yoke_status yk_guard_breach_say(const struct guard_work *work, const struct guard_breach *breach);

/* --- guard_launch.c --- */
yoke_status yk_guard_launch(struct yk_queue *queue, struct yk_program *program,
                            const struct yk_launch *launch, struct yk_event **event);

#endif
