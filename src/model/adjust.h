/* adjust.h - PURE. Keeps a fixed split balanced from run to run (papers/003, section 3, "Adjust
 * work distribution").
 *
 * After each run dev = min / max of the times of the parts that ran beside each other; below 0.88
 * the run was unbalanced. lbt(n) = unbalanced * w + lbt(n - 1) * (1 - w) fades after single events
 * and grows while the imbalance lasts. Shares change once it reaches 0.9. On the first level the
 * slowest class gives a tenth to the others; the step is halved when a class has given too much. On
 * the second level all shares are fitted to the latest times at once. That happens after three
 * steps without balance, or if dev is below 0.5. Beyond the paper it also happens if by the latest
 * times three steps would not be enough, or if there is only one class.
 *
 * The tenth is a tenth of the smaller side, because a tenth of 97 % would make the other side four
 * times as large. A step is never larger than what makes both sides end together by the latest
 * times. While steps are made, a run counts as unbalanced already half as far from 1 (0.94):
 * otherwise steps would end at the edge, a tenth slower than their goal.
 */
#ifndef YK_MODEL_ADJUST_H
#define YK_MODEL_ADJUST_H

struct yk_adjust_rule {
    double dev;    /* below it a run was unbalanced, above 0 to 1; paper: 0.88 */
    double weight; /* w: weight of the latest run in lbt, above 0 to 1 */
    double step;   /* part that is given at first, above 0 to 0.5 */
};

/* What is remembered about a split. Zero: nothing. */
struct yk_adjust {
    double dev, lbt; /* after the latest run; dev 0: there was none */
    double step;     /* size of the next first-level step; 0: the rule's */
    int giver;       /* 1 + the class that gave last; 0: none has given since runs were balanced */
    int steps;       /* first-level steps since then, or since the last fit */
    int level;       /* level of the latest run; 0: shares stayed */
    int changes;     /* number of changes of shares */
};

/* One device's part of a run. */
struct yk_adjust_part {
    int class;    /* equal for devices that share the load of one kind: cores, GPUs */
    double share; /* part of the range in this run; then that of the next run */
    double ns;    /* time it took; 0: it had nothing to do */
};

/* Call after a run. Returns its level; if that is not 0, shares change, and their sum stays the
 * same. */
int yk_adjust_run(struct yk_adjust *adjust, const struct yk_adjust_rule *rule,
                  struct yk_adjust_part *parts, int count);

#endif
