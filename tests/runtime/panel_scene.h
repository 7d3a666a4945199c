/* panel_scene.h - a small matrix, and jobs on some of its columns. Pinned blocks and staging
 * buffers are made small too, so that their bounds cut rows. */
#ifndef PANEL_SCENE_H
#define PANEL_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <yoke/yoke.h>

#include "array/copy.h"
#include "array/panel.h"
#include "base/alloc.h"
#include "job/runtime.h"
#include "job_kernels.h"
#include "ok.h"

enum { ROWS = 90, WIDTH = 70, PANELS = 4 };

static inline yoke_array *open_array(yoke_runtime *rt, void *host, int64_t rows, int64_t columns)
{
    yoke_array *array;
    OK(yoke_array_open(
        rt,
        &(yoke_array_spec){
            .host = host, .rows = rows, .row_elements = columns, .element_size = 4, .name = "m" },
        &array));
    return array;
}

static inline yoke_job columns_job(yoke_array *m, const tile_t *tile, const uint32_t *by)
{
    yoke_job job = { .kernel = &k_columns,
                     .range = { 0, ROWS },
                     .args = { yoke_value_of(tile, sizeof *tile), yoke_value_of(by, sizeof *by),
                               yoke_inout(m) } };
    return job;
}

static inline int make_small(void **state)
{
    (void)state;
    yk_pin_terms = (struct yk_pin_terms){ .page = 4096,
                                          .unit = 4096,
                                          .grain = 8192,
                                          .most = 8192,
                                          .pin_ns = 10,
                                          .pin_mib_ns = 80e3,
                                          .slow_mib_ns = 90e3,
                                          .fast_mib_ns = 18e3 };
    yk_stage_slot_bytes = 1000;
    yk_copy_small_bytes = 64;
    return 0;
}

static inline int none_left(void **state)
{
    (void)state;
    return yk_alloc_outstanding() == 0 ? 0 : -1;
}

#endif
