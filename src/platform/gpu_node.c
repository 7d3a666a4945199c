/* gpu_node.c - whether a GPU's driver has left a trace in the file system. Costs a few system
 * calls; asking the drivers themselves costs tens of milliseconds.
 */
#include "limits.h"
#include "topology.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "lines.h"

static int folder_has(const char *root, const char *folder, const char *prefix)
{
    char path[yk_path_bytes];
    snprintf(path, sizeof path, "%s%s", root, folder);
    DIR *open_folder = opendir(path);
    if (!open_folder) {
        return 0;
    }
    int found = 0;
    for (struct dirent *entry; !found && (entry = readdir(open_folder));) {
        found = strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    }
    closedir(open_folder);
    return found;
}

int yk_gpu_present_under(const char *root)
{
    static const struct {
        const char *folder, *prefix;
    } traces[] = {
        { "/dev", "nvidia" },
        /* this file exists when the module is loaded; CUDA makes its nodes at first use */
        { "/proc/driver/nvidia", "version" },
        { "/dev/dri", "renderD" },
        { "/dev", "kfd" },
        { "/dev", "dxg" },
    };
    int found = 0;
    for (size_t i = 0; !found && i < sizeof traces / sizeof *traces; i++) {
        found = folder_has(root, traces[i].folder, traces[i].prefix);
    }
    return found;
}

int yk_gpu_present(void)
{
    return yk_gpu_present_under("");
}
