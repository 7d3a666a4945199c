/* test_fault.c - yoke's fault handlers beside a program's own handlers. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/fault.h"

static atomic_int *seen; /* calls of the program's handler; shared with children */
static struct sigaction before_program;

/* Like a crash reporter: it passes the signal on. */
static void program_handler(int signal, siginfo_t *info, void *context)
{
    if (atomic_fetch_add(seen, 1) < 10 && (before_program.sa_flags & SA_SIGINFO))
        before_program.sa_sigaction(signal, info, context);
    else
        _exit(3);
}

static void first_handler(int signal)
{
    (void)signal;
    _exit(42);
}

/* yoke's handler, the program's over it, and yoke's again over that: the fault reaches each of
 * them, and finally the handler that was installed first. */
static void fault_through_all(void)
{
    const struct sigaction first = { .sa_handler = first_handler };
    const struct sigaction program = { .sa_sigaction = program_handler, .sa_flags = SA_SIGINFO };
    struct yk_faults *faults;
    alarm(30);
    sigaction(SIGSEGV, &first, NULL);
    if (yk_faults_open(&faults) != YOKE_OK)
        _exit(4);
    sigaction(SIGSEGV, &program, &before_program);
    yk_faults_renew();
    char *closed = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *(volatile char *)closed = 1;
    _exit(5);
}

static void handlers_that_pass_on_end(void **state)
{
    int status;
    (void)state;
    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(seen != MAP_FAILED);
    const pid_t child = fork();
    if (child == 0)
        fault_through_all();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
    assert_int_equal(atomic_load(seen), 1);
    munmap(seen, sizeof *seen);
}

static void write_closed(void *context)
{
    *(volatile char *)context = 1;
}

static void return_at_once(void *context)
{
    (void)context;
}

static void faults_are_told(void **state)
{
    struct yk_faults *faults;
    struct yk_fault fault;
    (void)state;
    char *closed = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(yk_faults_open(&faults), YOKE_OK);
    assert_int_equal(yk_fault_try(faults, return_at_once, NULL, &fault), 1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(yk_fault_try(faults, write_closed, closed + 7, &fault), 0);
        assert_int_equal(fault.signal, SIGSEGV);
        assert_true(fault.address == (uintptr_t)closed + 7);
    }
    yk_faults_close(faults);
    munmap(closed, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlers_that_pass_on_end), /* before any handler was installed */
        cmocka_unit_test(faults_are_told),
    };
    return cmocka_run_group_tests_name("fault", tests, NULL, NULL);
}
