/* guard_breach.c - reports a breach in one line: kernel, index, what it did to which row of which
 * array, what is declared, and what declaration would allow it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "../../base/status.h"
#include "guard.h"

enum { WORDS = 256 };

/* A read that is more rows away than this is hardly a halo: its cure is yoke_in_whole. */
enum { HALO_MOST = 64 };

struct told {
    const struct guard_work *work;
    const struct guard_breach *breach;
    const struct yk_declared *declared; /* of the argument; NULL: no argument */
    int arg;
    int64_t row;
    yoke_rows rows; /* its rows that the indexes may use */
    char indexes[WORDS], array[WORDS], has[WORDS], deed[3 * WORDS], cure[3 * WORDS];
};

static const char *shown_name(const struct told *told)
{
    return told->declared->array[0] ? told->declared->array
                                    : told->work->declared->params[told->arg].name;
}

static void say_indexes(struct told *told)
{
    const int64_t first = told->breach->first, last = told->breach->last;
    if (last - first == 1)
        snprintf(told->indexes, WORDS, "index %lld", (long long)first);
    else
        snprintf(told->indexes, WORDS, "one of indexes %lld .. %lld", (long long)first,
                 (long long)last - 1);
}

static void say_array(struct told *told)
{
    const char *param = told->work->declared->params[told->arg].name;
    if (told->declared->array[0])
        snprintf(told->array, WORDS, "array %s (parameter %s)", told->declared->array, param);
    else
        snprintf(told->array, WORDS, "argument %d (parameter %s)", told->arg + 1, param);
}

static const char *word_of(const struct told *told)
{
    static const char *const in[] = { "yoke_in", "yoke_in_halo", "yoke_in_whole",
                                      "yoke_in_custom" };
    switch (told->declared->mode) {
    case YOKE_PARAM_IN:
        return in[told->declared->shape];
    case YOKE_PARAM_OUT:
        return told->declared->shape == YOKE_PART ? "yoke_out_part" : "yoke_out";
    case YOKE_PARAM_INOUT:
        return "yoke_inout";
    default:
        return "yoke_add_to";
    }
}

static void say_rows(struct told *told)
{
    const yoke_rows rows = told->rows;
    const char *who = told->declared->shape == YOKE_CUSTOM ? "its rows function gives" : "declares";
    const char *word = told->declared->shape == YOKE_CUSTOM ? "" : word_of(told);
    const char *space = *word ? " " : "";
    if (rows.first >= rows.last)
        snprintf(told->has, WORDS, "%s%s%s no row", word, space, who);
    else if (rows.last - rows.first == 1)
        snprintf(told->has, WORDS, "%s%s%s row %lld", word, space, who, (long long)rows.first);
    else
        snprintf(told->has, WORDS, "%s%s%s rows %lld .. %lld", word, space, who,
                 (long long)rows.first, (long long)rows.last - 1);
}

static int is_in_array(const struct told *told)
{
    return told->row >= told->declared->first_row && told->row < told->declared->last_row;
}

/* The cure if an index reads an undeclared row. */
static void say_read_cure(struct told *told)
{
    const struct yk_declared *d = told->declared;
    const char *name = shown_name(told);
    int64_t before = d->shape == YOKE_HALO ? d->before : 0;
    int64_t after = d->shape == YOKE_HALO ? d->after : 0;
    if (told->breach->first - told->row > before)
        before = told->breach->first - told->row;
    if (told->row - (told->breach->last - 1) > after)
        after = told->row - (told->breach->last - 1);
    if (d->mode != YOKE_PARAM_IN)
        snprintf(told->cure, sizeof told->cure,
                 "an array that is written has rows of the index only; read other rows from "
                 "another array, by yoke_in_halo or yoke_in_whole");
    else if (d->shape == YOKE_CUSTOM)
        snprintf(told->cure, sizeof told->cure, "let the function give row %lld for this index",
                 (long long)told->row);
    else if (before <= HALO_MOST && after <= HALO_MOST)
        snprintf(told->cure, sizeof told->cure,
                 "declare yoke_in_halo(%s, %lld, %lld), or yoke_in_whole(%s) if it may be any row",
                 name, (long long)before, (long long)after, name);
    else
        snprintf(told->cure, sizeof told->cure,
                 "declare yoke_in_whole(%s), or yoke_in_custom with a function that gives the rows",
                 name);
}

