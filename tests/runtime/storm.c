/* storm.c - see storm.h. */
#include "storm.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "storm_job.h"

enum { AFTER_MOST = 2, PENDING_MOST = 40 };

enum kind { JOB, LOOK, FILL };

struct note {
    enum kind kind;
    yoke_status status;
    struct storm_job job;
    yoke_ticket *ticket; /* NULL: a thread is waiting for it, or it has ended */
    int canceled, overdue, stops;
    int64_t after[AFTER_MOST];
    int after_count;
    /* LOOK and FILL: rows of an array; the contents that a look saw, the value that a fill wrote */
    int array;
    yoke_rows rows;
    uint32_t *seen, a;
    char why[300]; /* message of a failed job */
};

struct storm {
    const struct storm_spec *spec;
    yoke_runtime *runtime;
    yoke_array *arrays[STORM_ARRAYS];
    uint32_t *memory[STORM_ARRAYS]; /* the program's memory for the array, if any */
    int64_t rows;

    pthread_mutex_t lock; /* held during submit and look, so that notes are in order */
    struct note *notes;
    int64_t count, most, jobs, pending;
};

struct submitter {
    struct storm *storm;
    uint64_t seed;
    pthread_t thread;
};

static void wrong(const struct storm *storm, const struct note *note, const char *what)
{
    const struct storm_job *job = &note->job;
    fprintf(stderr,
            "%s\n  seed %llu, devices %s, %lld rows, note %lld of %lld: kind %d status %s, "
            "job form %d from %d to %d, %lld .. %lld; array %d rows %lld .. %lld\n  %s\n",
            what, (unsigned long long)storm->spec->seed, storm->spec->devices,
            (long long)storm->rows, (long long)(note - storm->notes), (long long)storm->count,
            (int)note->kind, yoke_status_text(note->status), job->form, job->from, job->to,
            (long long)job->first, (long long)job->last, note->array, (long long)note->rows.first,
            (long long)note->rows.last, note->why[0] ? note->why : yoke_error_text());
    exit(1);
}

/* --- actions of threads; the storm's lock is held unless stated otherwise --- */

static struct note *add_note(struct storm *storm, enum kind kind)
{
    struct note *note = &storm->notes[storm->count];
    if (storm->count == storm->most)
        wrong(storm, note - 1, "there is no room for another note");
    *note = (struct note){ .kind = kind };
    return note;
}

/* A job that no thread waits for yet; NULL: none was found. */
static struct note *find_pending(const struct storm *storm, uint64_t *seed)
{
    int tries;
    for (tries = 0; tries < 20 && storm->count > 0; tries++) {
        int64_t back = storm_below(seed, 3 * PENDING_MOST);
        struct note *note = &storm->notes[storm->count - 1 - back % storm->count];
        if (note->ticket)
            return note;
    }
    return NULL;
}

static int stop(void *context, int64_t done, int64_t all)
{
    (void)context;
    return done * 2 < all;
}

static void submit(struct storm *storm, uint64_t *seed)
{
    struct note *note = add_note(storm, JOB), *other;
    yoke_ticket *after[AFTER_MOST];
    yoke_job job;
    storm_job_draw(seed, storm->rows, &note->job);
    storm_job_state(&note->job, storm->arrays, seed, &job);
    while (storm_one_in(seed, 6) && note->after_count < AFTER_MOST &&
           (other = find_pending(storm, seed))) {
        after[note->after_count] = other->ticket;
        note->after[note->after_count++] = other - storm->notes;
    }
    job.after = after;
    job.after_count = note->after_count;
    if (storm_one_in(seed, 80)) {
        note->overdue = 1;
        job.deadline_seconds = 1e-6 * (double)(1 + storm_below(seed, 200));
    }
    if (storm_one_in(seed, 80)) {
        note->stops = 1;
        job.progress = stop;
    }
    if (yoke_submit(storm->runtime, &job, &note->ticket) != YOKE_OK)
        wrong(storm, note, "a job is refused");
    storm->count++;
    storm->jobs++;
    storm->pending++;
}

