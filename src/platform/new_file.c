/* new_file.c - written under a name with the process's number, then renamed. */
#include "new_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int yk_new_file_open(struct yk_new_file *file, const char *path)
{
    struct stat there;
    int exists = stat(path, &there) == 0;
    int direct = exists && !S_ISREG(there.st_mode);
    if (strlen(path) >= sizeof file->path)
        return ENAMETOOLONG;
    if (exists && S_ISDIR(there.st_mode))
        return EISDIR;
    snprintf(file->path, sizeof file->path, "%s", path);
    file->temporary[0] = '\0';
    if (!direct)
        snprintf(file->temporary, sizeof file->temporary, "%s.%ld.new", path, (long)getpid());
    file->stream = fopen(direct ? path : file->temporary, "we");
    return file->stream ? 0 : errno;
}

int yk_stream_trouble(FILE *stream)
{
    int failed = ferror(stream);
    if (fflush(stream) != 0)
        return errno;
    if (!failed)
        return 0;
    /* The write that failed has left no cause; one more is told it. */
    clearerr(stream);
    return fputc('\n', stream) == EOF || fflush(stream) != 0 ? errno : EIO;
}

int yk_new_file_finish(struct yk_new_file *file)
{
    int failed = yk_stream_trouble(file->stream);
    if (fclose(file->stream) != 0 && !failed)
        failed = errno;
    if (!failed && file->temporary[0] && rename(file->temporary, file->path) != 0)
        failed = errno;
    if (failed && file->temporary[0])
        unlink(file->temporary);
    file->stream = NULL;
    return failed;
}

void yk_new_file_drop(struct yk_new_file *file)
{
    fclose(file->stream);
    if (file->temporary[0])
        unlink(file->temporary);
    file->stream = NULL;
}
