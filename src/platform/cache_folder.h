/* cache_folder.h - where yoke keeps what makes the next run faster: compiled kernels, and what was
 * learned.
 *
 * Place: YOKE_CACHE, else $XDG_CACHE_HOME/yoke, else ~/.cache/yoke; YOKE_CACHE=off: nowhere.
 */
#ifndef YK_PLATFORM_CACHE_FOLDER_H
#define YK_PLATFORM_CACHE_FOLDER_H

#include <stddef.h>

/* "" if switched off, without a home, or if `capacity` is too small. */
void yk_cache_folder(char *path, size_t capacity);
/* The folders that the file `path` lies in, for this user only. Whether that failed shows when the
 * file is created. */
void yk_make_folders(const char *path);
/* 1 if `path`, which exists, is on a file system that several machines may write at once (NFS,
 * Lustre, ...): they share no memory to coordinate by. */
int yk_is_shared_by_machines(const char *path);

#endif
