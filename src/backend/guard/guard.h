/* guard.h - inside the guard backend: one device with its own memory that runs kernels' CPU
 * functions on one core, and finds uses of memory that the job does not declare (docs/checking.md,
 * docs/adr/013).
 *
 * A launch is cut into pieces of some indexes. Each piece runs twice from the same inputs, in
 * copies of the rows that it may use (guard_view.c). Memory around these rows cannot be touched,
 * and rows that are only read cannot be written. Undeclared gaps between rows, and rows that are
 * only written, are traps: they are filled with plausible values for one run and with odd values
 * for the other. If the results differ, they depend on a trap. If a gap changed, the kernel wrote
 * it. If an element of an `out` row has its filling after both runs, the kernel did not write it.
 * (In out rows that must keep their values, these are the filling of the first run.) To find a
 * breach's index, smaller pieces are checked; to find its row, smaller parts of the traps get odd
 * values.
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
struct guard_spans { /* a list that grows, like all here; later pieces reuse the memory */
    struct guard_span *items;
    int64_t count, capacity;
};
struct guard_bytes {
    unsigned char *data;
    int64_t capacity;
};

/* In a view the last byte of a piece's rows ends a page, or their first byte begins one. */
enum guard_side { GUARD_ENDS, GUARD_BEGINS, GUARD_SIDES };

/* The memory in which kernels see a buffer. */
struct guard_view {
    unsigned char *memory;   /* addresses; only open pages have memory; NULL before a launch */
    struct guard_span open;  /* the pages that can be touched now, as bytes of `memory` */
    int writable;            /* 1: the open pages can be written, too */
    struct guard_span holds; /* bytes of the buffer that the view has already */
    int64_t shift;           /* position of the buffer's byte 0 in `memory` */
};

struct yk_buffer {
    struct guard_device *device;
    struct yk_buffer *next;
    unsigned char *data;   /* begins at a page */
    int64_t bytes, mapped; /* bytes requested; bytes up to the end of the last page */
    struct guard_view views[GUARD_SIDES];
};

/* A buffer in a launch. */
struct guard_room {
    struct yk_buffer *buffer;
    int writes;                  /* 1: some argument in it is written */
    int64_t alignment;           /* of its elements */
    struct guard_spans declared; /* sorted and disjoint */
    struct guard_span all;       /* from the first of them to the last */
};

/* Bytes whose contents must not matter: a gap between declared rows, or a row that is only
 * written. */
struct guard_trap {
    int room, arg; /* arg -1: a gap */
    struct guard_span span;
    int64_t at; /* number of bytes of all traps before it */
};

/* Bytes that a piece may change. */
struct guard_change {
    int room, arg, trap; /* trap: its number; -1: the rows are also read, so they are no trap */
    struct guard_span span;
    int64_t at; /* number of bytes of all changes before it */
};

/* Bytes of the traps, counted over all traps, that get odd values; the others get plausible
 * ones. */
struct guard_odd {
    int64_t first, last;
};

struct guard_work { /* a launch, and the piece of it that is being checked */
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
    uint32_t words[YK_STEP_WORDS]; /* of a step kernel, written by its latest run */
    uint32_t errors;               /* the errors of a run without odd values */
    struct guard_trap *traps;
    int64_t trap_count, trap_capacity, trap_bytes;
    struct guard_change *changes;
    int64_t change_count, change_capacity, change_bytes;
    struct guard_bytes filled; /* the traps' contents before a run */
    struct guard_bytes plain;  /* what a run without odd values changed */
    struct guard_bytes other;  /* what another run changed */
};

struct guard_device {
    struct yk_device base;
    struct yk_faults *faults;
    struct yk_buffer *buffers;
    int64_t used, page; /* bytes */
    uint64_t pieces;    /* number of pieces checked so far */
    struct guard_work work;
};

struct yk_queue {
    struct guard_device *device;
};

struct yk_program {
    yoke_cpu_fn *run;
    int param_count;
    uint32_t values; /* a bit for each parameter that is not an array */
    int is_step;
    yoke_step step;
};

struct yk_event { /* all are complete */
    char none;
};

