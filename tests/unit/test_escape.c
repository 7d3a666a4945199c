/* test_escape.c - a thread is forced out of a call that does not return, out of no other call, and
 * repeatedly. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/escape.h"
#include "platform/fault.h"

static _Atomic(struct yk_escape *) hung;
static atomic_int others;

/* 0: the function returned. */
static int call(void (*fn)(void))
{
    if (sigsetjmp(yk_escape_self()->back, 0) != 0)
        return 1;
    yk_escape_enter();
    fn();
    yk_escape_leave();
    return 0;
}

static void returns(void)
{
}

static void hangs(void)
{
    atomic_store(&hung, yk_escape_self());
    for (;;)
        pause();
}

static void *hang_twice(void *context)
{
    sigset_t before, after;
    int *left = context;
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    *left = call(hangs) + call(returns) + call(hangs);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    *left += sigismember(&after, SIGILL) == sigismember(&before, SIGILL);
    return NULL;
}

static struct yk_escape *wait_for_hung(void)
{
    struct yk_escape *escape;
    while (!(escape = atomic_exchange(&hung, NULL)))
        usleep(1000);
    return escape;
}

static void a_thread_is_sent_out(void **state)
{
    struct yk_escape *escape;
    pthread_t thread;
    unsigned first, second;
    int left = 0;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, hang_twice, &left), 0);
    escape = wait_for_hung();
    first = yk_escape_call(escape);
    assert_true(first);
    yk_escape_force(escape, first, "test");
    escape = wait_for_hung();
    second = yk_escape_call(escape);
    assert_int_equal(second, first + 4);
    yk_escape_force(escape, first, "test"); /* a call that is over */
    usleep(20000);
    assert_int_equal(yk_escape_call(escape), second);
    yk_escape_force(escape, second, "test");
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(left, 3);
}

static void note(int number)
{
    (void)number;
    atomic_fetch_add(&others, 1);
}

static void other_signals_go_where_they_went(void **state)
{
    struct sigaction own = { .sa_handler = note }, before;
    (void)state;
    sigaction(SIGILL, &own, &before);
    yk_faults_renew();
    raise(SIGILL); /* in a thread that has made no call */
    assert_int_equal(atomic_load(&others), 1);
    assert_int_equal(call(returns), 0);
    yk_escape_force(yk_escape_self(), 1, "test"); /* a call that is over */
    assert_int_equal(atomic_load(&others), 1);
    raise(SIGILL);
    assert_int_equal(atomic_load(&others), 2);
    assert_int_equal(call(returns), 0);
    sigaction(SIGILL, &before, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_is_sent_out),
        cmocka_unit_test(other_signals_go_where_they_went),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
