/* denoise_machine.h - machines on which the diffusion is tested. */
#ifndef DENOISE_MACHINE_H
#define DENOISE_MACHINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <yoke/yoke.h>

struct machine {
    const char *devices, *partitioner;
};

/* NULL: this machine does not have the device. */
static inline yoke_runtime *open_machine(const struct machine *machine)
{
    const yoke_config config = { .devices = machine->devices, .partitioner = machine->partitioner };
    yoke_runtime *runtime = NULL;
    yoke_status status = yoke_open(&config, &runtime);
    if (!status)
        status = yoke_ready(runtime);
    if (!status)
        return runtime;
    yoke_close(runtime);
    if (status != YOKE_ENODEV)
        fail_msg("%s, %s: %s", machine->devices, machine->partitioner, yoke_error_text());
    return NULL;
}

#endif
