/* status.c - error texts by thread, and the log.
 *
 * A text is in a fixed buffer of its thread. A text that does not fit (a compiler's log) gets its
 * own memory; if there is none, only its beginning is kept, in the fixed buffer. So reporting a
 * lack of memory needs no memory. These blocks are not counted by alloc.h, because they outlive the
 * call that made them; they are freed when the thread ends, or with the library.
 *
 * The level is read without the lock, so a log call that is not wanted costs one load. The sink is
 * called under the lock: one line at a time, and none after yoke_set_log has replaced it.
 */
#include "status.h"

#include "alloc.h"
#include "closest.h"
#include "option.h"
#include "plain.h"
#include "process_lock.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { text_bytes = 512, line_bytes = 1024 };
enum { level_unread = -2, level_off = -1 };

static _Thread_local char short_text[text_bytes];
static _Thread_local char *long_text; /* NULL: the text is in short_text */

static pthread_once_t long_text_once = PTHREAD_ONCE_INIT;
static pthread_key_t long_text_key; /* its destructor frees long_text when a thread ends */
static int long_text_keyed;

/* The program's function, which may fork, is called with it. */
static struct yk_process_lock log_lock = YK_PROCESS_LOCK_FREED;
static yoke_log_fn *log_fn; /* these two under log_lock */
static void *log_context;
static _Atomic int log_level = level_unread;

static const char *const level_names[] = {
    [YOKE_LOG_ERROR] = "error",
    [YOKE_LOG_WARN] = "warn",
    [YOKE_LOG_INFO] = "info",
    [YOKE_LOG_DEBUG] = "debug",
};
enum { level_count = sizeof level_names / sizeof *level_names };

const char *yoke_status_text(yoke_status status)
{
    static const char *const texts[] = {
        [YOKE_OK] = "success",
        [YOKE_EINVAL] = "invalid argument",
        [YOKE_ENOMEM] = "out of memory",
        [YOKE_EBUILD] = "kernel does not compile",
        [YOKE_ENOIMPL] = "kernel has no implementation for these devices",
        [YOKE_EDEVICE] = "device failed",
        [YOKE_ELOST] = "device failed and took data with it",
        [YOKE_EIO] = "input or output failed",
        [YOKE_ENODEV] = "no such device",
        [YOKE_EBUSY] = "in use",
        [YOKE_ECANCELED] = "canceled",
        [YOKE_ETIMEDOUT] = "deadline passed",
    };
    size_t index = (size_t)status;
    return index < sizeof texts / sizeof *texts ? texts[index] : "unknown status";
}

const char *yoke_error_text(void)
{
    return long_text ? long_text : short_text;
}

static void open_long_text_key(void)
{
    long_text_keyed = pthread_key_create(&long_text_key, yk_free_kept) == 0;
}

/* If libyoke itself is unloaded, no destructor may point into it, and nothing else frees the last
 * thread's text. */
static void __attribute__((destructor)) close_long_text(void)
{
    if (long_text_keyed) {
        pthread_key_delete(long_text_key);
        long_text_keyed = 0;
    }
    yk_free_kept(long_text);
    long_text = NULL;
}

/* Takes `text` (may be NULL), which must not be the current block. */
static void keep_long_text(char *text)
{
    yk_free_kept(long_text);
    long_text = text;
    if (long_text_keyed) {
        pthread_setspecific(long_text_key, text);
    }
}

static char *format_long_text(size_t bytes, const char *format, va_list arguments)
{
    pthread_once(&long_text_once, open_long_text_key);
    char *text = long_text_keyed ? yk_alloc_kept(bytes) : NULL;
    if (text) {
        vsnprintf(text, bytes, format, arguments);
    }
    return text;
}

/* Takes the text and returns a plain copy of it, or the text itself if it is plain already or there
 * is no memory for a copy. */
static char *make_plain(char *text)
{
    const size_t length = strlen(text), wanted = yk_plain_text(text, NULL, 0);
    char *plain = wanted > length ? yk_alloc_kept(wanted + 1) : NULL;
    if (!plain)
        return text;
    yk_plain_text(text, plain, wanted + 1);
    yk_free_kept(text);
    return plain;
}

