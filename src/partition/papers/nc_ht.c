/* nc_ht.c - PURE. The non-collaborative host thread of Navarro et al., section 4.1: a thread that
 * drives a stream does nothing else until that stream gets no more. See host_threads.h. */
#include "host_threads.h"

static yoke_status open_nc_ht(const struct yk_split_view *view, const void *settings, void **state)
{
    struct yk_ht *ht;
    yoke_status status = yk_ht_open(view, settings, YK_HT_ALONE, &ht);
    if (status == YOKE_OK)
        *state = ht;
    return status;
}

static void take(void *state, const struct yk_request *request, struct yk_take *out)
{
    struct yk_ht *ht = state;
    int d, stream;
    if (yk_ht_is_gpu(ht->view, request->device))
        yk_ht_take_gpu(ht, request->device, request->lane, out);
    else if (!yk_ht_drives(ht, request->lane, &d, &stream))
        yk_ht_take_cpu(ht, out);
}

const struct yk_partitioner yk_partitioner_nc_ht = {
    .name = "nc-ht",
    .summary = "Navarro et al.: GPUs get their grain, cores chunks that last as long",
    .options = yk_ht_options,
    .settings_bytes = sizeof(struct yk_ht_settings),
    .hosts = YK_HOSTS_IDLE,
    .open = open_nc_ht,
    .close = yk_ht_close,
    .take = take,
    .observe = yk_ht_observe,
    .explain = yk_ht_explain,
};
