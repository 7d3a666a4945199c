/* cache_folder.h - where yoke keeps what makes later runs faster: compiled kernels, and what was
 * learned.
 *
 * Location: YOKE_CACHE, otherwise $XDG_CACHE_HOME/yoke, otherwise ~/.cache/yoke; YOKE_CACHE=off:
 * nowhere; YOKE_CACHE=on: as without it.
 */
#ifndef YK_PLATFORM_CACHE_FOLDER_H
#define YK_PLATFORM_CACHE_FOLDER_H

#include <stddef.h>

/* Sets "" if the cache is off, there is no home, or `capacity` is too small. */
void yk_cache_folder(char *path, size_t capacity);
/* 0 if files can be made in the folder, or the folder itself can be made; else an errno. Makes
 * nothing. */
int yk_folder_trouble(const char *folder);
/* Makes the folders of the file `path`, accessible by this user only. A failure shows when the file
 * is created. */
void yk_make_folders(const char *path);
/* 1 if `path`, which exists, is on a file system that several machines may write at the same time
 * (NFS, Lustre, ...): they cannot coordinate through shared memory. */
int yk_is_shared_by_machines(const char *path);

#endif
