/* queued_steps_kernels.h - see queued_steps.c. */
#ifndef QUEUED_STEPS_KERNELS_H
#define QUEUED_STEPS_KERNELS_H
#include <yoke/job.h>

extern const yoke_kernel add_half, take_half;

#endif
