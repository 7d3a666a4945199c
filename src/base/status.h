/* status.h - the one door for errors: who finds out what went wrong says so here once; callers pass
 * it up.
 *
 * Every thread keeps the text of its latest failure (yoke_error_text). A job that failed on a
 * worker keeps its text with the job, and the thread that waits raises it again with yk_fail.
 */
#ifndef YK_BASE_STATUS_H
#define YK_BASE_STATUS_H

#include <yoke/status.h>

/* Records the thread's error text (cause, then cure, one line), logs it at `debug`, returns
 * `status`. */
yoke_status yk_fail(yoke_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reads YOKE_LOG, should nothing have done so yet, and warns of a word that is no level. */
void yk_log_open(void);
/* Log one line; cheap when nobody listens at that level. */
void yk_log(yoke_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line that the user asked for, whatever level is listened to. */
void yk_log_asked(const char *line);

/* A line that says that something takes seconds. It goes to a program's sink as info, and without a
 * sink to standard error if that is a terminal and warnings are not off. 1: it goes somewhere. */
int yk_log_shows_progress(int stderr_is_terminal);
void yk_log_progress(const char *line);

#endif
