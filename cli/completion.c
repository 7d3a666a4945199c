/* completion.c - yoke completion SHELL: what a shell needs to complete yoke's words, made from the
 * tables that the parser reads, so that it includes all of them.
 *
 * After an option that takes a value the shell offers files, partitioners or nothing, depending on
 * the option.
 */
#include <string.h>

#include "command.h"
#include "yoke/doctor.h"

enum value { VALUE_NONE, VALUE_FILE, VALUE_PARTITIONER, VALUE_OTHER };

static const struct app_option help_option = { "help", NULL, NULL, "show help and end" };

static enum value value_of(const struct app_option *option)
{
    if (!option->value)
        return VALUE_NONE;
    if (!strcmp(option->value, "FILE") || !strcmp(option->value, "PATH") ||
        !strcmp(option->value, "PREFIX"))
        return VALUE_FILE;
    return strcmp(option->name, "partitioner") ? VALUE_OTHER : VALUE_PARTITIONER;
}

/* each_option calls it for each option of the command and for --help, with `app` NULL; then, if the
 * command takes an application, for the options of each application. */
typedef void option_visit(const struct command *command, const struct app *app,
                          const struct app_option *option);

static void each_option(const struct command *command, option_visit *visit)
{
    for (const struct app_option *o = command->options; o && o->name; o++)
        visit(command, NULL, o);
    visit(command, NULL, &help_option);
    for (int i = 0; command->word == command_app_word && apps[i]; i++)
        for (const struct app_option *o = apps[i]->options; o && o->name; o++)
            visit(command, apps[i], o);
}

static void print_partitioners(void)
{
    for (int i = 0; yoke_partitioner_name(i); i++)
        printf("%s%s", i ? " " : "", yoke_partitioner_name(i));
}

/* Prints text for single quotes: `quote` for each single quote in it, and a backslash before each
 * character that is in `special`. */
static void print_quoted(const char *text, const char *special, const char *quote)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs(quote, stdout);
        else
            printf("%s%c", strchr(special, *text) ? "\\" : "", *text);
}

/* --- bash and zsh: a case for each command, and for each option that takes a value --- */

static enum value wanted;
static int printed;

static void print_case(const struct command *command, const struct app *app,
                       const struct app_option *option)
{
    (void)app;
    if (value_of(option) == wanted)
        printf("%s\"%s --%s\"", printed++ ? " | " : "    ", command->name, option->name);
}

/* Prints a case for all options with this kind of value; `then` is the shell code it runs. */
static void print_values(enum value value, const char *then)
{
    wanted = value;
    printed = 0;
    for (int i = 0; commands[i]; i++)
        each_option(commands[i], print_case);
    printf(")\n        %s\n", then);
}

static const struct app *only; /* print its options; NULL: only the command's */

static void print_bash_option(const struct command *command, const struct app *app,
                              const struct app_option *option)
{
    (void)command;
    if (app == only)
        printf(" --%s", option->name);
}

static void print_zsh_entry(const char *dashes, const char *name, const char *help)
{
    printf(" '%s%s:", dashes, name);
    print_quoted(help, ":\\", "'\\''");
    putchar('\'');
}

static void print_zsh_option(const struct command *command, const struct app *app,
                             const struct app_option *option)
{
    (void)command;
    if (app == only)
        print_zsh_entry("--", option->name, option->help);
}

static void print_bash_command(const struct command *command)
{
    printf("    %s)\n        words=\"", command->name);
    only = NULL;
    each_option(command, print_bash_option);
    printf("\"\n");
    if (command->word) {
        printf("        [ \"$COMP_CWORD\" = 2 ] && words=\"$words");
        for (int i = 0; command->word(i).name; i++)
            printf(" %s", command->word(i).name);
        printf("\"\n");
    }
    if (command->word == command_app_word) {
        printf("        case ${COMP_WORDS[2]} in\n");
        for (int i = 0; apps[i]; i++) {
            only = apps[i];
            printf("        %s) words=\"$words", apps[i]->name);
            each_option(command, print_bash_option);
            printf("\" ;;\n");
        }
        printf("        esac\n");
    }
    printf("        ;;\n");
}

static void print_bash(void)
{
    printf("# bash completion for yoke, made by 'yoke completion bash'\n"
           "_yoke()\n{\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} words=\n"
           "    COMPREPLY=()\n"
           "    case \"${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD-1]}\" in\n");
    print_values(VALUE_FILE, "compopt -o filenames 2>/dev/null\n"
                             "        COMPREPLY=($(compgen -f -- \"$current\"))\n"
                             "        return ;;");
    print_values(VALUE_OTHER, "return ;;");
    print_values(VALUE_PARTITIONER, "words=\"");
    fputs("        ", stdout);
    print_partitioners();
    printf("\"\n        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n        return ;;\n"
           "    esac\n"
           "    case ${COMP_CWORD}:${COMP_WORDS[1]} in\n    1:*) words=\"--help --version");
    for (int i = 0; commands[i]; i++)
        printf(" %s", commands[i]->name);
    printf("\" ;;\n    esac\n    [ \"$COMP_CWORD\" = 1 ] || case ${COMP_WORDS[1]} in\n");
    for (int i = 0; commands[i]; i++)
        print_bash_command(commands[i]);
    printf("    esac\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n}\n"
           "complete -F _yoke yoke\n");
}

