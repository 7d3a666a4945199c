/* job_device.h - what one device does in a job: its lanes' flights, how it holds the job's arrays,
 * its private copies and sums, and what is predicted and measured of it.
 */
#ifndef YK_JOB_JOB_DEVICE_H
#define YK_JOB_JOB_DEVICE_H

#include "array_handle.h"
#include "flight_state.h"

/* How a device with memory of its own holds an array during a job. */
enum yk_holding {
    YK_HELD_NOT,
    YK_HELD_WHOLE,  /* a replica: rows stay after the job, and coherence tracks them */
    YK_HELD_WINDOW, /* too large: each chunk copies its rows in and its results home */
    YK_HELD_PACKED, /* a panel that chunks read whole; only its columns are there: packed.c */
    YK_HELD_HOST    /* partial results or sums that kernels write into host memory:
                     * host_results.c */
};

/* Where a device's sums are (mode add). THERE: in its copies. LEAVING: on the way to the host, with
 * the only flight that the device has. HOME: on the host, in private_hosts of its first lane, or
 * where kernels wrote it (YK_HELD_HOST). */
enum yk_sums_at { YK_SUMS_THERE, YK_SUMS_LEAVING, YK_SUMS_HOME };
/* How a device's sum goes home. NOT: its only copy, as it is. NEW: its copies are folded into a new
 * total. MORE: they are folded into a total that has earlier sums. */
enum yk_fold { YK_FOLD_NOT, YK_FOLD_NEW, YK_FOLD_MORE };

/* How threads waited for the chunks of a device with memory of its own. */
struct yk_waits {
    int64_t flights;  /* number of chunks */
    int64_t foretold; /* number of chunks with a predicted duration */
    int64_t lasts_ns; /* sum of the predicted durations */
    int64_t brief;    /* number of chunks too short for a sleep */
};

/* How long the device's kernels wait for rows, if that is known from jobs before: then it is not
 * measured again. Set before the job begins. */
struct yk_known_wait {
    int is_known; /* 1: as long as in these jobs, if as many bytes come from the host */
    int64_t bytes;
    int64_t ns; /* of all its chunks; the first one takes it */
};

struct yk_job_device {
    struct yk_runtime_device *device;
    struct yk_leases leases;         /* CPU devices */
    struct yk_flight *flights;       /* one per lane */
    struct yk_split_outcome outcome; /* what the device did; set when the job is over */
    /* From `joined` up to `holding` all fields are zero when a job begins. So are holding,
     * replicas, claims, private_memory, private_buffers, private_copies and private_folds of the
     * job's arguments. */
    int joined;           /* 1: the host thread has prepared the device, or failed to */
    atomic_int ready;     /* 1: preparing is over, with the outcome `status` */
    yoke_status status;   /* YOKE_OK: its kernel is built and its arrays have room */
    double share;         /* part of the range that it will probably get; < 0: unknown */
    int steady;           /* as in yk_learned */
    int driven;           /* 1: the thread that called yoke_run drives it */
    double bringing_ns;   /* predicted time in which a thread copies rows for its share */
    double planned_ns;    /* a planned job: predicted time of its part; 0: unknown */
    int64_t admitted_ns;  /* when it was added to a job that ran; 0: it was there at the begin */
    int failed;           /* 1: it is lost; its unfinished chunks are taken back */
    int retired;          /* 1: it gets no more chunks; its unfinished ones still count */
    atomic_int benched;   /* 1: left out of this job; it steps in if the others fail; read without
                             the lock, too */
    int hosts, host_lane; /* as in yk_split_device */
    int kept;             /* number of the CPU's last lanes that are kept free (kept_cores.h) */
    int64_t expected_ns;  /* predicted end of the last chunk that it was given */
    struct yk_waits waits;
    struct yk_known_wait wait;
    int64_t bytes_in;          /* from the host, for the chunks that have ended */
    struct yk_buffer *windows; /* windows of all lanes; NULL: none */
    int64_t windows_bytes;
    struct yk_slot *results;           /* memory of arguments held on the host; NULL: none */
    int64_t window_items;              /* most items of a chunk that fit in the windows */
    struct yk_buffer *queues;          /* queues of step kernels, one per lane; NULL: none */
    int64_t queues_bytes, queue_bytes; /* bytes of all queues; of one */
    struct yk_step_plan step_plans[YK_FORMS];
    uint32_t *step_words;       /* pinned words of all lanes; NULL: no such memory */
    unsigned forms;             /* forms (the kernel, its alternative) that it may use, as bits */
    int out[YK_FORMS];          /* per form: chunks under way; under job.lock */
    int64_t made[YK_FORMS];     /* per form: items done; under job.lock */
    int64_t fill;               /* fewest items of a chunk that measures a form */
    int trying;                 /* 1: the latest chunk measures a form */
    int tried;                  /* 1: some chunk measured a form */
    double spare_ns;            /* as in choice.h; < 0: it depends on the other devices */
    int known_form;             /* 1 + the form of which the dispatcher knows the speed; 0: none */
    int64_t ended_ns;           /* end of its latest chunk, for GPUs */
    struct yk_stepper *stepper; /* entry of the thread that steps it, which alone uses this; NULL:
                                   that thread's calls are not watched */
    struct yk_pace pace[YK_FORMS]; /* pace of each form, in this job and earlier ones like it */
    int packed_ahead;     /* 1: rows were sent that no chunk waits for; under upload_lock */
    int admitted;         /* 1: it is counted in device->holders */
    char **private_hosts; /* mode add: host copies, at [lane * args + arg]; NULL until used */
    enum yk_sums_at sums; /* mode add: where the device's sums are */
    enum yk_holding holding[YOKE_ARGS_MAX];
    struct yk_replica *replicas[YOKE_ARGS_MAX];
    struct yk_claim claims[YOKE_ARGS_MAX]; /* claims of the rows that the whole range touches */
    /* First byte of a packed argument in `windows`, or of one held on the host in `results`. */
    int64_t held_at[YOKE_ARGS_MAX];
    int64_t packed_rows[YOKE_ARGS_MAX]; /* number of a packed argument's rows that were sent; under
                                           upload_lock */
    /* Mode add, on devices: memory for private copies, taken when the device is prepared; the same
     * buffer from when a chunk adds to it, NULL before. */
    struct yk_spare private_memory[YOKE_ARGS_MAX];
    struct yk_buffer *private_buffers[YOKE_ARGS_MAX];
    int private_copies[YOKE_ARGS_MAX];         /* number of copies in it (sum_copies.c) */
    enum yk_fold private_folds[YOKE_ARGS_MAX]; /* how its sum goes home (sums.c) */
};

/* A job's devices and dispatcher, from when it begins; see workspace.c. */
struct yk_workspace {
    struct yk_dispatch *dispatch;
    struct yk_workspace *next;   /* in the list of idle workspaces */
    struct yk_team team;         /* what was known of teams, if a device is benched */
    struct yk_plan_move weighed; /* a planned job: gain and cost of moving rows to other bounds */
    int device_count;
    int room; /* number of devices for which there is memory */
    struct yk_job_device devices[];
};

#endif
