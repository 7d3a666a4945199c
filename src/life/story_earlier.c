/* story_earlier.c - yoke/explain.h: the stories of earlier runtimes, read from the knowledge base.
 */
#include <string.h>
#include <yoke/explain.h>

#include "../base/alloc.h"
#include "../base/option.h"
#include "../base/status.h"
#include "../knowledge/store.h"

yoke_status yoke_story_open(const char *knowledge, int back, char **out)
{
    const struct yk_store_spec spec = { .path = knowledge };
    struct yk_store *store = NULL;
    char why[YK_STORE_WHY];
    yoke_status status;
    if (!out || back < 0)
        return yk_fail(YOKE_EINVAL, "yoke_story_open: %s",
                       out ? "back is less than 0; 0 is the latest" : "out is NULL");
    if (yk_option_is(knowledge, "off"))
        return yk_fail(YOKE_EINVAL, "yoke_story_open: there are no stories in \"off\"");
    status = yk_store_open(&spec, &store);
    if (status != YOKE_OK)
        return status;
    yk_store_trouble(store, why);
    if (*why)
        status = yk_fail(
            YOKE_EIO, "the knowledge base, which keeps what programs did, is of no use: %s", why);
    else
        *out = yk_store_run(store, back);
    yk_store_close(store);
    return status;
}

void yoke_story_close(char *story)
{
    yk_free(story);
}
