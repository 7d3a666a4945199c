/* sparse_load.c - chooses the reader for a file. */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "../app.h"
#include "sparse.h"

typedef yoke_status reader(FILE *file, const char *path, const struct sparse_file *how,
                           struct sparse *out);

static reader *reader_of(const char *path)
{
    static const struct {
        const char *ending;
        reader *read;
    } readers[] = {
        { ".mtx", sparse_read_market }, { ".graph", sparse_read_graph },
        { ".rua", sparse_read_boeing }, { ".rsa", sparse_read_boeing },
        { ".rza", sparse_read_boeing }, { ".rra", sparse_read_boeing },
        { ".pua", sparse_read_boeing }, { ".psa", sparse_read_boeing },
        { ".pra", sparse_read_boeing }, { ".rb", sparse_read_boeing },
        { ".hb", sparse_read_boeing },
    };
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot && k < sizeof readers / sizeof *readers; k++)
        if (strcasecmp(dot, readers[k].ending) == 0)
            return readers[k].read;
    return NULL;
}

yoke_status sparse_load(const char *path, const struct sparse_file *how, struct sparse *out)
{
    static const char cure[] = "name a .mtx, .graph, .rua, .rsa or other Harwell-Boeing file";
    reader *read = reader_of(path);
    struct stat about;
    FILE *file;
    yoke_status status;
    if (!read)
        return app_fail(YOKE_EINVAL, "%s is no kind of matrix that is known; %s", path, cure);
    if (stat(path, &about))
        return app_fail(YOKE_EIO, "cannot read %s: %s; %s", path, strerror(errno), cure);
    if (!S_ISREG(about.st_mode))
        return app_fail(YOKE_EIO, "cannot read %s: it is no regular file; %s", path, cure);
    file = fopen(path, "rb");
    if (!file)
        return app_fail(YOKE_EIO, "cannot read %s: %s; %s", path, strerror(errno), cure);
    status = read(file, path, how, out);
    fclose(file);
    if (status == YOKE_OK)
        snprintf(out->source, sizeof out->source, "%s", path);
    return status;
}
