/* balance.h - PURE. Shares items out over devices so that all finish at the same time.
 *
 * Device i is free at `ready`, pays `fixed` once and then `item` for each item: it ends at
 * ready + fixed + item * v. All ends equal gives one linear equation; devices that would have to
 * get less than nothing, or that could not even do their least part by then, are left out and the
 * equation is solved again. Times in ns from any origin.
 */
#ifndef YK_PARTITION_BALANCE_H
#define YK_PARTITION_BALANCE_H

struct yk_load {
    double ready, fixed;
    double item;  /* ns an item; 0: takes no part */
    double least; /* ns that its smallest possible part takes, fixed included */
    double items; /* out: its part; 0: left out */
};

/* The time at which all end; infinite if no device takes part. */
double yk_balance(struct yk_load *loads, int count, double items);

#endif
