/* file_size.h - makes a write beyond the process's file size limit fail instead of killing the
 * process (SIGXFSZ). For code that writes files through a library. Effective between begin and end,
 * in the calling thread only; costs about a microsecond.
 */
#ifndef YK_PLATFORM_FILE_SIZE_H
#define YK_PLATFORM_FILE_SIZE_H

struct yk_file_size {
    int blocked; /* 1: blocked by begin */
};

void yk_file_size_begin(struct yk_file_size *guard);
void yk_file_size_end(const struct yk_file_size *guard);

#endif
