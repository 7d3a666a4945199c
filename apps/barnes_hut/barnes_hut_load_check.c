/* barnes_hut_load_check.c - checks that each visit did its load once and completely.
 *
 * A body's check value is Fibonacci's number times the number of its visits. The visits are counted
 * again in double precision. A cell at exactly the distance that theta requires, within rounding,
 * may have been opened or not. So the count has a lower and an upper bound, and one number between
 * them has to fit.
 */
#include <inttypes.h>
#include <stdio.h>

#include "../app.h"
#include "barnes_hut_state.h"

enum { SAMPLE = 1000, NOTE = 48 };

/* Relative error of single precision, in which sides and distances are compared. */
#define ROUNDING 1e-6

/* Returns Fibonacci's number `index` modulo 2^32, by doubling the index bit by bit. */
static uint32_t fibonacci(int32_t index)
{
    uint32_t number = 0, next = 1;
    int bit;
    for (bit = 30; bit >= 0; bit--) {
        const uint32_t doubled = number * (2 * next - number);
        const uint32_t behind = number * number + next * next;
        const int odd = index >> bit & 1;
        number = odd ? behind : doubled;
        next = odd ? doubled + behind : behind;
    }
    return number;
}

/* Counts the nodes that body `i` visits. `larger`: a factor for the squares of cells' sides. */
static int64_t visits_of(const struct barnes_hut_state *s, int64_t i, double larger)
{
    const double theta2 = (double)(float)(s->theta * s->theta);
    const body_t *me = &s->bodies[i];
    int64_t visits = 0;
    int32_t k = 0;
    while (k < s->tree.node_count) {
        const node_t *node = &s->nodes[k];
        const double x = (double)node->x - (double)me->x, y = (double)node->y - (double)me->y;
        const double z = (double)node->z - (double)me->z;
        const int far = larger * (double)node->size2 <= theta2 * (x * x + y * y + z * z);
        visits++;
        k = far ? node->skip : k + 1;
    }
    return visits;
}

static yoke_status wrong_load(const struct barnes_hut_state *s, int64_t i, int64_t visits)
{
    return app_fail(YOKE_EINVAL,
                    "the load of body %" PRId64 " came to %" PRIu32 " and should be %" PRIu32
                    ", Fibonacci's number %d modulo 2^32 for each of %" PRId64 " visits",
                    i, s->loads[i], fibonacci(s->load) * (uint32_t)visits, (int)s->load, visits);
}

yoke_status barnes_hut_check_load(const struct barnes_hut_state *s, char *note)
{
    const int64_t sample = s->stars < SAMPLE ? s->stars : SAMPLE;
    const uint32_t number = fibonacci(s->load);
    double all = 0;
    int64_t k;
    if (!s->load)
        return YOKE_OK;
    for (k = 0; k < sample; k++) {
        const int64_t i = k * s->stars / sample;
        const int64_t least = visits_of(s, i, 1 - ROUNDING), most = visits_of(s, i, 1 + ROUNDING);
        int64_t visits = least;
        while (visits <= most && (uint32_t)visits * number != s->loads[i])
            visits++;
        if (visits > most)
            return wrong_load(s, i, least);
        all += (double)visits / (double)sample;
    }
    snprintf(note, NOTE, "; load %d at %.0f visits", (int)s->load, all);
    return YOKE_OK;
}
