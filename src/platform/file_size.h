/* file_size.h - writing beyond the process's file size limit fails, where it would kill (SIGXFSZ):
 * for code that writes files through a library. Between begin and end, in the calling thread only;
 * about a microsecond.
 */
#ifndef YK_PLATFORM_FILE_SIZE_H
#define YK_PLATFORM_FILE_SIZE_H

struct yk_file_size {
    int blocked; /* by us */
};

void yk_file_size_begin(struct yk_file_size *guard);
void yk_file_size_end(const struct yk_file_size *guard);

#endif
