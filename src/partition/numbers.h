/* numbers.h - PURE. A list of numbers in a partitioner's settings, as "0.3/0.7". */
#ifndef YK_PARTITION_NUMBERS_H
#define YK_PARTITION_NUMBERS_H

#include <yoke/status.h>

struct yk_number_list {
    const char *partitioner, *key; /* for messages */
    const char *what;              /* singular noun, as "share" */
    double least;                  /* smallest allowed value */
};

/* Reads up to `room` numbers and sets *count to how many the text has. YOKE_EINVAL names the wrong
 * word. */
yoke_status yk_numbers_read(const struct yk_number_list *list, const char *text, double *numbers,
                            int room, int *count);

#endif
