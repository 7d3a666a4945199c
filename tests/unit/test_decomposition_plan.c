/* test_decomposition_plan.c - when a decomposition's plan is made anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "life/decomposition.h"
#include "life/decomposition_plan.h"

/* A new plan may cost more than its part of the time if jobs differ from what the present one
 * promised: if they take longer, and if they take less time. */
static void a_wrong_plan_is_made_anew(void **state)
{
    struct yk_decomposition decomposition = { .jobs = 20,
                                              .division = { .stand = 1 },
                                              .planning = { .at = 10, .spent_ns = 1e5 },
                                              .explorer = { .all_ns = 1e6 } };
    static const double unexplained_ns[] = { 2e5, -2e5 };
    (void)state;
    assert_int_equal(yk_decomposition_is_due(&decomposition), 0);
    for (int i = 0; i < 2; i++) {
        decomposition.planning.unexplained_ns = unexplained_ns[i];
        assert_int_equal(yk_decomposition_is_due(&decomposition), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_plan_is_made_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
