/* main.c - the first word selects the command; output that could not be written is an error.
 *
 * A reader may close its pipe early (yoke info | head -1). That is no error: SIGPIPE is ignored so
 * that a run still ends in order, and main() does not report EPIPE.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "command.h"
#include "platform/new_file.h"

static int dispatch(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (!*word) {
        args_mistake("a command is missing; 'yoke help' lists them");
        return 2;
    }
    if (!strcmp(word, "--version") || !strcmp(word, "-V") || !strcmp(word, "version")) {
        printf("yoke %s\n", yoke_version());
        return 0;
    }
    if (!strcmp(word, "--help") || !strcmp(word, "-h"))
        word = "help";
    else if (word[0] == '-')
        return args_mistake("yoke has no option %s; a command comes first, see 'yoke help'", word);
    const struct command *command = command_find(word);
    if (!command)
        return 2;
    if (command != &command_run && help_wanted(argc - 2, argv + 2)) {
        help_print(command, NULL);
        return 0;
    }
    return command->run(argc - 2, argv + 2);
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    int status = dispatch(argc, argv);
    int trouble = yk_stream_trouble(stdout);
    if (trouble && trouble != EPIPE && status == 0) {
        fprintf(stderr, "yoke: the output could not be written: %s\n", strerror(trouble));
        status = 1;
    }
    return status;
}
