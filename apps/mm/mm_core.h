/* mm_core.h - which of its sets of kernels ("cores") OpenBLAS should use on a processor. PURE
 * except for reading what the processor has.
 *
 * A library older than the processor does not know it: 0.3.21 takes a Xeon with AMX for a Prescott
 * of 2004, whose SSE3 reaches at best a sixth of its speed. OpenBLAS uses OPENBLAS_CORETYPE if that
 * is set when it is loaded.
 */
#ifndef YOKE_APPS_MM_CORE_H
#define YOKE_APPS_MM_CORE_H

#define MM_CORE_VARIABLE "OPENBLAS_CORETYPE"

enum mm_core_level { MM_CORE_OLD, MM_CORE_AVX2, MM_CORE_AVX512 };

/* Returns the best level that the processor has and the system lets programs use. */
enum mm_core_level mm_core_of_processor(void);
/* Returns the core to request instead of the one that the library chose; NULL if the library's
 * choice suits the processor, or is unknown here. */
const char *mm_core_instead(const char *chosen, enum mm_core_level processor);

#endif
