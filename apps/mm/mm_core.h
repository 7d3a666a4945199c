/* mm_core.h - which of its sets of kernels ("cores") OpenBLAS should use on a processor. PURE but
 * for the question what the processor has.
 *
 * A library that is older than the processor does not know it: 0.3.21 takes a Xeon with AMX for a
 * Prescott of 2004, whose SSE3 is a sixth of its speed at best. It goes by OPENBLAS_CORETYPE where
 * that is set when it is loaded.
 */
#ifndef YOKE_APPS_MM_CORE_H
#define YOKE_APPS_MM_CORE_H

#define MM_CORE_VARIABLE "OPENBLAS_CORETYPE"

enum mm_core_level { MM_CORE_OLD, MM_CORE_AVX2, MM_CORE_AVX512 };

/* What the processor has, and the system lets programs use. */
enum mm_core_level mm_core_of_processor(void);
/* The core to ask for instead of the one the library chose; NULL: that one is as good as the
 * processor, or not known here. */
const char *mm_core_instead(const char *chosen, enum mm_core_level processor);

#endif
