/* photons_mci_file.c - reads a description of tissue from a file, or returns the built-in one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../app.h"
#include "photons_mci.h"

enum { FILE_MOST = 1 << 20 };

/* Returns the number of the text's last line. */
static int line_of(const char *text)
{
    int line = 1;
    for (; *text; text++)
        line += *text == '\n';
    return line;
}

/* The file's text, with a 0 at its end; free(). */
static yoke_status read_file(const char *path, char **out)
{
    FILE *file = fopen(path, "rb");
    char *text = malloc(FILE_MOST + 2);
    size_t size = 0;
    yoke_status status = YOKE_OK;
    if (!file)
        status = app_fail(YOKE_EIO, "cannot read %s: %s; name a .mci file with --input", path,
                          strerror(errno));
    else if (!text)
        status = app_fail(YOKE_ENOMEM, "no memory to read %s", path);
    else
        size = fread(text, 1, FILE_MOST + 1, file);
    if (status == YOKE_OK && ferror(file))
        status = app_fail(YOKE_EIO, "cannot read %s: %s; name a .mci file with --input", path,
                          strerror(errno));
    else if (status == YOKE_OK && size > FILE_MOST)
        status = app_fail(YOKE_EINVAL, "%s has more than 1 MiB and is no .mci file", path);
    if (status == YOKE_OK) {
        text[size] = 0;
        if (strlen(text) < size)
            status = app_fail(YOKE_EINVAL, "%s:%d: a byte of 0, so this is no .mci file", path,
                              line_of(text));
    }
    if (file)
        fclose(file);
    if (status == YOKE_OK)
        *out = text;
    else
        free(text);
    return status;
}

yoke_status mci_load(const char *path, int64_t which, struct mci_run *out)
{
    char *text;
    yoke_status status = read_file(path, &text);
    if (status != YOKE_OK)
        return status;
    status = mci_read(&(struct mci_text){ path, text }, which, out);
    free(text);
    return status;
}

/* The slab that MCML's authors used as their first check: van de Hulst's tables give its
 * reflectance and transmittance to five digits. Half of the light that it absorbs is sent out
 * again, to show fluorescence. */
yoke_status mci_default(struct mci_run *out)
{
    static const char text[] = "1.0\n1\nslab.mco A\n1000000\n2e-4 2e-3\n100 100 30\n1\n1.0\n"
                               "1.0 10 90 0.75 0.02  yield 0.5 1.0 10 90 0.75\n1.0\n";
    return mci_read(&(struct mci_text){ "the built-in slab", text }, 1, out);
}
