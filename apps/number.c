/* number.c - the whole text has to be a number within its bounds. */
#include "number.h"

#include <math.h>
#include <stdlib.h>

yoke_status number_read(const struct number_kind *kind, const char *text, double *out)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value >= kind->least && value <= kind->most) ||
        (kind->whole && value != floor(value)))
        return app_mistake("--%s %s: give a %snumber from %.10g to %.10g", kind->name, text,
                           kind->whole ? "whole " : "", kind->least, kind->most);
    *out = value;
    return YOKE_OK;
}
