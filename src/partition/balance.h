/* balance.h - PURE. Shares items out over devices so that all finish at the same time.
 *
 * Device i is free at `ready`, pays `fixed` once and then `item` for each item: it ends at
 * ready + fixed + item * v. All ends equal gives one linear equation; devices that would have to
 * get less than nothing, or that could not even do their least part by then, are left out and the
 * equation is solved again; the latter only where the others then end before half as long again as
 * that least part takes. Times in ns from any origin.
 */
#ifndef YK_PARTITION_BALANCE_H
#define YK_PARTITION_BALANCE_H

#include "../model/finish.h"

/* The time at which all end; infinite if no device takes part. */
double yk_balance(struct yk_taker *loads, int count, double items);

#endif
