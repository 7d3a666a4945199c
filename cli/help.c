/* help.c - help for a command or an application, from the tables that the parser reads. */
#include <string.h>

#include "command.h"
#include "table.h"

static void print_options(const struct app_option *options)
{
    struct table table = { .indent = 2 };
    for (; options && options->name; options++) {
        const char *initial = options->value ? options->initial : NULL; /* a flag has no default */
        char left[64], right[256];
        snprintf(left, sizeof left, "--%s%s%s", options->name, options->value ? " " : "",
                 options->value ? options->value : "");
        snprintf(right, sizeof right, "%s%s%s%s", options->help, initial ? " [" : "",
                 initial ? initial : "", initial ? "]" : "");
        table_cell(&table, TABLE_LEFT, "%s", left);
        table_cell(&table, TABLE_LEFT, "%s", right);
        table_row(&table);
    }
    table_print(&table, stdout);
}

static void print_apps(void)
{
    struct table table = { .indent = 2 };
    for (int i = 0; apps[i]; i++) {
        table_cell(&table, TABLE_LEFT, "%s", apps[i]->name);
        table_cell(&table, TABLE_LEFT, "%s", apps[i]->summary);
        table_row(&table);
    }
    table_print(&table, stdout);
}

static void print_overview(void)
{
    struct table table = { .indent = 2 };
    printf("usage: yoke COMMAND [WORDS] [OPTIONS]\n\n"
           "One loop on every processor of a machine, CPU cores and GPUs at once.\n\n");
    for (int i = 0; commands[i]; i++) {
        table_cell(&table, TABLE_LEFT, "%s %s", commands[i]->name, commands[i]->words);
        table_cell(&table, TABLE_LEFT, "%s", commands[i]->summary);
        table_row(&table);
    }
    table_print(&table, stdout);
    printf("\n'yoke help COMMAND' tells more; 'yoke --version' prints the version.\n");
}

void help_print(const struct command *command, const struct app *app)
{
    if (command == &command_help) {
        print_overview();
        return;
    }
    printf("usage: yoke %s%s%s%s\n\n%s.\n", command->name, *command->words ? " " : "",
           app ? app->name : command->words, command->options ? " [OPTIONS]" : "",
           app ? app->summary : command->summary);
    if (command == &command_run && !app) {
        printf("\nApplications ('yoke run APP --help' lists their own options):\n");
        print_apps();
    }
    if (app && app->options) {
        printf("\nOptions of %s (--size counts %s):\n", app->name, app->size_words);
        print_options(app->options);
    }
    if (command->options) {
        printf("\nOptions%s:\n", app ? " of every application" : "");
        print_options(command->options);
    }
    if (command->text)
        printf("\n%s\n", command->text);
}

int help_wanted(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--"); i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return 1;
    return 0;
}

static int run_help(int argc, char **argv)
{
    struct args args = { .command = "help", .word_limit = 1 };
    const struct command *command = &command_help;
    const struct app *app = NULL;
    int wrong = args_parse(&args, argc, argv);
    if (wrong)
        return wrong;
    if (args.word_count && (app = app_find(args.words[0])))
        command = &command_run;
    else if (args.word_count)
        command = command_find(args.words[0]);
    if (!command)
        return 2;
    help_print(command, app);
    return 0;
}

const struct command command_help = {
    .name = "help",
    .words = "[COMMAND]",
    .summary = "What a command or an application does, and its options",
    .word = command_topic_word,
    .run = run_help,
};

static int run_apps(int argc, char **argv)
{
    struct args args = { .command = "apps" };
    int wrong = args_parse(&args, argc, argv);
    if (!wrong)
        print_apps();
    return wrong;
}

const struct command command_apps = {
    .name = "apps",
    .words = "",
    .summary = "The applications that 'yoke run' has",
    .run = run_apps,
};
