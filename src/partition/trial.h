/* trial.h - PURE. The rule for all that has to be tried: sets of devices (explore.h), and kernels
 * that do the same work (choice.h). A trial starts when the budget allows what it may lose. */
#ifndef YK_PARTITION_TRIAL_H
#define YK_PARTITION_TRIAL_H

/* Trials may lose this part of the total time. */
#define YK_TRIAL_BUDGET 0.03
/* What lost is tried again when the total time has grown by this factor. */
#define YK_TRIAL_AGAIN 4.0
/* What was seen in this many jobs in a row lasts: it was no chance. */
enum { YK_LASTING = 2 };
/* A trial ends early, after YK_LASTING measurements, if the two differ clearly (YK_CLEAR), and
 * always after this many. */
enum { YK_TRIAL_TELLING = 4 };

#endif