enum guard_kind {
    GUARD_FINE,
    GUARD_READ,      /* reads memory that is not declared */
    GUARD_WRITE,     /* writes memory that is not declared */
    GUARD_UNWRITTEN, /* leaves an element of an out row unwritten */
    GUARD_EARLY,     /* reads an out row before writing it */
    GUARD_FAULT      /* faults, but not in an array */
};

struct guard_breach {
    enum guard_kind kind;
    int64_t first, last; /* indexes */
    int room;            /* -1: the address is in no room */
    int arg;             /* the argument concerned; -1: not known */
    int64_t offset;      /* in the room's buffer */
    struct yk_fault fault;
};

/* --- guard_memory.c --- */
/* Reserves addresses between margins; the first `open` bytes have memory. NULL if there is none. */
unsigned char *yk_guard_map(int64_t bytes, int64_t open);
void yk_guard_unmap(unsigned char *memory, int64_t bytes); /* NULL is allowed */
yoke_status yk_guard_alloc(struct yk_device *device, int64_t bytes, struct yk_buffer **out);
void yk_guard_free(struct yk_device *device, struct yk_buffer *buffer);
int64_t yk_guard_memory_free(struct yk_device *device);
yoke_status yk_guard_copy(struct yk_queue *queue, const struct yk_copy *copy,
                          struct yk_event **event);
yoke_status yk_guard_zero(struct yk_queue *queue, const struct yk_buffer_range *range,
                          struct yk_event **event);

/* --- guard_view.c --- */
/* Call open before a launch, and empty after it: that frees large views' memory. */
yoke_status yk_guard_views_open(struct yk_buffer *buffer);
void yk_guard_views_empty(struct yk_buffer *buffer);
void yk_guard_views_close(struct yk_buffer *buffer);
/* Copies the room's declared rows into the view. Traps may be filled until the view is sealed. */
void yk_guard_view_show(struct guard_room *room, enum guard_side side);
void yk_guard_view_seal(const struct guard_room *room, enum guard_side side);

/* --- guard_room.c --- */
yoke_status yk_guard_rooms_open(struct guard_work *work);
void yk_guard_rooms_close(struct guard_work *work);
/* Begins the piece of the indexes first .. last - 1: lists the rows that these may use, the traps
 * around them, and the bytes that they may change. */
yoke_status yk_guard_piece_open(struct guard_work *work, int64_t first, int64_t last);
/* Copies the changes of the run without odd values into the buffers. */
void yk_guard_piece_keep(struct guard_work *work);
void yk_guard_work_close(struct guard_work *work);
/* Prepares the views of that side for a run. */
void yk_guard_fill(struct guard_work *work, enum guard_side side, struct guard_odd odd);
unsigned char *yk_guard_seen(const struct guard_work *work, int room, int64_t offset);
/* Finds the first byte of a gap that differs from its filling; returns 0 if there is none. */
int yk_guard_gap_changed(const struct guard_work *work, struct guard_breach *out);
int64_t yk_guard_row_of(const struct guard_work *work, int arg, int64_t offset);
/* Returns the argument that has a row at that place, and sets *row; -1 if none has. */
int yk_guard_arg_at(const struct guard_work *work, int room, int64_t offset, int64_t *row);

/* --- guard_run.c --- */
void yk_guard_call(struct guard_work *work, int64_t first, int64_t last);
/* Checks indexes first .. last - 1. Without a breach their results go to the buffers. Fails only if
 * there is no memory. */
yoke_status yk_guard_check(struct guard_work *work, int64_t first, int64_t last,
                           struct guard_breach *out);

/* --- guard_narrow.c --- */
/* Finds the piece's index, and the row, that the breach concerns. */
yoke_status yk_guard_narrow(struct guard_work *work, struct guard_breach *breach);

/* --- guard_breach.c --- */
/* Reports the breach; returns YOKE_EINVAL. */
yoke_status yk_guard_breach_say(const struct guard_work *work, const struct guard_breach *breach);

/* --- guard_launch.c --- */
yoke_status yk_guard_launch(struct yk_queue *queue, struct yk_program *program,
                            const struct yk_launch *launch, struct yk_event **event);

#endif
