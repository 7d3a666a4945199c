/* triad.h - measures how fast a set of cores reads and writes memory. Needs no lock. */
#ifndef YK_RUNTIME_TRIAD_H
#define YK_RUNTIME_TRIAD_H

#include <yoke/status.h>

/* Runs a[i] = b[i] + s * c[i] on all these processors at once (-1: not bound to one), each in
 * memory that it touched first, for 0.3 s. Sets *bytes_per_second (24 bytes an element). */
yoke_status yk_triad_measure(const int *cpus, int count, double *bytes_per_second);

#endif
