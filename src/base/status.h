/* status.h - the only place for errors: the function that detects an error reports it here once;
 * callers pass the status up.
 *
 * Every thread keeps the text of its latest failure (yoke_error_text). A job that failed on a
 * worker keeps its text with the job, and the thread that waits sets it again with yk_fail.
 */
#ifndef YK_BASE_STATUS_H
#define YK_BASE_STATUS_H

#include <yoke/status.h>

/* Sets the thread's error text (cause, then cure, one line), logs it at level debug, and returns
 * `status`. */
yoke_status yk_fail(yoke_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reads YOKE_LOG, if that has not been done yet, and warns if it has an unknown level. */
void yk_log_open(void);
/* Logs one line; cheap if no sink wants that level. */
void yk_log(yoke_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes a line that the user asked for, at any level. */
void yk_log_asked(const char *line);

/* Reports that something takes seconds. The line goes to the program's sink as info, or without a
 * sink to standard error, if that is a terminal and warnings are not off. yk_log_shows_progress
 * returns 1 if such a line goes anywhere. */
int yk_log_shows_progress(int stderr_is_terminal);
void yk_log_progress(const char *line);

#endif
