/* new_file.c - a file is written as PATH.PROCESS.NUMBER.new, then renamed.
 *
 * Other users may write to the folder: the temporary file is always new (O_EXCL) and never opened
 * through a link. If the path is a link, the link stays and the file it points to is replaced.
 */
#include "new_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100, OPEN_MOST = 8 };

/* The open files. If there are more, the next writer's remove_orphans removes those left over. */
static struct yk_new_file *_Atomic open_files[OPEN_MOST];

static void replace(struct yk_new_file *from, struct yk_new_file *to)
{
    for (int f = 0; f < OPEN_MOST; f++) {
        struct yk_new_file *expected = from;
        if (atomic_compare_exchange_strong(&open_files[f], &expected, to))
            return;
    }
}

void yk_new_files_abandon(void)
{
    for (int f = 0; f < OPEN_MOST; f++) {
        struct yk_new_file *file = atomic_load(&open_files[f]);
        if (file && file->temporary[0])
            unlink(file->temporary);
    }
}

/* Finds the end of a chain of links, whether or not there is a file. Returns 0 or an errno. */
static int follow_links(const char *path, char *out, size_t room)
{
    char target[PATH_MAX];
    if (strlen(path) >= room)
        return ENAMETOOLONG;
    strcpy(out, path);
    for (int links = 0; links < 40; links++) {
        ssize_t length = readlink(out, target, sizeof target - 1);
        if (length < 0)
            return 0;
        target[length] = '\0';
        char *slash = strrchr(out, '/');
        size_t folder = target[0] == '/' || !slash ? 0 : (size_t)(slash - out) + 1;
        if (folder + (size_t)length >= room)
            return ENAMETOOLONG;
        strcpy(out + folder, target);
    }
    return ELOOP;
}

/* The number of the process that writes `name`, a temporary file of `base`; 0: it is not one. */
static long writer_of(const char *name, const char *base)
{
    size_t length = strlen(base);
    char *end;
    if (strncmp(name, base, length) != 0 || name[length] != '.')
        return 0;
    long process = strtol(name + length + 1, &end, 10);
    if (process <= 0 || *end != '.')
        return 0;
    strtol(end + 1, &end, 10);
    return strcmp(end, ".new") == 0 ? process : 0;
}

/* Removes files of processes that were killed: only this user's; a file that cannot be removed
 * stays. */
static void remove_orphans(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char folder[yk_new_file_path_bytes] = ".";
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    DIR *entries = opendir(folder);
    struct stat about;
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        long process = writer_of(entry->d_name, base);
        if (process && kill((pid_t)process, 0) != 0 && errno == ESRCH &&
            fstatat(dirfd(entries), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(about.st_mode) && about.st_uid == geteuid())
            unlinkat(dirfd(entries), entry->d_name, 0);
    }
    if (entries)
        closedir(entries);
}

static int open_temporary(struct yk_new_file *file)
{
    int opened = -1;
    for (int n = 0; n < TRIES && opened < 0; n++) {
        snprintf(file->temporary, sizeof file->temporary, "%s.%ld.%d.new", file->path,
                 (long)getpid(), n);
        replace(n ? file : NULL, file); /* before the file exists: a signal may come at any time */
        opened = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (opened < 0 && errno != EEXIST)
            break;
    }
    return opened;
}

int yk_new_file_open(struct yk_new_file *file, const char *path)
{
    struct stat there;
    int failed = follow_links(path, file->path, sizeof file->path);
    if (failed)
        return failed;
    int exists = stat(file->path, &there) == 0;
    file->temporary[0] = '\0';
    if (exists && S_ISDIR(there.st_mode))
        return EISDIR;
    if (exists && access(file->path, W_OK) != 0)
        return errno;
    if (exists && !S_ISREG(there.st_mode)) {
        file->stream = fopen(file->path, "we");
        return file->stream ? 0 : errno;
    }
    remove_orphans(file->path);
    int opened = open_temporary(file);
    if (opened < 0) {
        failed = errno;
        replace(file, NULL);
        return failed;
    }
    if (exists)
        fchmod(opened, there.st_mode & 07777); /* on a file system without modes this has no
                                                * effect */
    file->stream = fdopen(opened, "w");
    if (file->stream)
        return 0;
    failed = errno;
    close(opened);
    unlink(file->temporary);
    replace(file, NULL);
    return failed;
}

int yk_stream_trouble(FILE *stream)
{
    int failed = ferror(stream);
    if (fflush(stream) != 0)
        return errno;
    if (!failed)
        return 0;
    /* The write that failed left no cause, so try one more. */
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
    replace(file, NULL);
    file->stream = NULL;
    return failed;
}

void yk_new_file_drop(struct yk_new_file *file)
{
    fclose(file->stream);
    if (file->temporary[0])
        unlink(file->temporary);
    replace(file, NULL);
    file->stream = NULL;
}
