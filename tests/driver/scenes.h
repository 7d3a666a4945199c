/* scenes.h - a driver is loaded once in a process, so each scene is a process of its own: the
 * test's program once more, with the scene's name and one more word.
 */
#ifndef SCENES_H
#define SCENES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { SCENE_SECONDS = 60 };

struct scene {
    const char *name;
    void (*play)(void);
};

/* In the scene's process, of which the test sees that it failed. */
#define must(...)                                                                                  \
    ((__VA_ARGS__)                                                                                 \
         ? (void)0                                                                                 \
         : (fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #__VA_ARGS__), abort()))

/* In the test: it went well. */
static inline void play(const char *scene, const char *word)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl("/proc/self/exe", "scene", scene, word, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* In the scene's process: what main returns, by way of the exit handlers. A name of NULL ends the
 * list. */
static inline int play_here(const struct scene *scene, const char *name)
{
    while (scene->name && strcmp(scene->name, name) != 0)
        scene++;
    if (!scene->name)
        return 2;
    alarm(SCENE_SECONDS);
    scene->play();
    return 0;
}

static inline void every_scene(void **state)
{
    for (const struct scene *scene = *state; scene->name; scene++) {
        print_message("%s\n", scene->name);
        play(scene->name, "");
    }
}

/* What main returns for a test that plays every scene. 77: without the stand-in driver it is
 * skipped. */
static inline int play_all(int argc, char **argv, const struct scene *scenes)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test_prestate(every_scene, (void *)scenes) };
    if (!getenv("YOKE_CUDA_LIBRARY"))
        return 77;
    if (argc == 3)
        return play_here(scenes, argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