static void cancel_one(struct storm *storm, uint64_t *seed)
{
    struct note *note = find_pending(storm, seed);
    if (!note)
        return;
    note->canceled = 1;
    if (yoke_cancel(note->ticket) != YOKE_OK)
        wrong(storm, note, "a job cannot be canceled");
}

/* Releases the lock while waiting. */
static void wait_for(struct storm *storm, struct note *note)
{
    yoke_ticket *ticket = note->ticket;
    yoke_status status;
    if (!ticket)
        return;
    note->ticket = NULL;
    storm->pending--;
    pthread_mutex_unlock(&storm->lock);
    status = yoke_wait(ticket, NULL);
    if (status == YOKE_EINVAL)
        wrong(storm, note, "a job cannot be waited for");
    pthread_mutex_lock(&storm->lock);
    note->status = status;
    if (status != YOKE_OK)
        snprintf(note->why, sizeof note->why, "%s", yoke_error_text());
}

static void wait_for_one(struct storm *storm, uint64_t *seed)
{
    struct note *note = find_pending(storm, seed);
    if (note)
        wait_for(storm, note);
}

static void draw_rows(struct storm *storm, uint64_t *seed, struct note *note)
{
    note->array = (int)storm_below(seed, STORM_ARRAYS);
    note->rows.first = storm_below(seed, storm->rows);
    note->rows.last = note->rows.first + 1 + storm_below(seed, storm->rows - note->rows.first);
}

static void look(struct storm *storm, uint64_t *seed)
{
    struct note *note = add_note(storm, LOOK);
    yoke_array *array;
    size_t bytes;
    draw_rows(storm, seed, note);
    array = storm->arrays[note->array];
    note->status = yoke_array_acquire_rows(array, YOKE_READ, note->rows.first, note->rows.last);
    if (note->status == YOKE_OK) {
        bytes = (size_t)(note->rows.last - note->rows.first) * sizeof *note->seen;
        note->seen = malloc(bytes);
        memcpy(note->seen, (uint32_t *)yoke_array_host(array) + note->rows.first, bytes);
        note->status = yoke_array_release(array);
    }
    storm->count++;
}

static uint32_t filling(const struct note *note, int64_t row)
{
    return note->a ^ (uint32_t)row * 2654435761u;
}

static void fill(struct storm *storm, uint64_t *seed)
{
    struct note *note = add_note(storm, FILL);
    yoke_array *array;
    int64_t row;
    draw_rows(storm, seed, note);
    note->a = storm_draw(seed);
    array = storm->arrays[note->array];
    note->status = yoke_array_acquire_rows(array, YOKE_WRITE, note->rows.first, note->rows.last);
    for (row = note->rows.first; row < note->rows.last && note->status == YOKE_OK; row++)
        ((uint32_t *)yoke_array_host(array))[row] = filling(note, row);
    if (note->status != YOKE_OK || yoke_array_release(array) != YOKE_OK)
        wrong(storm, note, "an array cannot be written");
    storm->count++;
}

static void *run_thread(void *context)
{
    struct submitter *submitter = context;
    struct storm *storm = submitter->storm;
    uint64_t *seed = &submitter->seed;
    int64_t n;
    pthread_mutex_lock(&storm->lock);
    while (storm->jobs < storm->spec->jobs && storm->count < storm->most) {
        int64_t what = storm_below(seed, 100);
        if (what < 60 && storm->pending < PENDING_MOST)
            submit(storm, seed);
        else if (what < 90)
            wait_for_one(storm, seed);
        else if (what < 91)
            cancel_one(storm, seed);
        else if (what < 94)
            look(storm, seed);
        else /* rows of stopped jobs must be written again */
            fill(storm, seed);
        if (storm_one_in(seed, 4)) { /* lets another thread run */
            pthread_mutex_unlock(&storm->lock);
            pthread_mutex_lock(&storm->lock);
        }
    }
    for (n = 0; n < storm->count; n++)
        wait_for(storm, &storm->notes[n]);
    pthread_mutex_unlock(&storm->lock);
    return NULL;
}

