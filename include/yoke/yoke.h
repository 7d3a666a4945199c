/* yoke/yoke.h - everything, in reading order. */
#ifndef YOKE_YOKE_H
#define YOKE_YOKE_H
#include <yoke/array.h>
#include <yoke/device.h>
#include <yoke/doctor.h>
#include <yoke/explain.h>
#include <yoke/job.h>
#include <yoke/kernel.h>
#include <yoke/kernel_step.h>
#include <yoke/knowledge.h>
#include <yoke/link.h>
#include <yoke/model.h>
#include <yoke/runtime.h>
#include <yoke/status.h>
#include <yoke/weight.h>
#endif
