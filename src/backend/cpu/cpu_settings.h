/* cpu_settings.h - what find() leaves for open(): the options of a device spec and the cores.
 */
#ifndef YK_BACKEND_CPU_CPU_SETTINGS_H
#define YK_BACKEND_CPU_CPU_SETTINGS_H

#include "cpu_device.h"

struct cpu_settings {
    int variant; /* 0: auto; otherwise the number of the variant to use, plus 1 */
    int ignores_affinity;
    int cpus[YK_CPU_CORES_MAX];
};

extern const struct yk_option yk_cpu_options[];
yoke_status yk_cpu_find(const struct yk_device_spec *spec, int asked, struct yk_device_list *list,
                        char *why);

#endif
