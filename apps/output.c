/* output.c - see output.h. */
#include "output.h"

#include <string.h>

#include "app.h"
#include "platform/new_file.h"

yoke_status output_write(const struct output *output)
{
    struct yk_new_file file;
    int wrong = yk_new_file_open(&file, output->path);
    if (wrong)
        return app_fail(YOKE_EIO,
                        "cannot create %s %s: %s; choose an --output in a folder that exists and "
                        "can be written",
                        output->what, output->path, strerror(wrong));
    yoke_status status = output->write(output, file.stream);
    if (status != YOKE_OK) {
        yk_new_file_drop(&file);
        return status;
    }
    wrong = yk_new_file_finish(&file);
    if (wrong)
        return app_fail(YOKE_EIO, "cannot write %s %s: %s; make room or choose another --output",
                        output->what, output->path, strerror(wrong));
    return YOKE_OK;
}
