/* host_threads.h - PURE. The common part of `nc-ht` and `c-ht`: the adaptive parallel loop of
 * Navarro, Vilches, Corbera and Asenjo ("Strategies for Maximizing Utilization in multi-CPU &
 * multi-GPU Heterogeneous Architectures"), sections 4.1 to 4.3.
 *
 * A GPU's chunks have its grain GS_i; a core's take as long (eq. 15), and shrink when little is
 * left (weighted guided self-scheduling). A thread drives each stream (a lane of a GPU); these
 * threads are counted among the CPU's lanes if yk_split_device.hosts says so.
 *
 * Choices where the paper's text and figures differ, or leave something open:
 *   - nCores is the number of threads that do CPU work now: lanes of CPU devices, without those
 *     that only drive a stream. Fig. 8 line 11 is min(nCores + 1, limit); max is a slip. The limit
 *     is the number of cores: with more threads than cores, a thread has less than a core.
 *   - R_i = min(GS_i, r) everywhere (figs. 8 and 9 may hand out more than there is).
 *   - While no active GPU's f is known, each core gets max GS / nCores (fig. 9 line 2, "to each
 *     core"). Read literally, only the first call would get that; later calls run line 5 over an
 *     empty set and get r / nCores, most of the range.
 *   - A stream whose own f is unknown gets GS_i (fig. 8 line 2, for every stream of a device).
 *   - R_i = min(GS_i, r) if there is no other resource (fig. 8 line 5 would divide by 0).
 *   - With no active GPU a core gets r / nCores (guided self-scheduling).
 *   - Several streams: each is a separate resource in the sums of figs. 8 and 9, with the measured
 *     speed of its chunks, and is taken out separately.
 *   - A chunk beside a stream's is no sample of a core's throughput (fig. 7(b) has none there),
 *     unless no core has ended a chunk of its own: if all threads drive streams, none ever does.
 *   - Eq. 2 starts from lambda = 0 as written, so the first samples count too little, for all
 *     alike.
 */
#ifndef YK_PARTITION_PAPERS_HOST_THREADS_H
#define YK_PARTITION_PAPERS_HOST_THREADS_H

#include "../partitioner.h"

struct yk_ht_settings {
    double alpha;
    char *grains;
    int64_t threshold, streams;
};
extern const struct yk_option yk_ht_options[];

struct yk_ht_grain {
    int64_t items;       /* GS_i */
    int64_t most;        /* upper bound of the search */
    double best;         /* throughput of the previous size, items per ns; 0: none yet */
    double cost_ns;      /* cost of a chunk's start, as known before the job */
    int searching;       /* 1: the search goes on */
    int disappointments; /* chunks of this size in a row that did not pay */
};

struct yk_ht_stream {
    int out;           /* 1: it gets no more chunks */
    int due;           /* 1: its thread may take a chunk beside the stream's (c-ht) */
    int64_t out_items; /* items that were left when it was taken out */
};

struct yk_ht_device {
    struct yk_ht_grain grain;
    double lambda; /* eq. 2, items per ns; 0 before the first sample */
    struct yk_ht_stream *streams;
    int stream_count, out_count;
};

struct yk_ht {
    const struct yk_split_view *view;
    double alpha;
    int64_t threshold;
    int collaborate;     /* 1: threads that drive a stream do CPU work beside it (c-ht) */
    double lambda_c;     /* eq. 2 of a core */
    int core_measured;   /* 1: lambda_c has a sample of a core's own chunk, not only of one beside a
                          * stream's */
    int64_t cursor;      /* c-ht: the range r lies above, the spare queue below */
    int64_t core_latest; /* items of a core's latest chunk */
    int64_t core_sizes;  /* times that this size changed by more than 10 % */
    struct yk_ht_device *devices;
    struct yk_ht_stream *streams; /* of all devices */
};

static inline int yk_ht_is_gpu(const struct yk_split_view *view, int d)
{
    return !view->devices[d].known.host_memory;
}

/* --- host_threads_open.c --- */
enum yk_ht_kind { YK_HT_ALONE, YK_HT_COLLABORATES };
yoke_status yk_ht_open(const struct yk_split_view *view, const struct yk_ht_settings *settings,
                       enum yk_ht_kind kind, struct yk_ht **out);
void yk_ht_close(void *state);

/* --- host_threads.c --- */
/* Finds the stream that a CPU lane's thread drives. Returns 1 if there is one and it is active. */
int yk_ht_drives(const struct yk_ht *ht, int lane, int *device, int *stream);

/* Decide, for both partitioners, what a stream gets, and what a CPU lane gets whose thread is
 * free. */
void yk_ht_take_gpu(struct yk_ht *ht, int device, int stream, struct yk_take *out);
void yk_ht_take_cpu(struct yk_ht *ht, struct yk_take *out);

/* These, and yk_ht_close, are for a partitioner's table. */
void yk_ht_observe(void *state, int device, const struct yk_chunk_times *times);
void yk_ht_explain(const void *state, int device, char *text, size_t size);

/* --- host_grain.c: searches the grain if it was not given (the paper's future work). --- */
void yk_ht_grain_open(const struct yk_split_view *view, int device, struct yk_ht_grain *grain);
/* A chunk of `items` took `ns`. */
void yk_ht_grain_learn(struct yk_ht_grain *grain, int64_t items, double ns);

#endif
