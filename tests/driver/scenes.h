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

#endif
