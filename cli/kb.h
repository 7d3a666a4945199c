/* kb.h - what the files of `yoke kb` share: the selected lessons, and their JSON.
 */
#ifndef YOKE_CLI_KB_H
#define YOKE_CLI_KB_H

#include <cjson/cJSON.h>
#include <yoke/knowledge.h>

struct kb {
    yoke_knowledge *knowledge;
    yoke_lesson_filter filter;
    const char *word; /* the word after the action; NULL: none */
    const char *json; /* file, or NULL */
    int is_long;      /* list: also show hashes */
};

/* Each returns the exit status, after a message on failure. */
int kb_list(struct kb *kb);
int kb_show(struct kb *kb);
int kb_export(struct kb *kb);
int kb_import(struct kb *kb);
int kb_forget(struct kb *kb);

/* Call if no lesson passes the filter: reports that, with the closest name. */
int kb_nothing(struct kb *kb);

/* A lesson as an object. Hashes are text, because JSON's numbers have 53 bits. */
cJSON *kb_lesson_json(const yoke_lesson *lesson);
/* Reads a lesson from such an object. Returns NULL, or what is wrong with the object. `out` points
 * into the object. */
const char *kb_lesson_read(const cJSON *object, yoke_lesson *out);

#endif
