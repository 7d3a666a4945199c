/* fuzz_devices.c - any text as a list of devices ("cpu:8,opencl:1:mem=256M").
 *
 * Properties: a refused text gives a reason and leaves the outputs unchanged; an accepted one has
 * one spec more than commas, each with a backend; the specs written out again are read as the same;
 * settings of a spec are read or refused without accessing a device; nothing leaks. */
#include "fuzz.h"

#include "backend/backend.h"
#include "base/alloc.h"

static int count_commas(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += *text == ',';
    return count;
}

static char *write_out(const struct yk_device_spec *specs, int count)
{
    size_t size = 1, used = 0;
    char *text;
    int i;
    for (i = 0; i < count; i++)
        size += strlen(specs[i].backend->name) + strlen(specs[i].selector) +
                strlen(specs[i].settings) + 3;
    text = malloc(size);
    FUZZ_CHECK(text);
    for (i = 0; i < count; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s%s%s%s%s", i ? "," : "",
                             specs[i].backend->name, specs[i].selector[0] ? ":" : "",
                             specs[i].selector, specs[i].settings[0] ? ":" : "", specs[i].settings);
    return text;
}

static void read_settings(const struct yk_device_spec *spec)
{
    void *settings = NULL;
    yoke_status status = yk_device_settings_open(spec, &settings);
    FUZZ_CHECK(status == YOKE_OK || (status == YOKE_EINVAL && !settings && yoke_error_text()[0]));
    if (status == YOKE_OK)
        yk_device_settings_close(spec->backend, settings);
}

/* Blanks around commas are not kept. */
static int are_same_but_for_blanks(const char *written, const char *text)
{
    for (; *text; text++)
        if (*text == *written)
            written++;
        else if (*text != ' ' && *text != '\t')
            return 0;
    return *written == 0;
}

static void check_specs(const char *text, const struct yk_device_spec *specs, int count)
{
    struct yk_device_spec *again = NULL;
    char *written;
    int i, again_count = 0;
    FUZZ_CHECK(count == count_commas(text) + 1);
    for (i = 0; i < count; i++) {
        FUZZ_CHECK(specs[i].backend);
        FUZZ_CHECK(memchr(specs[i].selector, 0, sizeof specs[i].selector));
        FUZZ_CHECK(memchr(specs[i].settings, 0, sizeof specs[i].settings));
        FUZZ_CHECK(!strchr(specs[i].selector, '=') && !strchr(specs[i].selector, ','));
        read_settings(&specs[i]);
    }
    written = write_out(specs, count);
    FUZZ_CHECK(are_same_but_for_blanks(written, text));
    FUZZ_CHECK(yk_device_specs_parse(written, &again, &again_count) == YOKE_OK);
    FUZZ_CHECK(again_count == count);
    for (i = 0; i < count; i++)
        FUZZ_CHECK(again[i].backend == specs[i].backend &&
                   strcmp(again[i].selector, specs[i].selector) == 0 &&
                   strcmp(again[i].settings, specs[i].settings) == 0);
    yk_free(again);
    free(written);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct yk_device_spec *specs = NULL;
    int64_t held = yk_alloc_outstanding();
    char *text = fuzz_text(bytes, size);
    int count = 77;
    yoke_status status = yk_device_specs_parse(text, &specs, &count);
    if (status != YOKE_OK) {
        FUZZ_CHECK(status == YOKE_EINVAL && yoke_error_text()[0]);
        FUZZ_CHECK(!specs && count == 77);
    } else if (!text[0]) {
        FUZZ_CHECK(count == 0);
    } else {
        check_specs(text, specs, count);
    }
    yk_free(specs);
    free(text);
    FUZZ_CHECK(yk_alloc_outstanding() == held);
    return 0;
}
