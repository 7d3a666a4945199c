/* balance.h - PURE. Divides items among devices so that all finish at the same time.
 *
 * Device i is free at `ready`, pays `fixed` once and then `item` for each item: it ends at ready +
 * fixed + item * v. Equal ends give one linear equation. Devices that would get less than nothing,
 * or that could not do even their least part by that time, are left out, and the equation is solved
 * again. A device is left out because of its least part only if the others then end before 1.5
 * times the time of that part. Times in ns from any origin.
 */
#ifndef YK_PARTITION_BALANCE_H
#define YK_PARTITION_BALANCE_H

#include "../model/finish.h"

/* The time at which all end; infinite if no device takes part. */
double yk_balance(struct yk_taker *loads, int count, double items);

#endif