yoke_status yk_fail(yoke_status status, const char *format, ...)
{
    /* The arguments may point to this thread's previous text: it stays until the new one is
     * complete. */
    char fresh[text_bytes];
    char *fresh_long = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(fresh, sizeof fresh, format, arguments);
    va_end(arguments);
    if (length >= text_bytes) {
        va_start(arguments, format);
        fresh_long = format_long_text((size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    yk_plain_text(fresh, short_text, sizeof short_text);
    if (fresh_long)
        fresh_long = make_plain(fresh_long);
    if (fresh_long || long_text) {
        keep_long_text(fresh_long);
    }
    yk_log(YOKE_LOG_DEBUG, "%s: %s", yoke_status_text(status), short_text);
    return status;
}

static void log_to_stderr(void *context, yoke_log_level level, const char *line)
{
    (void)context;
    fprintf(stderr, "yoke: %s: %s\n", level_names[level], line);
}

static void complain_of_level(const char *word)
{
    struct yk_closest closest = { .word = word, .length = strlen(word) };
    char plain[64];
    for (int level = 0; level < level_count; level++)
        yk_closest_try(&closest, level_names[level]);
    yk_plain_text(word, plain, sizeof plain);
    fprintf(stderr,
            "yoke: warn: YOKE_LOG=%s is no level; give off, error, warn, info or debug%s%s%s\n",
            plain, closest.name ? "; did you mean " : "", closest.name ? closest.name : "",
            closest.name ? "?" : "");
}

/* The first call reads YOKE_LOG, unless the program has already chosen a sink. The default level is
 * warnings: what yoke cannot use, and why, is reported once. An unknown level is reported. */
static void read_environment(void)
{
    const char *word = yk_environment("YOKE_LOG");
    int wanted = YOKE_LOG_WARN;
    int odd = 0;
    if (word && strcmp(word, "off") == 0) {
        wanted = level_off;
    } else if (word && *word) {
        for (wanted = 0; wanted < level_count && strcmp(word, level_names[wanted]) != 0; wanted++) {
        }
        odd = wanted == level_count;
    }
    yk_process_lock(&log_lock);
    if (atomic_load_explicit(&log_level, memory_order_relaxed) == level_unread) {
        log_fn = log_to_stderr;
        atomic_store_explicit(&log_level, odd ? (int)YOKE_LOG_WARN : wanted, memory_order_relaxed);
        if (odd) {
            complain_of_level(word);
        }
    }
    yk_process_unlock(&log_lock);
}

void yoke_set_log(yoke_log_fn *fn, void *context, yoke_log_level level)
{
    int wanted = fn ? (int)level : level_off;
    if (wanted >= level_count) {
        wanted = level_count - 1;
    } else if (wanted < level_off) {
        wanted = level_off;
    }
    yk_process_lock(&log_lock);
    log_fn = fn;
    log_context = context;
    atomic_store_explicit(&log_level, wanted, memory_order_relaxed);
    yk_process_unlock(&log_lock);
}

/* A log entry is one line: a compiler's log is cut at its first line end. */
static void cut_line(char *line, int length)
{
    char *end = strchr(line, '\n');
    if (end) {
        *end = '\0';
    } else if (length >= line_bytes) {
        memcpy(line + line_bytes - 4, "...", 4);
    }
}

/* relaxed: a hint; the sink itself is read under the lock */
static int listening_level(void)
{
    int level = atomic_load_explicit(&log_level, memory_order_relaxed);
    if (level == level_unread) {
        read_environment();
        level = atomic_load_explicit(&log_level, memory_order_relaxed);
    }
    return level;
}

void yk_log_open(void)
{
    listening_level();
}

void yk_log(yoke_log_level level, const char *format, ...)
{
    if ((int)level > listening_level()) {
        return;
    }
    char line[line_bytes];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    cut_line(line, length);
    yk_process_lock(&log_lock);
    if (log_fn && (int)level <= atomic_load_explicit(&log_level, memory_order_relaxed)) {
        log_fn(log_context, level, line);
    }
    yk_process_unlock(&log_lock);
}

void yk_log_asked(const char *line)
{
    yk_process_lock(&log_lock);
    (log_fn ? log_fn : log_to_stderr)(log_fn ? log_context : NULL, YOKE_LOG_INFO, line);
    yk_process_unlock(&log_lock);
}

int yk_log_shows_progress(int stderr_is_terminal)
{
    int level = listening_level();
    yk_process_lock(&log_lock);
    int shows = log_fn == log_to_stderr ? stderr_is_terminal && level >= (int)YOKE_LOG_WARN
                                        : level >= (int)YOKE_LOG_INFO;
    yk_process_unlock(&log_lock);
    return shows;
}

void yk_log_progress(const char *line)
{
    yk_process_lock(&log_lock);
    if (log_fn == log_to_stderr) {
        fprintf(stderr, "yoke: %s\n", line);
    } else if (log_fn) {
        log_fn(log_context, YOKE_LOG_INFO, line);
    }
    yk_process_unlock(&log_lock);
}
