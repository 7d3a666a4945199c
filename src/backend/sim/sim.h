/* sim.h - inside the sim backend: virtual devices whose results are real and whose times are
 * computed.
 *
 * The start and the end of an operation are computed when it is issued: it starts when its queue
 * and the events that it waits for have ended, and the engine that it needs (link direction,
 * compute, CPU lane) is free for its whole duration. It takes effect when the clock passes its end,
 * in the order of the ends. So a copy or kernel that was not ordered after its inputs computes
 * wrong results here, as it would on a real device.
 *
 * Memory that is mapped on demand (pages=) holds poison until it is committed. An operation that
 * writes there earlier loses the device, as an illegal address loses a real one.
 *
 * One lock (yk_sim.mutex) guards everything that has a time. Effects and notify functions run
 * without it, one after the other, in the thread that advances the clock.
 */
#ifndef YK_BACKEND_SIM_H
#define YK_BACKEND_SIM_H

#include "../../machine/device.h"
#include "../../platform/thread.h"
#include "../backend.h"

/* Contents of memory that was never written, or whose device was lost: NaN as float and double. */
enum { YK_SIM_POISON = 0xFF };

extern const struct yk_backend yk_backend_sim;

yoke_status yk_sim_find(const struct yk_device_spec *spec, int asked, struct yk_device_list *list,
                        char *why);

/* End time of operations that never end. */
#define YK_SIM_NEVER (INT64_MAX - 1)

enum sim_engine { SIM_LINK_IN, SIM_LINK_OUT, SIM_PEER_IN, SIM_COMPUTE, SIM_ENGINES };

struct sim_device {
    struct yk_device base;
    struct yk_backend table; /* base.backend points here; lacks the slots that the settings
                              * exclude */
    struct yk_machine_device settings; /* its text members are NULL */
    struct sim_device *next;           /* list of open devices */
    struct yk_buffer *buffers;         /* list of all, to destroy their contents on failure */
    int64_t memory_used;               /* bytes booked, or committed in reserved addresses */
    int64_t memory_mapped;             /* bytes committed, if pages are mapped on demand */
    int64_t fail_ns;                   /* INT64_MAX: never */
    int64_t stall_ns; /* kernels that run at this time or later never end; INT64_MAX: all
                       * end */
    int64_t engine_free[SIM_ENGINES]; /* when the engine's last operation ends */
    int64_t *lane_free;               /* when each CPU lane's last operation ends; NULL on a GPU */
    int64_t kernels_end;              /* when its last kernel ends; until then it slows kernels of
                                       * others */
    int64_t operation_count;          /* number of operations accepted */
    uint64_t noise_state;
    char slow[64]; /* name of the kernel that slow= slows */
    int lost;
};

struct yk_buffer {
    struct sim_device *device;
    struct yk_buffer *next;
    int64_t bytes;
    unsigned char *data;
    unsigned char *mapped; /* one byte per page; NULL: all of it is mapped */
    int reserved;          /* 1: made by reserve; only mapped pages count as used */
};

struct sim_host { /* host memory that copies reach at full speed */
    uintptr_t first, last;
    const struct sim_device *device; /* the device that pinned it */
    struct sim_host *next;
};

struct yk_queue {
    struct sim_device *device;
    int64_t tail; /* end of the last operation issued */
};

struct yk_program {
    yoke_cpu_fn *run, *team; /* at least one of them */
    int param_count;
    const struct sim_param *params;
    double slowed;  /* factor on the time of its items */
    double cold_ns; /* the next launch takes longer by this time */
    int is_step;
    yoke_step step;
};
struct sim_param {
    int is_value;
    uint32_t size;
};

/* What an operation does to memory at its end; nothing if run and `to` are NULL. */
struct sim_effect {
    void *to; /* destination of a copy; if `from` is NULL, memory to set to 0 */
    const void *from;
    int64_t bytes, rows; /* rows > 1: this many runs of `bytes` */
    int64_t to_pitch, from_pitch;
    yoke_cpu_fn *run; /* kernel */
    void **args;      /* pointers, then the values they point to; owned */
    yoke_chunk chunk;
    uint32_t *words; /* of a step kernel's queue; NULL for other kernels */
    yoke_step step;
};

struct yk_event {
    struct sim_device *device;
    const struct sim_device *source; /* peer whose memory it reads; NULL for other operations */
    struct yk_event *next;           /* pending operations in the order they were issued */
    int64_t started, ended;
    const int64_t *engine; /* engine that it occupies while it runs */
    yoke_status outcome;
    int done;
    int refs;    /* references: the callers', and the clock's while pending */
    int holders; /* callers with a reference, beside the first */
    struct sim_effect effect;
    void (*notify)(void *context);
    void *notify_context;
};

