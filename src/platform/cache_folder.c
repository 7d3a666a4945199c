/* cache_folder.c - see cache_folder.h. */
#include "cache_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "../base/option.h"

void yk_cache_folder(char *path, size_t capacity)
{
    const char *own = yk_environment("YOKE_CACHE");
    const char *base = yk_environment("XDG_CACHE_HOME");
    const char *home = yk_environment("HOME");
    int length = 0;
    if (own && *own && !yk_option_is(own, "on"))
        length = yk_option_is(own, "off") ? 0 : snprintf(path, capacity, "%s", own);
    else if (base && base[0] == '/') /* the standard says that relative paths are ignored */
        length = snprintf(path, capacity, "%s/yoke", base);
    else if (home && *home)
        length = snprintf(path, capacity, "%s/.cache/yoke", home);
    if (length <= 0 || (size_t)length >= capacity)
        path[0] = 0;
}

int yk_folder_trouble(const char *folder)
{
    char part[PATH_MAX];
    struct stat info;
    snprintf(part, sizeof part, "%s", folder);
    while (stat(part, &info) != 0) { /* the nearest that exists */
        char *slash = strrchr(part, '/');
        if (errno != ENOENT)
            return errno;
        if (slash)
            slash[slash == part] = 0;
        else
            strcpy(part, ".");
    }
    if (!S_ISDIR(info.st_mode))
        return ENOTDIR;
    return faccessat(AT_FDCWD, part, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

void yk_make_folders(const char *path)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(part, 0700);
        *slash = '/';
    }
}

int yk_is_shared_by_machines(const char *path)
{
    static const unsigned long kinds[] = {
        0x6969,     /* NFS */
        0x0bd00bd0, /* Lustre */
        0x47504653, /* GPFS */
        0x19830326, /* BeeGFS */
        0xaad7aaea, /* Panasas */
        0x00c36400, /* Ceph */
        0x517b,     /* SMB */
        0xfe534d42, /* SMB 2 */
        0xff534d42, /* CIFS */
        0x01021997, /* 9P */
        0x5346414f, /* AFS */
        0x65735546, /* FUSE, which may be any of these */
        0x7461636f, /* OCFS2 */
        0x01161970, /* GFS2 */
    };
    struct statfs system;
    if (!*path || statfs(path, &system) != 0)
        return 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (((unsigned long)system.f_type & 0xffffffffu) == kinds[i])
            return 1;
    return 0;
}
