/* knowledge_base.c - yoke/knowledge.h: the store's public interface. The public lesson has pointers
 * and room for more figures, so that its layout stays when the library's own layout changes. */
#include <string.h>
#include <yoke/knowledge.h>

#include "../base/alloc.h"
#include "../base/status.h"
#include "../job/job.h"
#include "../knowledge/store.h"

_Static_assert((int)YK_FIGURES <= (int)YOKE_FIGURES_MAX, "figures have room");
_Static_assert((int)YK_SIZES_MAX == (int)YOKE_SIZES_MAX, "as many sizes");
_Static_assert((int)YK_LESSON_DEVICES == (int)YOKE_LESSON_DEVICES_MAX, "as many devices");

struct yoke_knowledge {
    struct yk_store *store;
    yoke_lesson shown;         /* scratch for `each` */
    struct yk_lesson own, had; /* scratch for `add` */
};

const char *yoke_figure_name(int figure)
{
    return figure >= 0 && figure < YK_FIGURES ? yk_figures[figure].name : NULL;
}

const char *yoke_figure_summary(int figure)
{
    return figure >= 0 && figure < YK_FIGURES ? yk_figures[figure].summary : NULL;
}

yoke_status yoke_knowledge_open(const char *path, yoke_knowledge **out)
{
    struct yk_store_spec spec = { .path = path,
                                  .patience_ns =
                                      5000000000 }; /* 5 s are acceptable, because no job waits */
    char why[YK_STORE_WHY];
    if (!out)
        return yk_fail(YOKE_EINVAL, "yoke_knowledge_open: out is NULL");
    yoke_knowledge *knowledge = yk_calloc(1, sizeof *knowledge);
    if (!knowledge)
        return YOKE_ENOMEM;
    yoke_status status = yk_store_open(&spec, &knowledge->store);
    if (status == YOKE_OK) {
        yk_store_trouble(knowledge->store, why);
        if (*why)
            status = yk_fail(YOKE_EIO, "knowledge base: %s", why);
    }
    if (status != YOKE_OK) {
        yoke_knowledge_close(knowledge);
        return status;
    }
    *out = knowledge;
    return YOKE_OK;
}

void yoke_knowledge_close(yoke_knowledge *knowledge)
{
    if (knowledge)
        yk_store_close(knowledge->store);
    yk_free(knowledge);
}

const char *yoke_knowledge_path(const yoke_knowledge *knowledge)
{
    return knowledge ? yk_store_path(knowledge->store) : "";
}

int64_t yoke_knowledge_bytes(yoke_knowledge *knowledge)
{
    return knowledge ? yk_store_bytes(knowledge->store) : 0;
}

static struct yk_store_filter filter_of(const yoke_lesson_filter *filter)
{
    static const yoke_lesson_filter all;
    const yoke_lesson_filter *given = filter ? filter : &all;
    return (struct yk_store_filter){ .machine = given->machine,
                                     .subject = given->subject,
                                     .name = given->name,
                                     .seen_before = given->seen_before };
}

static void show(const struct yk_store_key *key, const struct yk_lesson *lesson, yoke_lesson *out)
{
    *out = (yoke_lesson){ .machine = key->machine,
                          .machine_text = key->machine_text,
                          .subject = key->subject,
                          .name = key->name,
                          .subject_text = key->subject_text,
                          .partitioner = key->partitioner,
                          .size_count = lesson->sizes.count,
                          .origin = yk_origin_names[lesson->origin],
                          .confirmed = lesson->confirmed,
                          .seen = lesson->seen,
                          .ns = lesson->ns,
                          .team = lesson->team,
                          .device_count = lesson->device_count };
    memcpy(out->sizes, lesson->sizes.at, sizeof out->sizes[0] * (size_t)lesson->sizes.count);
    for (int d = 0; d < lesson->device_count; d++) {
        out->devices[d].name = lesson->devices[d].name;
        for (int i = 0; i < YK_FIGURES; i++)
            out->devices[d].figures[i] = yk_figure_get(&lesson->devices[d], i);
    }
}

struct showing {
    yoke_lesson *room;
    yoke_lesson_visit *visit;
    void *context;
};

