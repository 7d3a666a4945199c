/* fuzz_narrow.c - any text as the body of a kernel, and any text as a whole kernel.
 *
 * Properties: no crash, nothing leaks; a second entry has the names by which it is called, and its
 * brackets match like those of the first; its bounds can be evaluated for any sizes. */
#include "fuzz.h"

#include "access/narrow.h"
#include "base/alloc.h"

#define PARAMETERS "int64_t n , int32_t m , const float *x , int64_t *y "
#define HEAD       "(int64_t i, int64_t j, int64_t yk_size2, int64_t yk_size3 , " PARAMETERS ")"
static const char head[] = "enum { SIX = 6 };\ntypedef int64_t wide;\nvoid yk_body_k" HEAD
                           "; void yoke_entry_k(" PARAMETERS
                           ") { yk_body_k(0, 0, 1, 1, n, m, x, y); } void yk_body_k" HEAD "\n{";
static const yoke_param params[] = { { YOKE_PARAM_VALUE, "int64_t", "n", 8, 8 },
                                     { YOKE_PARAM_VALUE, "int32_t", "m", 4, 4 },
                                     { YOKE_PARAM_IN, "float", "x", 4, 4 },
                                     { YOKE_PARAM_OUT, "int64_t", "y", 8, 8 } };
static const yoke_kernel kernel = {
    .struct_size = sizeof kernel, .name = "k", .params = params, .param_count = 4, .dimensions = 2
};

static void check_bounds(struct yk_narrow *narrow)
{
    static const int64_t sizes[] = { 1, 1000, 65536, INT32_MAX, INT64_C(1) << 40, INT64_MAX };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const struct yk_bounds_place place = {
            .index = { { 0, sizes[s] - 1 }, { 0, sizes[5 - s] - 1 }, { 0, 0 } },
            .size = { sizes[5 - s], 1 },
            .value = { sizes[s], -(int64_t)s },
        };
        const int holds = yk_bounds_hold(&narrow->bounds, &place);
        FUZZ_CHECK(holds == yk_bounds_hold(&narrow->bounds, &place));
    }
}

static void check_text(const char *text)
{
    struct yk_narrow narrow;
    yk_narrow_open(&kernel, text, &narrow);
    if (narrow.text) {
        FUZZ_CHECK(strstr(narrow.text, "yk_body32_k") && strstr(narrow.text, "yoke_entry32_k"));
        check_bounds(&narrow);
    } else {
        FUZZ_CHECK(!narrow.bounds.nodes);
    }
    yk_narrow_close(&narrow);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int64_t held = yk_alloc_outstanding();
    char *text = fuzz_text(bytes, size);
    const size_t room = sizeof head + strlen(text) + 4;
    char *whole = malloc(room);
    FUZZ_CHECK(whole);
    snprintf(whole, room, "%s%s\n}", head, text);
    check_text(whole);
    check_text(text);
    free(whole);
    free(text);
    FUZZ_CHECK(yk_alloc_outstanding() == held);
    return 0;
}
