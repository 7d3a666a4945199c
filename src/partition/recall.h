/* recall.h - PURE. Converts what a runtime remembers of similar jobs to a lesson that outlives it
 * (knowledge/lesson.h), and back. */
#ifndef YK_PARTITION_RECALL_H
#define YK_PARTITION_RECALL_H

#include "../knowledge/lesson.h"
#include "../model/cost.h"
#include "learned.h"
#include "team.h"

/* The best set of devices while rows stay. */
struct yk_stays {
    uint32_t devices; /* 0: unknown */
    int tried;        /* 1: trials have compared it with others */
};

/* What is remembered of one kernel and set of sizes, on devices of these names. */
struct yk_remembered {
    const char *const *names;
    struct yk_learned *devices;
    struct yk_cost *costs;
    struct yk_team *team;
    struct yk_stays *stays;
    int count; /* number of devices; at most YK_LESSON_DEVICES */
};

/* Call it only after the sizes of the lesson are set. Sets the rest, except its origin. Returns 0
 * if nothing useful is known. */
int yk_recall_teach(const struct yk_remembered *from, struct yk_lesson *out);
/* Devices that the lesson does not name are unchanged. A team whose members are not all present is
 * ignored. */
void yk_recall_learn(const struct yk_lesson *lesson, const struct yk_remembered *into);
/* Adds the lines of a lesson of each device alone to what is known of these devices. They hold for
 * every team until more is measured. */
void yk_recall_learn_alone(const struct yk_lesson *lesson, const struct yk_remembered *into);

#endif