static int show_each(void *context, const struct yk_store_key *key, const struct yk_lesson *lesson)
{
    const struct showing *showing = context;
    show(key, lesson, showing->room);
    return showing->visit(showing->context, showing->room);
}

yoke_status yoke_knowledge_each(yoke_knowledge *knowledge, const yoke_lesson_filter *filter,
                                yoke_lesson_visit *visit, void *context)
{
    if (!knowledge || !visit)
        return yk_fail(YOKE_EINVAL, "yoke_knowledge_each: %s is NULL",
                       knowledge ? "visit" : "knowledge");
    struct yk_store_filter own = filter_of(filter);
    struct showing showing = { .room = &knowledge->shown, .visit = visit, .context = context };
    return yk_store_each(knowledge->store, &own, show_each, &showing);
}

/* Converts a public lesson. Invalid values stay invalid, so that yk_lesson_wrong finds them. */
static void take(const yoke_lesson *lesson, struct yk_lesson *out)
{
    int origin = 0;
    memset(out, 0, sizeof *out);
    while (yk_origin_names[origin] &&
           (!lesson->origin || strcmp(yk_origin_names[origin], lesson->origin) != 0))
        origin++;
    out->origin = (enum yk_origin)origin;
    out->sizes.count = lesson->size_count;
    memcpy(out->sizes.at, lesson->sizes, sizeof out->sizes.at);
    out->confirmed = lesson->confirmed;
    out->seen = lesson->seen;
    out->ns = lesson->ns;
    out->team = lesson->team;
    out->device_count = lesson->device_count;
    for (int d = 0; d < lesson->device_count && d < YK_LESSON_DEVICES; d++) {
        const char *name = lesson->devices[d].name ? lesson->devices[d].name : "";
        if (strlen(name) < sizeof out->devices[d].name)
            strcpy(out->devices[d].name, name);
        for (int i = 0; i < YK_FIGURES; i++)
            if (yk_figures[i].whole && !(lesson->devices[d].figures[i] <= yk_figures[i].most &&
                                         lesson->devices[d].figures[i] >= yk_figures[i].least))
                out->devices[d].name[0] = 0; /* an int could not hold the value */
            else
                yk_figure_set(&out->devices[d], i, lesson->devices[d].figures[i]);
    }
}

yoke_status yoke_knowledge_add(yoke_knowledge *knowledge, const yoke_lesson *lesson, int *added)
{
    if (!knowledge || !lesson || !added)
        return yk_fail(YOKE_EINVAL, "yoke_knowledge_add: %s is NULL",
                       !knowledge ? "knowledge"
                       : added    ? "lesson"
                                  : "added");
    const struct yk_store_key key = { .machine = lesson->machine,
                                      .machine_text = lesson->machine_text,
                                      .subject = lesson->subject,
                                      .name = lesson->name ? lesson->name : "",
                                      .subject_text = lesson->subject_text,
                                      .partitioner = lesson->partitioner };
    struct yk_lesson *own = &knowledge->own, *had = &knowledge->had;
    take(lesson, own);
    const char *wrong = yk_lesson_wrong(own);
    if (wrong)
        return yk_fail(YOKE_EINVAL, "%s: a lesson %s", key.name, wrong);
    int there = yk_store_find(knowledge->store, &key, &own->sizes, had);
    *added = !there ? 1 : had->seen < own->seen ? 2 : 0;
    if (!*added)
        return YOKE_OK;
    if (there) /* the new lesson may include confirmations of the stored one */
        own->confirmed = own->confirmed > had->confirmed ? own->confirmed - had->confirmed : 0;
    return yk_store_put(knowledge->store, &key, own, 1);
}

yoke_status yoke_knowledge_forget(yoke_knowledge *knowledge, const yoke_lesson_filter *filter,
                                  int64_t *count)
{
    struct yk_store_filter own = filter_of(filter);
    if (!knowledge || !count)
        return yk_fail(YOKE_EINVAL, "yoke_knowledge_forget: %s is NULL",
                       knowledge ? "count" : "knowledge");
    return yk_store_forget(knowledge->store, &own, count);
}
