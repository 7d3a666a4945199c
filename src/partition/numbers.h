/* numbers.h - PURE. A list of numbers in a partitioner's settings, as "0.3/0.7". */
#ifndef YK_PARTITION_NUMBERS_H
#define YK_PARTITION_NUMBERS_H

#include <yoke/status.h>

struct yk_number_list {
    const char *partitioner, *key; /* for messages */
    const char *what;              /* singular noun, as "share" */
    double least;                  /* smallest allowed value */
};

struct yk_numbers {
    double *at;
    int room;  /* entries of `at` */
    int count; /* out: how many the text has, perhaps more than `room` */
};

/* Reads up to `room` numbers and sets `count`. YOKE_EINVAL names the wrong word. */
yoke_status yk_numbers_read(const struct yk_number_list *list, const char *text,
                            struct yk_numbers *out);

#endif
