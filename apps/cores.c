/* cores.c - a handwritten kernel whose one argument says what to call. */
#include "cores.h"

#include "stop.h"

static void call_blocks(void *const *args, const yoke_chunk *chunk)
{
    const struct cores_work *work = args[0];
    int64_t b;
    for (b = chunk->first; b < chunk->last; b++)
        work->block(work->context, b);
}

static const yoke_param parameters[] = {
    { YOKE_PARAM_VALUE, "struct cores_work", "work", sizeof(struct cores_work),
      _Alignof(struct cores_work) },
};

static const yoke_kernel blocks = {
    .struct_size = sizeof blocks,
    .kind = YOKE_KERNEL_NATIVE,
    .name = "blocks",
    .file = __FILE__,
    .params = parameters,
    .param_count = 1,
    .cpu.variant = { call_blocks },
};

yoke_status cores_open(yoke_runtime **out)
{
    const yoke_config config = { .devices = "cpu", .knowledge = "off" };
    yoke_status status = yoke_open(&config, out);
    if (status != YOKE_OK)
        return status;
    status = app_stop_watch(*out);
    if (status != YOKE_OK)
        yoke_close(*out);
    return status;
}

yoke_status cores_close(yoke_runtime *cores)
{
    if (cores)
        app_stop_forget(cores);
    return cores ? yoke_close(cores) : YOKE_OK;
}

/* Each block is long enough to be handed out on its own. */
yoke_status cores_run(yoke_runtime *cores, const struct cores_work *work)
{
    const yoke_job job = { .kernel = &blocks,
                           .range = { .last = work->blocks },
                           .args = { yoke_value(*work) },
                           .partitioner = "dynamic:chunk=1",
                           .name = work->name };
    yoke_status status = app_stop_check();
    return status == YOKE_OK ? yoke_run(cores, &job, NULL) : status;
}

yoke_status cores_run_once(const struct cores_work *work)
{
    yoke_runtime *cores;
    yoke_status closed, status = cores_open(&cores);
    if (status != YOKE_OK)
        return status;
    status = cores_run(cores, work);
    closed = cores_close(cores);
    return status != YOKE_OK ? status : closed;
}

struct cores_span cores_span(int64_t count, int64_t parts, int64_t block)
{
    const int64_t share = count / parts, rest = count % parts;
    const int64_t first = block * share + (block < rest ? block : rest);
    return (struct cores_span){ first, first + share + (block < rest) };
}