/* Start and duration of an operation. */
struct sim_cost {
    int64_t ready;   /* earliest start: the end of the events it waits for */
    double delay_ns; /* added to the time at which it could start */
    double duration_ns;
    int is_kernel;
    int64_t *engine; /* its time in engine_free or lane_free */
};

/* sim_clock.c - the clock, what is pending on it, and losing devices. */
struct sim_clock {
    yk_mutex moving; /* held to advance the clock or to lose a device; also while an effect runs */
    yk_mutex mutex;  /* guards everything else that has a time; locked after `moving` */
    int64_t now;
    struct sim_device *devices;
    struct yk_event *pending;
    struct sim_host *host; /* pinned memory, of all simulated GPUs */
    int64_t pinned_bytes;  /* pinned by pin; host_alloc's are not counted */
};
extern struct sim_clock yk_sim;
int64_t yk_sim_now(void);
int yk_sim_advance(int64_t until);
/* Take and release both locks: effects happen one after the other, whichever thread advances. */
void yk_sim_enter(void);
void yk_sim_leave(void);
/* Call all functions below with both locks held. */
void yk_sim_move_to(int64_t time);
void yk_sim_lose(struct sim_device *device); /* at the clock's time */
void yk_sim_schedule(struct yk_queue *queue, const struct sim_cost *cost, struct yk_event *event);

/* sim_memory.c */
yoke_status yk_sim_alloc(struct yk_device *device, int64_t bytes, struct yk_buffer **out);
void yk_sim_free(struct yk_device *device, struct yk_buffer *buffer);
int64_t yk_sim_memory_free(struct yk_device *device);
yoke_status yk_sim_commit(struct yk_device *device, struct yk_buffer *buffer, int64_t offset,
                          int64_t bytes);
yoke_status yk_sim_reserve(struct yk_device *device, int64_t bytes, struct yk_buffer **out);
void yk_sim_decommit(struct yk_device *device, struct yk_buffer *buffer, int64_t offset,
                     int64_t bytes);
/* Fills a part of the buffer with YK_SIM_POISON. */
void yk_sim_poison(struct yk_buffer *buffer, int64_t offset, int64_t bytes);
/* Whether all of these bytes, which must lie inside the buffer, may be used. */
int yk_sim_is_mapped(const struct yk_buffer *buffer, int64_t offset, int64_t bytes);
/* Lock held. Returns 1 if something was written to a page that is not mapped. */
int yk_sim_strayed(const struct sim_device *device);

/* sim_host.c */
yoke_status yk_sim_pin(struct yk_device *device, void *host, int64_t bytes, int *foreign);
const void *yk_sim_pinned_until(struct yk_device *device, const void *host);
void yk_sim_unpin(struct yk_device *device, void *host);
yoke_status yk_sim_host_alloc(struct yk_device *device, int64_t bytes, void **out);
void yk_sim_host_free(struct yk_device *device, void *host);
/* How the host memory of one copy is pinned. */
enum sim_pinned { SIM_PINNED_NOT, SIM_PINNED, SIM_PINNED_IN_PARTS };
enum sim_pinned yk_sim_pinned(const void *host, int64_t bytes);

/* sim_event.c */
int yk_sim_poll(struct yk_event *event, yoke_status *outcome);
yoke_status yk_sim_wait(struct yk_event *event);
yoke_status yk_sim_notify(struct yk_event *event, void (*fn)(void *context), void *context);
void yk_sim_event_times(struct yk_event *event, struct yk_event_times *out);
void yk_sim_event_close(struct yk_event *event);
void yk_sim_event_hold(struct yk_event *event);
void yk_sim_event_release(struct yk_event *event); /* lock held; drops a reference */

/* sim_operation.c */
yoke_status yk_sim_copy(struct yk_queue *queue, const struct yk_copy *copy,
                        struct yk_event **event);
yoke_status yk_sim_zero(struct yk_queue *queue, const struct yk_buffer_range *range,
                        struct yk_event **event);
yoke_status yk_sim_launch(struct yk_queue *queue, struct yk_program *program,
                          const struct yk_launch *launch, struct yk_event **event);
yoke_status yk_sim_lost(const struct sim_device *device);     /* YOKE_EDEVICE with its text */
yoke_status yk_sim_source_lost(const struct yk_event *event); /* YOKE_ELOST with its text */
double yk_sim_reach(struct yk_device *device, struct yk_device *from);

#endif
