/* panel.c - see panel.h. */
#include "panel.h"

#include <stdio.h>

#include "../base/alloc.h"
#include "../base/status.h"

static struct yk_interval columns_of(const yoke_array *panel)
{
    return (struct yk_interval){ panel->column, panel->column + panel->row_bytes };
}

int yk_panels_named(const yoke_array *array)
{
    const yoke_array *panel;
    int count = 0;
    for (panel = array->panels; panel; panel = panel->next_panel)
        count += panel->is_named;
    return count;
}

static void free_panel(yoke_array *panel)
{
    int number;
    for (number = 0; number < YK_PLACES; number++) {
        if (panel->replicas[number])
            yk_interval_map_close(&panel->replicas[number]->sent);
        yk_free(panel->replicas[number]);
    }
    yk_array_close_state(panel);
    yk_free(panel->name);
    yk_free(panel);
}

/* Frees the panels before `end`. */
static void free_up_to(yoke_array *panel, const yoke_array *end)
{
    while (panel != end) {
        yoke_array *next = panel->next_panel;
        free_panel(panel);
        panel = next;
    }
}

void yk_panels_free(yoke_array *first)
{
    free_up_to(first, NULL);
}

static char *name_of(const yoke_array *array, struct yk_interval columns)
{
    char text[256];
    int64_t size = (int64_t)array->element_size;
    snprintf(text, sizeof text, "%.160s[columns %lld to %lld]", array->name,
             (long long)(columns.first / size), (long long)(columns.last / size) - 1);
    return yk_strdup(text);
}

static yoke_status make(yoke_array *array, struct yk_interval columns,
                        enum yk_coherence_start start, yoke_array **out)
{
    yoke_array *panel = yk_calloc(1, sizeof *panel);
    yoke_status status = YOKE_ENOMEM;
    if (!panel)
        return YOKE_ENOMEM;
    panel->whole = array;
    panel->places = array->places;
    panel->runtime = array->runtime;
    panel->host = array->host;
    panel->first_row = array->first_row;
    panel->rows = array->rows;
    panel->element_size = array->element_size;
    panel->pitch = array->pitch;
    panel->column = columns.first;
    panel->row_bytes = columns.last - columns.first;
    panel->name = name_of(array, columns);
    if (panel->name)
        status = yk_array_open_state(panel, start);
    if (status != YOKE_OK) {
        yk_free(panel->name);
        yk_free(panel);
        return status;
    }
    *out = panel;
    return YOKE_OK;
}

static yoke_status taken(const yoke_array *panel)
{
    return yk_fail(YOKE_EINVAL,
                   "%s is a panel of these columns already, and panels may not overlap; close it "
                   "first",
                   panel->name);
}

/* Finds the unnamed panels that contain the columns: from change->out to the one before
 * change->behind. *all: the columns of these panels; of the whole array if it has no panels. */
static yoke_status find_room(yoke_array *array, struct yk_interval columns,
                             struct yk_panel_change *change, struct yk_interval *all)
{
    yoke_array *panel;
    *all = (struct yk_interval){ 0, array->row_bytes };
    change->at = &array->panels;
    while (*change->at && columns_of(*change->at).last <= columns.first)
        change->at = &(*change->at)->next_panel;
    change->out = *change->at;
    if (!change->out)
        return YOKE_OK; /* it has no panels yet */
    all->first = change->out->column;
    for (panel = change->out; panel && panel->column < columns.last; panel = panel->next_panel) {
        if (panel->is_named)
            return taken(panel);
        all->last = columns_of(panel).last;
    }
    change->behind = panel;
    return YOKE_OK;
}

/* Returns 1 if the host has rows of the array. After all rows were brought home, it has all that
 * were ever written. */
static int has_rows(yoke_array *array)
{
    int has;
    yk_lock(&array->lock);
    has = yk_coherence_current(array->coherence, YK_HOST, yk_array_rows(array)) > 0;
    yk_unlock(&array->lock);
    return has;
}

/* Brings the columns home from the arrays that have kept their coherence state so far. */
static yoke_status bring_home(const struct yk_panel_change *change, enum yk_coherence_start *start)
{
    yoke_array *before = change->out ? change->out : change->array;
    yoke_status status = YOKE_OK;
    *start = YK_START_FRESH;
    do {
        status = yk_transfer_home(before, yk_array_rows(before));
        if (has_rows(before))
            *start = YK_START_HOST;
        before = before->next_panel;
    } while (status == YOKE_OK && before != change->behind);
    return status;
}

yoke_status yk_panel_prepare(yoke_array *array, struct yk_interval columns,
                             struct yk_panel_change *out)
{
    struct yk_panel_change change = { .array = array };
    struct yk_interval all, parts[3];
    yoke_array **end = &change.first;
    enum yk_coherence_start start;
    int i;
    yoke_status status = find_room(array, columns, &change, &all);
    if (status == YOKE_OK)
        status = bring_home(&change, &start);
    parts[0] = (struct yk_interval){ all.first, columns.first };
    parts[1] = columns;
    parts[2] = (struct yk_interval){ columns.last, all.last };
    for (i = 0; i < 3 && status == YOKE_OK; i++) {
        if (yk_interval_empty(parts[i]))
            continue;
        status = make(array, parts[i], start, end);
        if (status != YOKE_OK)
            break;
        if (i == 1) {
            change.panel = *end;
            change.panel->is_named = 1;
        }
        change.last = *end;
        end = &change.last->next_panel;
    }
    if (status == YOKE_OK)
        *out = change;
    else
        yk_panels_free(change.first);
    return status;
}

yoke_status yk_panels_prepare_end(yoke_array *array, struct yk_panel_change *out)
{
    struct yk_interval rows = yk_array_rows(array);
    yoke_status status = yk_transfer_home(array, rows);
    if (status != YOKE_OK)
        return status;
    yk_lock(&array->lock); /* its own coherence state, which no other thread uses yet */
    status = yk_coherence_written(array->coherence, YK_HOST, rows);
    yk_unlock(&array->lock);
    if (status == YOKE_OK)
        *out =
            (struct yk_panel_change){ .array = array, .at = &array->panels, .out = array->panels };
    return status;
}

void yk_panels_change(struct yk_panel_change *change)
{
    if (change->last)
        change->last->next_panel = change->behind;
    *change->at = change->first;
}

void yk_panels_changed(struct yk_panel_change *change)
{
    free_up_to(change->out, change->behind);
}
