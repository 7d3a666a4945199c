/* balance.h - PURE. Divides items among devices so that all finish at the same time.
 *
 * Device i is free at `ready`, pays `fixed` once and then `item` for each item: it ends at ready +
 * fixed + item * v. Equal ends give one linear equation. A device that would start after that end
 * is left out, and the equation is solved again. A device whose least part would end later is left
 * out only if without it the others end before 1.5 times the end of that part. Times in ns from any
 * origin.
 */
#ifndef YK_PARTITION_BALANCE_H
#define YK_PARTITION_BALANCE_H

#include "../model/finish.h"

/* Returns the time at which all end; infinite if no device takes part. Sets the `items` of each. */
double yk_balance(struct yk_taker *loads, int count, double items);

#endif
