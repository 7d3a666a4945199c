/* adjust.h - PURE. Keeps a fixed split balanced from run to run (papers/003, section 3, "Adjust
 * work distribution").
 *
 * After each run, dev = min / max of the times of the parts that ran at the same time. A run with
 * dev below 0.88 was unbalanced. lbt(n) = unbalanced * w + lbt(n - 1) * (1 - w) fades after a
 * single unbalanced run and grows while the imbalance lasts. When lbt reaches 0.9, shares change.
 * On the first level the slowest class gives a tenth to the others; the step is halved if another
 * class is then the slowest. On the second level all shares are fitted to the latest times at once.
 * The second level follows three steps without balance, or a dev below 0.5. Beyond the paper, it is
 * also used if three steps would not be enough by the latest times, or if there is only one class.
 *
 * The step is a tenth of the smaller side (the class, or all others): a tenth of a side with 97 %
 * would make the other side four times as large. A step never exceeds what makes both sides end
 * together by the latest times. After a step, runs are unbalanced below 0.94, half as far from
 * 1: otherwise steps would stop at 0.88, a tenth slower than their goal.
 */
#ifndef YK_MODEL_ADJUST_H
#define YK_MODEL_ADJUST_H

struct yk_adjust_rule {
    double dev;    /* a run below it is unbalanced; > 0, <= 1; paper: 0.88 */
    double weight; /* w: weight of the latest run in lbt; > 0, <= 1 */
    double step;   /* size of the first step, as a fraction; > 0, <= 0.5 */
};

/* What earlier runs showed about a split. All zero: there was no run. */
struct yk_adjust {
    double dev, lbt; /* of the latest run; dev 0: there was none */
    double step;     /* size of the next first-level step; 0: the rule's */
    int giver;       /* 1 + the class that gave last; 0: none since a balanced run or a fit */
    int steps;       /* first-level steps since the latest balanced run or fit */
    int level;       /* level on which shares changed after the latest run; 0: they stayed */
    int changes;     /* number of changes of shares */
};

/* One device's part of a run. */
struct yk_adjust_part {
    int class;    /* equal for devices that share the load of one kind: cores, GPUs */
    double share; /* in: part of the range in this run; out: in the next run */
    double ns;    /* time it took; 0: it had nothing to do */
};

/* Call it after each run. Returns the level on which it changed the shares, or 0 if they stay. The
 * sum of the shares never changes. */
int yk_adjust_run(struct yk_adjust *adjust, const struct yk_adjust_rule *rule,
                  struct yk_adjust_part *parts, int count);

#endif
