/* command.h - the table of commands: what `yoke help` lists and main() calls. */
#ifndef YOKE_CLI_COMMAND_H
#define YOKE_CLI_COMMAND_H

#include "args.h"

/* A possible word after a command's name. */
struct command_word {
    const char *name, *help; /* name NULL: there are no more words */
};

struct command {
    const char *name, *words, *summary;     /* words: "APP", as in "yoke run APP" */
    const char *text;                       /* help text beyond the options; may be NULL */
    const struct app_option *options;       /* NULL-name terminated, or NULL */
    struct command_word (*word)(int index); /* the command's word number `index`, from 0; NULL: it
                                             * has no list of words */
    int (*run)(int argc, char **argv); /* takes the words after the command's name; returns the exit
                                        * status */
};

extern const struct command *const commands[]; /* NULL-terminated */
extern const struct command command_run, command_sim, command_info, command_doctor, command_explain,
    command_kb, command_tune, command_apps, command_help, command_completion;

struct command_word command_app_word(int index);      /* an application */
struct command_word command_topic_word(int index);    /* a command, or an application */
const struct command *command_find(const char *name); /* NULL after a message */
const struct app *command_find_app(const char *name); /* the same for applications */
/* Prints the help of `yoke help NAME` and `yoke NAME --help`; `app` may be NULL. */
void help_print(const struct command *command, const struct app *app);
/* Returns 1 if --help or -h is among the words before "--". */
int help_wanted(int argc, char **argv);
/* Prints the error text of a failed call of yoke or an application, and returns 1. */
int command_failed(const char *text);
/* Reports that the command stopped on request, and returns the request's exit status. */
int command_stopped(void);

#endif
