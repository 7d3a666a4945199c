/* yoke/yoke.h - everything. Whoever reads begins with status, device, runtime, array, kernel, job;
 * the others stand by themselves. Papers they cite by number are listed in docs/references.md. */
#ifndef YOKE_YOKE_H
#define YOKE_YOKE_H
#include <yoke/arg.h>
#include <yoke/array.h>
#include <yoke/device.h>
#include <yoke/doctor.h>
#include <yoke/explain.h>
#include <yoke/for.h>
#include <yoke/job.h>
#include <yoke/kernel.h>
#include <yoke/kernel_step.h>
#include <yoke/knowledge.h>
#include <yoke/link.h>
#include <yoke/model.h>
#include <yoke/reduce.h>
#include <yoke/runtime.h>
#include <yoke/simulate.h>
#include <yoke/status.h>
#include <yoke/type_of.h>
#include <yoke/weight.h>
#endif
