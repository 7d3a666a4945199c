/* recall.h - PURE. From what a runtime remembers of jobs like each other to a lesson that outlives
 * it (model/lesson.h), and back.
 */
#ifndef YK_PARTITION_RECALL_H
#define YK_PARTITION_RECALL_H

#include "../model/lesson.h"
#include "learned.h"
#include "team.h"

/* What is remembered of one kernel and set of sizes, on devices of these names. */
struct yk_remembered {
    const char *const *names;
    struct yk_learned *devices;
    struct yk_team *team;
    int count; /* of devices; YK_LESSON_DEVICES at most */
};

/* Sets all of a lesson but its sizes, which have to be there, and how it was got. 0: nothing is
 * known that would help anybody. */
int yk_recall_teach(const struct yk_remembered *from, struct yk_lesson *out);
/* Devices that the lesson does not name stay as they are. A team whose members are not all named is
 * forgotten. */
void yk_recall_learn(const struct yk_lesson *lesson, const struct yk_remembered *into);

#endif
