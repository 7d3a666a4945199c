/* numbers.h - PURE. A list of numbers in a partitioner's settings, as "0.3/0.7". */
#ifndef YK_PARTITION_NUMBERS_H
#define YK_PARTITION_NUMBERS_H

#include <yoke/status.h>

struct yk_number_list {
    const char *partitioner, *key; /* for messages */
    const char *what;              /* one of them, as "share" */
    double least;                  /* each may be */
};

/* Reads up to `room` numbers; how many there are in *count. YOKE_EINVAL names the word at fault. */
yoke_status yk_numbers_read(const struct yk_number_list *list, const char *text, double *numbers,
                            int room, int *count);

#endif