/* --- afterwards: the check by hand --- */

static int touch(yoke_rows a, yoke_rows b)
{
    return a.first < b.last && b.first < a.last;
}

/* True if an earlier job failed that this one needs, by rows or by name. */
static int needs_one_that_failed(const struct storm *storm, const struct note *note)
{
    const struct note *other;
    int i;
    for (i = 0; i < note->after_count; i++)
        if (storm->notes[note->after[i]].status != YOKE_OK)
            return 1;
    for (other = storm->notes; other < note; other++)
        if (other->kind == JOB && other->status != YOKE_OK &&
            touch(storm_job_writes(&other->job), storm_job_reads(&note->job, other->job.to)))
            return 1;
    return 0;
}

static int one_was_stopped(const struct storm *storm, const struct note *note)
{
    const struct note *other;
    for (other = storm->notes; other < note; other++)
        if (other->kind == JOB && other->status != YOKE_OK)
            return 1;
    return 0;
}

static void check_status(const struct storm *storm, const struct note *note)
{
    int fine = note->status == YOKE_OK;
    if (note->status == YOKE_ECANCELED)
        fine = note->canceled || note->stops || needs_one_that_failed(storm, note);
    if (note->status == YOKE_ETIMEDOUT)
        fine = note->overdue;
    if (note->status == YOKE_ELOST) /* rows that a stopped job had begun to write are lost too */
        fine = storm->spec->devices_fail || one_was_stopped(storm, note);
    if (note->status == YOKE_EDEVICE)
        fine = storm->spec->devices_fail;
    if (!fine)
        wrong(storm, note, "nothing is known that could have this outcome");
}

static void count(const struct note *note, struct storm_counts *counts)
{
    int lost = note->status == YOKE_ELOST || note->status == YOKE_EDEVICE;
    if (note->kind == JOB) {
        counts->jobs++;
        counts->good += note->status == YOKE_OK;
        counts->canceled += note->status == YOKE_ECANCELED;
        counts->overdue += note->status == YOKE_ETIMEDOUT;
        counts->lost += lost;
    } else {
        counts->looks++;
        counts->lost_looks += lost;
    }
}

/* Compares the contents seen of rows first .. last - 1. */
static void compare(const struct storm *storm, const struct note *note, const uint32_t *seen,
                    const struct storm_rows *want)
{
    int64_t row;
    for (row = note->rows.first; row < note->rows.last; row++)
        if (!want->undefined[row] && seen[row - note->rows.first] != want->value[row]) {
            fprintf(stderr, "row %lld is %u, not %u\n", (long long)row,
                    seen[row - note->rows.first], want->value[row]);
            wrong(storm, note, "an array does not hold what it should");
        }
}

static void replay(struct storm *storm, struct storm_rows *arrays, struct storm_counts *counts)
{
    int64_t n, row;
    for (n = 0; n < storm->count; n++) {
        struct note *note = &storm->notes[n];
        check_status(storm, note);
        count(note, counts);
        if (note->kind == JOB && note->status == YOKE_OK)
            storm_job_by_hand(&note->job, arrays);
        else if (note->kind == JOB)
            storm_job_undefine(&note->job, arrays);
        else if (note->kind == LOOK && note->seen)
            compare(storm, note, note->seen, &arrays[note->array]);
        for (row = note->rows.first; note->kind == FILL && row < note->rows.last; row++) {
            arrays[note->array].value[row] = filling(note, row);
            arrays[note->array].undefined[row] = 0;
        }
        free(note->seen);
    }
}

