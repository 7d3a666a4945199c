/* number.h - the value of an application's option, if it is a number. */
#ifndef YOKE_APPS_NUMBER_H
#define YOKE_APPS_NUMBER_H

#include "app.h"

struct number_kind {
    const char *name; /* of the option, without its dashes */
    double least, most;
    int whole; /* 1: no fraction allowed */
};

yoke_status number_read(const struct number_kind *kind, const char *text, double *out);

#endif
