/* narrow_random.c - writes a C program that tests the 32-bit forms of random bodies.
 *
 *     narrow_random SEED COUNT > program.c
 *     cc -fsanitize=signed-integer-overflow -fsanitize-undefined-trap-on-error program.c && ./a.out
 *
 * In the program int64_t has 128 bits, so the bodies of the first entries are exact. In the second
 * entries everything is exact except 32-bit arithmetic, which traps if a number needs more than 32
 * bits. The program calls both at the limits of ranges for which the bounds hold, and compares. */
#include <stdio.h>
#include <stdlib.h>

#include "access/narrow.h"
#include "narrow_body.h"

enum { BITS = 96, PLACES = 60 };

static int64_t any_size(void)
{
    static const int64_t sizes[] = { 1,
                                     2,
                                     7,
                                     33,
                                     1000,
                                     46340,
                                     46341,
                                     65536,
                                     1 << 20,
                                     1 << 28,
                                     1 << 30,
                                     2147483,
                                     INT32_MAX - 4,
                                     INT32_MAX,
                                     INT64_C(1) << 31,
                                     INT64_C(1) << 32 };
    return sizes[narrow_body_below(sizeof sizes / sizeof *sizes)] - (int64_t)narrow_body_below(2);
}

/* Writes the places at which the bounds hold; returns their number. */
static int write_places(struct yk_narrow *narrow)
{
    int count = 0;
    for (int p = 0; p < PLACES; p++) {
        const int64_t rows = any_size() + 1,
                      columns = p % 3 ? 1 + (int64_t)narrow_body_below(40) : any_size() + 1;
        const int64_t first = p % 4 ? 0 : rows / 2, n = any_size();
        const int64_t m = p % 2 ? (int64_t)narrow_body_below(100) - 50 : any_size() % INT32_MAX;
        const struct yk_bounds_place place = {
            .index = { { first, rows - 1 }, { 0, columns - 1 }, { 0, 0 } },
            .size = { columns, 1 },
            .value = { n, m },
        };
        if (!yk_bounds_hold(&narrow->bounds, &place))
            continue;
        printf("    { %lldL, %lldL, %lldL, %lldL, %lldL },\n", (long long)first, (long long)rows,
               (long long)columns, (long long)n, (long long)m);
        count++;
    }
    return count;
}

static const char preamble[] =
    "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "typedef int64_t number;\n#define int64_t __int128\n#define YOKE_ENTRY static "
    "__attribute__((unused))\n"
    "#define YOKE_FN static __attribute__((unused))\n#define YOKE_GLOBAL\n";
/* A macro, because the parameters of the second entries have different types. */
static const char comparing[] =
    "struct place { number first, rows, columns, n, m; };\n"
    "static const int32_t a[16] = { 0, 1, -1, 5, 2147483647, -2147483647 - 1, 77, 3, 9, -40, 1000, "
    "65536, 2, 6, 8, -7 };\n"
    "static const int64_t b[16] = { 0, -1, (int64_t)1 << 39, 5, 77, 12, 3, -((int64_t)1 << 33), 8, "
    "1, 2, 3, 4, 5, 6, 7 };\n"
    "static const uint8_t c[16] = { 0, 255, 3, 7, 1, 2, 90, 128, 5, 6, 7, 8, 9, 10, 11, 12 };\n"
    "static const uint32_t d[16] = { 0, 1, 4000000000u, 3, 7, 9, 4294967295u, 12, 2, 6, 5 };\n"
    "#define compare(k, wide, narrow, places) for (const struct place *at = places; at->first >= "
    "0; "
    "at++) { const struct place p = *at; \\\n"
    "    const number is[5] = { p.first, p.first + (p.rows - p.first) / 2, p.rows - 1, \\\n"
    "        p.first + (p.rows - p.first) / 7, p.rows - 1 - (p.rows - 1 - p.first) / 5 }; \\\n"
    "    const number js[4] = { 0, p.columns / 2, p.columns - 1, p.columns / 3 }; \\\n"
    "    for (int u = 0; u < 5; u++) for (int v = 0; v < 4; v++) { \\\n"
    "        int64_t y[8] = { 0 }, z[8] = { 0 }; \\\n"
    "        wide(is[u], js[v], p.columns, 1, p.n, (int32_t)p.m, a, b, c, d, y); \\\n"
    "        narrow(is[u], js[v], p.columns, 1, p.n, (int32_t)p.m, a, b, c, d, z); \\\n"
    "        if (memcmp(y, z, sizeof y)) { printf(\"kernel %d differs at %ld %ld\\n\", k, \\\n"
    "            (long)is[u], (long)js[v]); exit(1); } } }\n";

int main(int argc, char **argv)
{
    narrow_body_begin(argc > 1 ? strtoull(argv[1], NULL, 0) : 1, BITS);
    const int count = argc > 2 ? atoi(argv[2]) : 100;
    int kernels = 0, calls = 0;
    fputs(preamble, stdout);
    fputs(comparing, stdout);
    for (int number = 0; number < count; number++) {
        char name[16];
        struct yk_narrow narrow;
        snprintf(name, sizeof name, "k%d", number);
        const yoke_kernel kernel = { .struct_size = sizeof kernel,
                                     .name = name,
                                     .params = narrow_body_params,
                                     .param_count = NARROW_BODY_PARAMS,
                                     .dimensions = 2 };
        const char *text =
            narrow_body_write(number, "YOKE_ENTRY void yoke_entry_k%d(void) { (void)%d; }");
        yk_narrow_open(&kernel, text, &narrow);
        if (!narrow.text)
            continue;
        printf("%s%s\nstatic const struct place places_of_k%d[] = {\n", text, narrow.text, number);
        calls += write_places(&narrow);
        printf("    { -1, 0, 0, 0, 0 } };\n#line 1 \"program\"\n"
               "#define HAS_%d compare(%d, yk_body_k%d, yk_body32_k%d, places_of_k%d)\n",
               number, number, number, number, number);
        kernels++;
        yk_narrow_close(&narrow);
    }
    printf("int main(void)\n{\n");
    for (int number = 0; number < count; number++)
        printf("#ifdef HAS_%d\n    HAS_%d;\n#endif\n", number, number);
    printf(
        "    printf(\"%d of %d kernels have a second entry, %d places\\n\");\n    return %d;\n}\n",
        kernels, count, calls, kernels == 0 || calls < kernels);
    return 0;
}