/* Row by row, because some rows may be lost. */
static void check_end(struct storm *storm, struct storm_rows *arrays, struct storm_counts *counts)
{
    struct note *note = add_note(storm, LOOK);
    int a;
    for (a = 0; a < STORM_ARRAYS; a++) {
        int whole = yoke_array_acquire(storm->arrays[a], YOKE_READ) == YOKE_OK;
        int64_t row;
        note->array = a;
        for (row = 0; row < storm->rows; row++) {
            note->rows = (yoke_rows){ row, row + 1 };
            note->status = whole
                               ? YOKE_OK
                               : yoke_array_acquire_rows(storm->arrays[a], YOKE_READ, row, row + 1);
            check_status(storm, note);
            count(note, counts);
            if (note->status == YOKE_OK)
                compare(storm, note, (uint32_t *)yoke_array_host(storm->arrays[a]) + row,
                        &arrays[a]);
        }
    }
}

/* --- from open to close --- */

/* Half of the arrays have the program's memory, the others yoke's, which is not written yet. */
static void open_arrays(struct storm *storm, struct storm_rows *arrays)
{
    int a;
    for (a = 0; a < STORM_ARRAYS; a++) {
        yoke_array_spec spec = { .rows = storm->rows, .element_size = sizeof(uint32_t) };
        int64_t row;
        memset(arrays[a].undefined, a % 2, sizeof arrays[a].undefined);
        if (a % 2 == 0) {
            storm->memory[a] = spec.host = malloc((size_t)storm->rows * sizeof(uint32_t));
            for (row = 0; row < storm->rows; row++)
                storm->memory[a][row] = arrays[a].value[row] = (uint32_t)(a * 1000 + row);
        }
        if (yoke_array_open(storm->runtime, &spec, &storm->arrays[a]) != YOKE_OK)
            wrong(storm, storm->notes, "an array cannot be opened");
    }
}

static void close_arrays(struct storm *storm)
{
    int a;
    for (a = 0; a < STORM_ARRAYS; a++) {
        yoke_status status = yoke_array_close(storm->arrays[a]);
        if (status != YOKE_OK && !storm->spec->devices_fail &&
            !(status == YOKE_ELOST && one_was_stopped(storm, storm->notes + storm->count)))
            wrong(storm, storm->notes, "an array cannot be closed");
        free(storm->memory[a]);
    }
}

static void run_threads(struct storm *storm, uint64_t seed)
{
    struct submitter submitters[8];
    int t, error;
    for (t = 0; t < storm->spec->threads; t++)
        submitters[t] = (struct submitter){ .storm = storm, .seed = seed + (uint64_t)t * 977 };
    for (t = 1; t < storm->spec->threads; t++)
        if ((error = pthread_create(&submitters[t].thread, NULL, run_thread, &submitters[t])) != 0)
            wrong(storm, storm->notes, strerror(error));
    run_thread(&submitters[0]);
    for (t = 1; t < storm->spec->threads; t++)
        pthread_join(submitters[t].thread, NULL);
}

int storm_run(const struct storm_spec *spec, struct storm_counts *counts)
{
    struct storm storm = { .spec = spec, .most = 2 * spec->jobs + 64 };
    struct storm_rows *arrays = calloc(STORM_ARRAYS, sizeof *arrays);
    uint64_t seed = spec->seed;
    int64_t before = yk_alloc_outstanding();
    yoke_status status = yoke_open(&(yoke_config){ .devices = spec->devices }, &storm.runtime);
    storm.notes = calloc((size_t)storm.most + 1, sizeof *storm.notes);
    if (status == YOKE_OK) {
        pthread_mutex_init(&storm.lock, NULL);
        storm.rows = 1 + storm_below(&seed, storm_one_in(&seed, 4) ? 8 : STORM_ROWS_MOST);
        open_arrays(&storm, arrays);
        run_threads(&storm, seed);
        replay(&storm, arrays, counts);
        check_end(&storm, arrays, counts);
        close_arrays(&storm);
        if (yoke_close(storm.runtime) != YOKE_OK || yk_alloc_outstanding() != before)
            wrong(&storm, storm.notes, "something is left of it");
        pthread_mutex_destroy(&storm.lock);
    }
    free(storm.notes);
    free(arrays);
    return status == YOKE_OK || (spec->devices_fail && status == YOKE_EDEVICE);
}
