/* test_choice_regret.c - which of two kernels a device continues with, and what finding it loses,
 * on random devices and jobs: in the long run its time is that of the better one, and the losses
 * are within the budget. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "partition/choice.h"
#include "partition/trial.h"

enum { BOTH = 3, DEVICES = 3000, JOBS = 1000, FIRST_CHUNKS = 4 };

/* A device that does chunks of v items in fixed + v / rate, a form's first one in more. */
struct device {
    double rate[YK_FORMS], fixed_ns[YK_FORMS], warm_ns[YK_FORMS], noise;
    double part; /* of what is left, in a chunk: 1: jobs of one chunk */
    int64_t range, fill;
    uint64_t seed;
    int chunks[YK_FORMS];
    double all_ns, first_ns, lost_ns; /* time; loss of a form's first chunks, and of
                                       * all others on trial */
    struct yk_choice choice;
};

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static double ideal_ns(const struct device *device, int form, double items)
{
    return device->fixed_ns[form] + items / device->rate[form];
}

/* Time of a job as it is done when nothing is tried. */
static double job_ns(const struct device *device, int form)
{
    double ns = 0;
    for (int64_t left = device->range; left > 0;) {
        int64_t items = (int64_t)(device->part * (double)left);
        items = items > device->fill ? items : device->fill;
        items = items < left ? items : left;
        ns += ideal_ns(device, form, (double)items);
        left -= items;
    }
    return ns;
}

static void note(struct device *device, const struct yk_choice_turn *turn, int64_t items)
{
    const double ideal = ideal_ns(device, turn->form, (double)items);
    const double other = ideal_ns(device, 1 - turn->form, (double)items);
    const double ns = ideal * (1 + device->noise * (2 * uniform(&device->seed) - 1)) +
                      (device->chunks[turn->form] ? 0 : device->warm_ns[turn->form]);
    const int n = device->chunks[turn->form]++;
    device->all_ns += ns;
    if (turn->tries)
        *(n < FIRST_CHUNKS ? &device->first_ns : &device->lost_ns) += fmax(0, ideal - other);
    yk_choice_note(&device->choice, &(struct yk_choice_chunk){ .form = turn->form,
                                                               .tries = turn->tries,
                                                               .items = items,
                                                               .ns = ns,
                                                               .range = device->range });
}

static void job(struct device *device)
{
    yk_choice_begin(&device->choice);
    for (int64_t left = device->range; left > 0;) {
        const struct yk_choice_asked asked = {
            .ready = BOTH, .range = device->range, .fill = device->fill, .spare_ns = INFINITY
        };
        struct yk_choice_turn turn;
        int64_t items = (int64_t)(device->part * (double)left);
        yk_choice_next(&device->choice, &asked, &turn);
        items = items > device->fill ? items : device->fill;
        items = turn.most && items > turn.most ? turn.most : items;
        items = items < left ? items : left;
        note(device, &turn, items);
        left -= items;
    }
}

static struct device random_device(uint64_t *seed)
{
    struct device device = { .fill = 1 + (int64_t)(1000 * uniform(seed)), .seed = *seed };
    device.range = device.fill * (1 + (int64_t)pow(10, 4 * uniform(seed)));
    device.part = uniform(seed) < 0.3 ? 1 : uniform(seed);
    device.noise = uniform(seed) < 0.3 ? 0 : 0.02 * uniform(seed);
    device.rate[0] = pow(10, -3 + 3 * uniform(seed));
    device.rate[1] = device.rate[0] * pow(10, -1 + 2 * uniform(seed));
    if (uniform(seed) < 0.5) /* nearly equal */
        device.rate[1] = device.rate[0] * (0.8 + 0.4 * uniform(seed));
    for (int f = 0; f < YK_FORMS; f++) {
        const double job = (double)device.range / device.rate[f];
        device.fixed_ns[f] = uniform(seed) < 0.5 ? 0 : 0.05 * uniform(seed) * job;
        device.warm_ns[f] = uniform(seed) < 0.5 ? 0 : uniform(seed) * 3 * job;
    }
    yk_choice_open(&device.choice);
    return device;
}

static void fail_of(const struct device *device, double excess)
{
    fail_msg(
        "%g times the better one's time, losses %g and %g of all; rates %g %g, fixed %g %g, noise "
        "%g, part %g, %g items, fill %g",
        excess, device->first_ns / device->all_ns, device->lost_ns / device->all_ns,
        device->rate[0], device->rate[1], device->fixed_ns[0], device->fixed_ns[1], device->noise,
        device->part, (double)device->range, (double)device->fill);
}

static void the_better_one_within_the_budget(void **state)
{
    uint64_t seed = 5;
    double mean = 0, worst = 0, most = 0;
    int above = 0;
    (void)state;
    for (int d = 0; d < DEVICES; d++) {
        struct device device = random_device(&seed);
        double best, excess;
        for (int j = 0; j < JOBS; j++)
            job(&device);
        best = fmin(job_ns(&device, 0), job_ns(&device, 1));
        excess = job_ns(&device, device.choice.best) / best;
        if (excess > 1.05 || device.lost_ns > YK_TRIAL_BUDGET * device.all_ns)
            fail_of(&device, excess);
        above += excess > 1.02;
        mean += excess / DEVICES;
        worst = fmax(worst, excess);
        most = fmax(most, device.lost_ns / device.all_ns);
    }
    printf("%g times the better one's time, at most %g, %d above 1.02; losses at most %g\n", mean,
           worst, above, most);
    assert_true(above <= DEVICES / 1000 && mean < 1.0005);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_better_one_within_the_budget) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