static void say_write_cure(struct told *told)
{
    const struct yk_declared *d = told->declared;
    if (d->mode == YOKE_PARAM_IN)
        snprintf(told->cure, sizeof told->cure,
                 "make the parameter YOKE_INOUT or YOKE_OUT and declare yoke_inout(%s) or "
                 "yoke_out(%s)",
                 shown_name(told), shown_name(told));
    else if (d->shape == YOKE_CUSTOM)
        snprintf(told->cure, sizeof told->cure, "let the function give row %lld for this index",
                 (long long)told->row);
    else
        snprintf(told->cure, sizeof told->cure,
                 "an index writes its own row; sum into any row through YOKE_ADD and yoke_add, or "
                 "run over the rows that are written");
}

static void say_cure(struct told *told)
{
    const enum guard_kind kind = told->breach->kind;
    if (kind == GUARD_UNWRITTEN)
        snprintf(told->cure, sizeof told->cure,
                 "make the parameter YOKE_INOUT (in a yoke_job also yoke_inout(%s)) if the rest is "
                 "to stay; in a yoke_job, yoke_out_part(%s) if it does not matter",
                 shown_name(told), shown_name(told));
    else if (kind == GUARD_EARLY)
        snprintf(told->cure, sizeof told->cure,
                 "write all of it first, or make the parameter YOKE_INOUT (in a yoke_job also "
                 "yoke_inout(%s))",
                 shown_name(told));
    else if (!is_in_array(told))
        snprintf(told->cure, sizeof told->cure,
                 "the array has rows %lld .. %lld; correct the index",
                 (long long)told->declared->first_row, (long long)told->declared->last_row - 1);
    else if (kind == GUARD_WRITE)
        say_write_cure(told);
    else
        say_read_cure(told);
}

static yoke_status say_fault(const struct told *told)
{
    const struct yk_fault *fault = &told->breach->fault;
    const char *job = told->work->declared->job;
    if (fault->signal == SIGSEGV || fault->signal == SIGBUS)
        return yk_fail(YOKE_EINVAL,
                       "%s, %s: touches memory at 0x%llx, which is none of its arrays; a kernel "
                       "may use its parameters only",
                       job, told->indexes, (unsigned long long)fault->address);
    return yk_fail(YOKE_EINVAL, "%s, %s: ends by %s; correct the kernel", job, told->indexes,
                   fault->signal == SIGFPE ? "a division by zero (SIGFPE)"
                                           : "an instruction this CPU does not have (SIGILL)");
}

static void say_deed(struct told *told)
{
    const long long row = (long long)told->row;
    const char *array = told->array;
    if (told->breach->kind == GUARD_UNWRITTEN)
        snprintf(told->deed, sizeof told->deed, "leaves a part of row %lld of %s unwritten", row,
                 array);
    else if (told->breach->kind == GUARD_EARLY)
        snprintf(told->deed, sizeof told->deed, "reads row %lld of %s before it writes it", row,
                 array);
    else
        snprintf(told->deed, sizeof told->deed, "%s row %lld of %s",
                 told->breach->kind == GUARD_WRITE ? "writes" : "reads", row, array);
}

yoke_status yk_guard_breach_say(const struct guard_work *work, const struct guard_breach *breach)
{
    struct told told = { .work = work, .breach = breach, .arg = breach->arg };
    int at;
    say_indexes(&told);
    if (breach->room < 0 || breach->kind == GUARD_FAULT)
        return say_fault(&told);
    at = yk_guard_arg_at(work, breach->room, breach->offset, &told.row);
    if (told.arg < 0)
        told.arg = at;
    else
        told.row = yk_guard_row_of(work, told.arg, breach->offset);
    told.declared = &work->declared->args[told.arg];
    told.rows = work->rows[told.arg];
    say_array(&told);
    say_rows(&told);
    say_cure(&told);
    say_deed(&told);
    return yk_fail(YOKE_EINVAL, "%s, %s: %s, and %s: %s", work->declared->job, told.indexes,
                   told.deed, told.has, told.cure);
}
