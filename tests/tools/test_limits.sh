#!/usr/bin/env bash
# test_limits.sh SOURCE_FOLDER - tools/limits.sh finds one planted violation of each kind, at its line, and nothing in clean code.
set -euo pipefail
command -v git >/dev/null || exit 77
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree"
git init -q .
mkdir -p tools src/base src/platform src/model src/knowledge src/partition src/array src/job src/runtime src/extra include/yoke apps tests
cp "$1/tools/limits.sh" "$1/tools/code.awk" tools/

cat >src/base/option.c <<'C'
const char *yk_environment(const char *variable)
{
    return getenv(variable);
}
C
cat >src/base/alloc.c <<'C'
void yk_free(void *block)
{
    free(block);
}
C
cat >src/runtime/clean.c <<'C'
/* Speaks of getenv("HOME"), malloc(3) and of freeing(), and
 * of pthread_create(). */
#include "../base/alloc.h"
#include "../partition/dispatch.h"
void yk_clean(struct place *place)
{
    place->device->backend->free(place, "malloc(1)"); // getenv(x)
    yk_fail('"', "free(");
}
C
cat >src/partition/clean.c <<'C'
#include "../base/alloc.h"
#include "../model/fit.h"
#include "dispatch.h"
int runtime(int timed)
{
    return snprintf(text, 3, "%d", timed);
}
C
branches() { for ((i = 0; i < $1; i++)); do echo "    if (a) b();"; done; }
cat >src/base/functions.c <<'C'
/* Five: a, b, c, d, e. */
static int four(int a, int (*b)(int, int, int), const char *c,
                int d)
{
    return five(a, b, c, d, "case ? && || if (for) while"); /* if (a && b) */
}
int yoke_public(int a, int b, int c, int d, int e)
{
    return iffy(a, b, c, d, e) + forward(b);
}
YOKE_KERNEL(five, i, YOKE_IN(float, a), YOKE_IN(float, b), YOKE_IN(float, c), YOKE_OUT(float, d))
{
    d[i] = a[i] + b[i] + c[i];
}
static void say(int a, int b, int c, const char *text, ...)
{
}
C
{ printf 'void fifteen(void)\n{\n'; branches 14; printf '}\n'; } >>src/base/functions.c
cat >src/knowledge/store_clean.c <<'C'
#include <sqlite3.h>
#include <time.h>
#include "../platform/thread.h"
int64_t yk_now(void)
{
    return time(NULL);
}
C
cat >tests/clean.c <<'C'
#include "../src/base/alloc.h"
void test(void)
{
    free(getenv("XXXXXX"));
}
C
printf '#include "base/closest.h"\n#include "own.h"\n' >apps/clean.c
echo 'int own;' >src/base/closest.h
mkdir docs
echo '| papers/001 | author: title |' >docs/references.md
echo '/* papers/001, section 2 */' >src/runtime/cites.c
git add .
tools/limits.sh || { echo "clean code is refused"; exit 1; }

lines() { for ((i = 0; i < $1; i++)); do echo "int i$i;"; done; }
{ echo '#include "../job/job.h"'; echo 'int x = getenv("A") != 0;'; echo 'void *p = malloc(3);'; } >src/platform/a.c
printf '#include "../platform/clock.h"\n#include <time.h>\nint64_t t = yk_clock_ns();\n_Atomic int x;\nFILE *f = fopen("a", "r");\n' \
    >src/partition/b.c
printf '/* a\n */ pthread_t t;\n' >src/array/coherence_x.c
printf '#ifdef __linux__\n#endif\n#include <dlfcn.h>\n' >src/runtime/c.c
printf '#include "../src/base/alloc.h"\nchar *e = getenv ("A");\n' >apps/d.c
printf '#include "../job/job.h"\n' >src/knowledge/store_b.c
echo 'int job;' >src/job/job.h
printf '#include "job/job.h"\n' >apps/root.c
printf '#include <sqlite3.h>\n#include "../platform/thread.h"\n#include "../knowledge/lesson.h"\n' >src/model/f.c
printf '#include "../../src/base/alloc.h"\n' >include/yoke/big.h
lines 300 >>include/yoke/big.h
lines 601 >tests/long.c
{ printf 'int a;\n{\n'; lines 99; printf '}\n'; printf '{\n'; lines 98; printf '}\n'; } >tests/function.c
cat >src/base/many.c <<'C'
static inline int five(int a, int (*b)(int, int, int), const char *c,
                       int d, int e)
{
    if (a && (d || e))
        for (a = 0; a < 3; a++)
            switch (d) {
            case 1: return e ? 1 : 2;
            }
    return 0;
}
C
{ printf 'void sixteen(void)\n{\n'; branches 10; printf '    while (a && b || c) d(e ? f : g ? h : i);\n}\n'; } >>src/base/many.c
printf '/* FIXM''E */\n' >tests/word.c
printf '# TO''DO\n' >tests/word.sh
printf 'int x;\n' >src/runtime/string_utils.c
printf 'int x;\n' >src/extra/e.c
printf '/* papers/001 and\n * papers/002 */\n' >src/runtime/g.c
git add .
cat >expected <<'T'
apps/d.c:1: includes src/base; only include/yoke is for others
apps/d.c:2: getenv; settings are read in src/base/option.c
apps/root.c:1: includes src/job/job.h; only include/yoke is for others
include/yoke/big.h:1: includes src/base; only include/yoke is for others
include/yoke/big.h:301: 300 lines at most
src/array/coherence_x.c:2: pure code uses threads, a clock, atomics or I/O
src/base/many.c:12: function of complexity 16; 15 at most
src/base/many.c:3: function of 5 parameters; 4 at most
src/extra/e.c:1: src/extra is no layer; name it in tools/limits.sh
src/knowledge/store_b.c:1: src/knowledge includes src/job, which is not below it
src/model/f.c:1: <sqlite3.h> belongs to src/knowledge/store*
src/model/f.c:2: pure code includes src/platform
src/model/f.c:2: src/model includes src/platform, which is not below it
src/model/f.c:3: src/model includes src/knowledge, which is not below it
src/partition/b.c:1: pure code includes src/platform
src/partition/b.c:1: src/partition includes src/platform, which is not below it
src/partition/b.c:2: pure code includes <time.h>
src/partition/b.c:3: pure code uses threads, a clock, atomics or I/O
src/partition/b.c:4: pure code uses threads, a clock, atomics or I/O
src/partition/b.c:5: pure code uses threads, a clock, atomics or I/O
src/platform/a.c:1: src/platform includes src/job, which is not below it
src/platform/a.c:2: getenv; settings are read in src/base/option.c
src/platform/a.c:3: memory not from src/base/alloc.h
src/runtime/c.c:1: an operating system is named outside of src/platform
src/runtime/c.c:3: <dlfcn.h> belongs to src/platform
src/runtime/g.c:2: papers/002 is not in docs/references.md
src/runtime/string_utils.c:1: a file is named for the noun it owns
tests/function.c:2: function of 101 lines; 100 at most
tests/long.c:601: 600 lines at most
tests/word.c:1: unfinished work is an issue, not a comment
T
if tools/limits.sh >found; then
    echo "violations pass"
    exit 1
fi
grep -q '^tests/word.sh:1:' found
grep '^[a-z/_]*\.[ch]:' found | LC_ALL=C sort | diff expected -
