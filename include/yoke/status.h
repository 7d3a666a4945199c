/* yoke/status.h - how every call of yoke reports whether it worked.
 *
 * Functions that can fail return a yoke_status; outputs are written only on YOKE_OK. In addition,
 * the library keeps for each thread one line that names the cause and the cure of its latest
 * failure. docs/tutorial.md has a table of common mistakes and what is said of them.
 */
#ifndef YOKE_STATUS_H
#define YOKE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Marks what the library exports. */
#define YOKE_API __attribute__((visibility("default")))

/* How a call ended. */
typedef enum yoke_status {
    YOKE_OK = 0,  /* it worked; outputs are written */
    YOKE_EINVAL,  /* the caller's mistake: an argument, a count, a type, an unknown name
                   */
    YOKE_ENOMEM,  /* host memory, or a device's memory with nothing left to evict */
    YOKE_EBUILD,  /* a kernel does not compile for a device; the text has the compiler's messages */
    YOKE_ENOIMPL, /* a kernel has no implementation for any device of the runtime */
    YOKE_EDEVICE, /* a device failed and its work could not be done elsewhere */
    YOKE_ELOST,   /* a device failed and held the only valid copy of some rows */
    YOKE_EIO,     /* a file is missing, truncated or invalid, or the disk is full */
    YOKE_ENODEV,  /* no such device, or its driver cannot be loaded */
    YOKE_EBUSY,   /* in use: a runtime closed while it has arrays, an array that another thread
                   * has for writing */
    YOKE_ECANCELED, /* stopped on the caller's request, or it needed a job that was stopped or
                     * failed
                     */
    YOKE_ETIMEDOUT  /* a job's deadline passed */
} yoke_status;

/* The status as text ("out of memory"). Never NULL; static storage. */
YOKE_API const char *yoke_status_text(yoke_status status);

/* The cause and the cure of the calling thread's latest failed call, one line (a compiler's log may
 * follow on further lines). "" if no call failed. Owned by the library, valid until this thread's
 * next failing call. */
YOKE_API const char *yoke_error_text(void);

/* What a log line is about.
 *
 * A program can show or keep log lines (yoke_set_log). Otherwise they go to standard error: errors
 * and warnings, or the level of the environment variable YOKE_LOG (off, error, warn, info, debug).
 * If a kernel takes longer than a second to compile, a line on a terminal says so, unless warnings
 * are off; with yoke_set_log that line has level info. */
typedef enum yoke_log_level {
    YOKE_LOG_ERROR, /* something failed */
    YOKE_LOG_WARN,  /* it goes on, but not as the user may expect */
    YOKE_LOG_INFO,  /* decisions that are made once */
    YOKE_LOG_DEBUG  /* details for work on yoke itself */
} yoke_log_level;

/* Gets one log line, without a newline; `line` is valid only during the call. */
typedef void yoke_log_fn(void *context, yoke_log_level level, const char *line);

/* Sends log lines up to `level` to `fn` (NULL: nowhere). May be called at any time; `fn` is called
 * from any thread, one call at a time, and must not call yoke. */
YOKE_API void yoke_set_log(yoke_log_fn *fn, void *context, yoke_log_level level);

#ifdef __cplusplus
}
#endif
#endif