static void print_zsh_command(const struct command *command)
{
    printf("    (%s)\n        found=(", command->name);
    only = NULL;
    each_option(command, print_zsh_option);
    printf(")\n");
    if (command->word) {
        printf("        (( CURRENT == 3 )) && found+=(");
        for (int i = 0; command->word(i).name; i++)
            print_zsh_entry("", command->word(i).name, command->word(i).help);
        printf(")\n");
    }
    if (command->word == command_app_word) {
        printf("        case ${words[3]} in\n");
        for (int i = 0; apps[i]; i++) {
            only = apps[i];
            printf("        (%s) found+=(", apps[i]->name);
            each_option(command, print_zsh_option);
            printf(") ;;\n");
        }
        printf("        esac\n");
    }
    printf("        ;;\n");
}

static void print_zsh(void)
{
    printf("#compdef yoke\n# made by 'yoke completion zsh'\n"
           "_yoke()\n{\n"
           "    local -a found\n"
           "    if (( CURRENT == 2 )); then\n        found=(");
    for (int i = 0; commands[i]; i++)
        print_zsh_entry("", commands[i]->name, commands[i]->summary);
    print_zsh_entry("--", "help", help_option.help);
    print_zsh_entry("--", "version", "print the version");
    printf(")\n        _describe command found\n        return\n    fi\n"
           "    case \"${words[2]} ${words[CURRENT-1]}\" in\n");
    print_values(VALUE_FILE, "_files\n        return ;;");
    print_values(VALUE_OTHER, "return ;;");
    print_values(VALUE_PARTITIONER, "found=(");
    fputs("        ", stdout);
    print_partitioners();
    printf(")\n        _describe partitioner found\n        return ;;\n    esac\n"
           "    case ${words[2]} in\n");
    for (int i = 0; commands[i]; i++)
        print_zsh_command(commands[i]);
    printf("    esac\n    _describe word found\n}\n"
           "[ \"${funcstack[1]}\" = _yoke ] && _yoke \"$@\" || compdef _yoke yoke\n");
}

/* --- fish: a line for each word --- */

static void print_fish_option(const struct command *command, const struct app *app,
                              const struct app_option *option)
{
    const enum value value = value_of(option);
    printf("complete -c yoke -n '__fish_seen_subcommand_from %s", command->name);
    if (app)
        printf("; and __fish_seen_subcommand_from %s", app->name);
    printf("' -l %s", option->name);
    if (value == VALUE_FILE)
        printf(" -r -F");
    else if (value != VALUE_NONE)
        printf(" -x");
    if (value == VALUE_PARTITIONER) {
        printf(" -a '");
        print_partitioners();
        printf("'");
    }
    printf(" -d '");
    print_quoted(option->help, "\\", "\\'");
    printf("'\n");
}

static void print_fish_word(const char *condition, const char *word, const char *help)
{
    printf("complete -c yoke -n '%s' -a %s -d '", condition, word);
    print_quoted(help, "\\", "\\'");
    printf("'\n");
}

static void print_fish(void)
{
    char condition[128];
    printf("# fish completion for yoke, made by 'yoke completion fish'\n"
           "complete -c yoke -f\n"
           "complete -c yoke -n __fish_use_subcommand -l help -d '%s'\n"
           "complete -c yoke -n __fish_use_subcommand -l version -d 'print the version'\n",
           help_option.help);
    for (int i = 0; commands[i]; i++) {
        const struct command *command = commands[i];
        print_fish_word("__fish_use_subcommand", command->name, command->summary);
        each_option(command, print_fish_option);
        snprintf(condition, sizeof condition,
                 "__fish_seen_subcommand_from %s; and test (count (commandline -opc)) -eq 2",
                 command->name);
        for (int w = 0; command->word && command->word(w).name; w++)
            print_fish_word(condition, command->word(w).name, command->word(w).help);
    }
}

static const struct {
    struct command_word word;
    void (*print)(void);
} shells[] = {
    { { "bash", "for ~/.local/share/bash-completion/completions/yoke" }, print_bash },
    { { "zsh", "for _yoke in a folder of $fpath" }, print_zsh },
    { { "fish", "for ~/.config/fish/completions/yoke.fish" }, print_fish },
    { { NULL, NULL }, NULL },
};

static struct command_word shell_word(int index)
{
    return shells[index].word;
}

static int run_completion(int argc, char **argv)
{
    struct args args = { .command = "completion", .word_limit = 1 };
    int wrong = args_parse(&args, argc, argv);
    if (wrong)
        return wrong;
    for (int i = 0; args.word_count && shells[i].print; i++)
        if (!strcmp(args.words[0], shells[i].word.name)) {
            shells[i].print();
            return 0;
        }
    return args_mistake("a shell is needed: 'yoke completion bash', zsh or fish");
}

const struct command command_completion = {
    .name = "completion",
    .words = "SHELL",
    .summary = "What bash, zsh or fish need to complete yoke's words",
    .text = "'make install' puts it where shells look. For one session of bash:\n"
            "  source <(yoke completion bash)",
    .word = shell_word,
    .run = run_completion,
};
