/* yoke/yoke.h - everything. Read status, device, runtime, array, kernel and job first; the others
 * are independent.
 *
 * docs/ is installed beside the library, in share/doc/yoke. docs/tutorial.md is where to begin,
 * docs/concepts.md explains the terms, and docs/references.md lists the papers cited by number. */
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
