/* option.h - option tables: name, environment variable, default and help in one place, read by one
 * parser.
 *
 * A component declares a struct for its settings and a table that says how text gets into it. The
 * same table serves the environment, "key=value" lists after a name ("dynamic:chunk=4096",
 * "opencl:1:mem=256M") and the help and manual pages. This is the only place that calls getenv.
 */
#ifndef YK_BASE_OPTION_H
#define YK_BASE_OPTION_H

#include <stddef.h>
#include <stdint.h>
#include <yoke/status.h>

enum yk_option_type {
    YK_OPTION_TEXT,    /* char *, owned by the settings; freed by yk_options_clear */
    YK_OPTION_INT,     /* int64_t, with k/M/G (powers of 1000: counts) */
    YK_OPTION_BYTES,   /* int64_t, with k/K/M/G/T (powers of 1024) */
    YK_OPTION_REAL,    /* double */
    YK_OPTION_SECONDS, /* double, with ns/us/ms/s; plain numbers are seconds */
    YK_OPTION_CHOICE   /* int: index in the NULL-terminated list `choices` */
};

struct yk_option {
    const char *name;     /* as in "key=value"; NULL ends a table */
    const char *variable; /* environment variable, or NULL */
    const char *initial;  /* default, as text; NULL leaves the field zero */
    const char *help;     /* one line */
    enum yk_option_type type;
    size_t offset; /* of the field in the settings struct */
    const char *const *choices;
    int64_t least; /* of an INT or BYTES; 0: any. A field that may be left out has one of 1, so
                    * that its 0 means that it was not given */
};

/* Fills `settings` from the defaults, then from the environment. */
yoke_status yk_options_default(const struct yk_option *table, void *settings);
/* Sets fields from "key=value,key=value" or "key=value:key=value". An unknown key, or a missing or
 * invalid value, gives YOKE_EINVAL and a text that names the key and lists the valid ones. `what`
 * names the owner in messages. */
yoke_status yk_options_parse(const struct yk_option *table, const char *what, const char *text,
                             void *settings);
void yk_options_clear(const struct yk_option *table, void *settings);

/* Reads one number by the unit rules above. */
yoke_status yk_option_number(enum yk_option_type type, const char *text, void *out);

/* 1 if the setting, which may be NULL, is this word, in capitals or not: "off" and "on" stand where
 * a path may. */
int yk_option_is(const char *text, const char *word);

/* The environment variable's value or NULL; for the few settings that are in no table (HOME). */
const char *yk_environment(const char *variable);

#endif
