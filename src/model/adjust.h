/* adjust.h - PURE. Keeping a fixed split balanced from run to run (papers/003, section 3, "Adjust
 * work distribution").
 *
 * After each run dev = min / max of the times of the parts that ran beside each other; below 0.88
 * the run was unbalanced. lbt(n) = unbalanced * w + lbt(n - 1) * (1 - w) forgets what happened once
 * and grows while it goes on: from 0.9 on shares change. On the first level the slowest class gives
 * a tenth to the others, half of that once it has given too much. On the second level all shares
 * are fitted to the latest times at once: after three such steps without balance, where dev is
 * below 0.5, or, beyond the paper, where by the latest times three steps would not do, or there is
 * no other class.
 *
 * What is given is a tenth of the smaller one of both parts: a tenth of 97 % would be four times
 * what the other one has; nor more than makes both end together by the latest times. And while
 * steps are made a run counts as unbalanced half as far from 1 (0.94): they would else end at the
 * edge, a tenth slower than what they lead to.
 */
#ifndef YK_MODEL_ADJUST_H
#define YK_MODEL_ADJUST_H

struct yk_adjust_rule {
    double dev;    /* below it a run was unbalanced, above 0 to 1; paper: 0.88 */
    double weight; /* w: of the latest run in lbt, above 0 to 1 */
    double step;   /* part that is given at first, above 0 to 0.5 */
};

/* What is remembered of a split. Zero: nothing. */
struct yk_adjust {
    double dev, lbt; /* after the latest run; dev 0: there was none */
    double step;     /* of the next first-level step; 0: the rule's */
    int giver;       /* 1 + the class that gave last; 0: nobody did since runs were balanced */
    int steps;       /* first-level steps since then, or since the last fit */
    int level;       /* that the latest run called for; 0: shares stayed */
    int changes;     /* of shares, in all */
};

/* One device's part of a run. */
struct yk_adjust_part {
    int class;    /* devices that take turns at what load there is have the same: cores, GPUs */
    double share; /* of the range: that it had, then the next one */
    double ns;    /* that it took; 0: it had nothing to do */
};

/* A run is over. Gives its level; shares change where that is not 0, and add up to what they did.
 */
int yk_adjust_run(struct yk_adjust *adjust, const struct yk_adjust_rule *rule,
                  struct yk_adjust_part *parts, int count);

#endif
