/* command.c - all commands, found by name. */
#include "command.h"

#include <string.h>

#include "base/closest.h"
#include "request.h"

const struct command *const commands[] = {
    &command_run,        &command_sim,  &command_info, &command_doctor,
    &command_explain,    &command_kb,   &command_tune, &command_apps,
    &command_completion, &command_help, NULL
};

struct command_word command_app_word(int index)
{
    const struct app *app = apps[index];
    return app ? (struct command_word){ app->name, app->summary } : (struct command_word){ 0 };
}

struct command_word command_topic_word(int index)
{
    int count = 0;
    while (commands[count])
        count++;
    if (index >= count)
        return command_app_word(index - count);
    return (struct command_word){ commands[index]->name, commands[index]->summary };
}

const struct command *command_find(const char *name)
{
    struct yk_closest closest = { .word = name, .length = strlen(name) };
    for (int i = 0; commands[i]; i++) {
        if (!strcmp(commands[i]->name, name))
            return commands[i];
        yk_closest_try(&closest, commands[i]->name);
    }
    if (closest.name)
        args_mistake("there is no command '%s'; did you mean '%s'?", name, closest.name);
    else
        args_mistake("there is no command '%s'; 'yoke help' lists those there are", name);
    return NULL;
}

const struct app *command_find_app(const char *name)
{
    struct yk_closest closest = { .word = name, .length = strlen(name) };
    const struct app *app = app_find(name);
    if (app)
        return app;
    for (int i = 0; apps[i]; i++)
        yk_closest_try(&closest, apps[i]->name);
    if (closest.name)
        args_mistake("there is no application '%s'; did you mean '%s'?", name, closest.name);
    else
        args_mistake("there is no application '%s'; 'yoke apps' lists those there are", name);
    return NULL;
}

int command_failed(const char *text)
{
    args_say(text);
    return 1;
}

int command_stopped(void)
{
    command_failed("stopped on request");
    return request_status();
}
