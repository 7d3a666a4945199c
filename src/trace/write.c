/* write.c - a trace to a file: format by suffix, text as JSON requires it, errors with their cure.
 */
#include <string.h>
#include <strings.h>

#include "../base/status.h"
#include "../platform/new_file.h"
#include "trace_state.h"

static int ends_in(const char *path, const char *suffix)
{
    size_t length = strlen(path), wanted = strlen(suffix);
    return length > wanted && strcasecmp(path + length - wanted, suffix) == 0;
}

yoke_status yk_trace_write(const struct yk_trace *trace, const char *path)
{
    struct yk_new_file file;
    int page = ends_in(path, ".html"), failed;
    if (!page && !ends_in(path, ".json"))
        return yk_fail(YOKE_EINVAL,
                       "%s: a timeline's name ends in .html (a page) or .json (Chrome trace); "
                       "choose one",
                       path);
    failed = yk_new_file_open(&file, path);
    if (!failed) {
        (page ? yk_trace_put_page : yk_trace_put_chrome)(trace, file.stream);
        failed = yk_new_file_finish(&file);
    }
    if (failed)
        return yk_fail(YOKE_EIO, "%s: %s; the timeline was not written, choose another place", path,
                       strerror(failed));
    return YOKE_OK;
}

/* Length of the UTF-8 character at text; 0 if there is none (also for overlong forms and halves of
 * surrogate pairs). */
static int character_bytes(const unsigned char *text)
{
    static const struct {
        unsigned char mask, lead;
        unsigned least;
    } forms[] = {
        { 0x80, 0, 0 }, { 0xE0, 0xC0, 0x80 }, { 0xF0, 0xE0, 0x800 }, { 0xF8, 0xF0, 0x10000 }
    };
    int form = 0, i;
    unsigned code;
    while (form < 4 && (text[0] & forms[form].mask) != forms[form].lead)
        form++;
    if (form == 4)
        return 0;
    code = text[0] & (unsigned char)~forms[form].mask;
    for (i = 1; i <= form; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3Fu);
    }
    if (code < forms[form].least || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        return 0;
    return form + 1;
}

void yk_trace_put_text(FILE *stream, const char *text)
{
    const unsigned char *at = (const unsigned char *)(text ? text : "");
    fputc('"', stream);
    while (*at) {
        int bytes = character_bytes(at);
        if (bytes == 0)
            fputs("\\ufffd", stream);
        else if (*at < 0x20 || strchr("\"\\<>&\x7f", *at))
            fprintf(stream, "\\u%04x", *at);
        else
            fwrite(at, 1, (size_t)bytes, stream);
        at += bytes ? bytes : 1;
    }
    fputc('"', stream);
}
