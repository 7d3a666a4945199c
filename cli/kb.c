/* kb.c - yoke kb: shows what was learned, takes it to other machines, and forgets it. */
#include "kb.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/closest.h"
#include "command.h"

enum { KB_KERNEL, KB_MACHINE, KB_OLDER, KB_ALL, KB_LONG, KB_JSON, KB_FILE, KB_COUNT };

static const struct app_option options[] = {
    [KB_KERNEL] = { "kernel", "NAME", NULL, "use only lessons of this kernel" },
    [KB_MACHINE] = { "machine", "HASH", NULL,
                     "use only lessons of this machine: the number in list --long, or its first "
                     "digits" },
    [KB_OLDER] = { "older", "AGE", NULL,
                   "use only lessons not confirmed for this time: 90d, 12h, 30m" },
    [KB_ALL] = { "all", NULL, NULL, "forget: all lessons" },
    [KB_LONG] = { "long", NULL, NULL,
                  "list: also numbers of machines and subjects, and full paths" },
    [KB_JSON] = { "json", "FILE", NULL,
                  "list, show: write JSON to a file, or to - (standard output)" },
    [KB_FILE] = { "file", "PATH", NULL, "use this knowledge base instead of the user's" },
    { .name = NULL },
};

struct action {
    struct command_word word;
    int (*run)(struct kb *kb);
    int words; /* that follow: 0: none; 1: a kernel's name, or none; 2: a file, or none; 3: a
                * file */
};

static const struct action actions[] = {
    { { "list", "the kernels with lessons" }, kb_list, 0 },
    { { "show", "all lessons, or a kernel's" }, kb_show, 1 },
    { { "export", "lessons as JSON" }, kb_export, 2 },
    { { "import", "read lessons from such a file" }, kb_import, 3 },
    { { "forget", "a kernel's lessons, old ones, or all" }, kb_forget, 1 },
    { { NULL, NULL }, NULL, 0 },
};

static struct command_word action_word(int index)
{
    return actions[index].word;
}

static const struct action *find_action(const char *word)
{
    struct yk_closest closest = { .word = word, .length = strlen(word) };
    for (const struct action *action = actions; action->word.name; action++) {
        if (!strcmp(action->word.name, word))
            return action;
        yk_closest_try(&closest, action->word.name);
    }
    if (closest.name)
        args_mistake("yoke kb cannot '%s'; did you mean '%s'?", word, closest.name);
    else
        args_mistake("yoke kb cannot '%s'; it can list, show, export, import and forget", word);
    return NULL;
}

static int read_age(const char *text, int64_t *seen_before)
{
    static const struct {
        char letter;
        int64_t seconds;
    } units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
    char *end;
    if (!text)
        return 0;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    for (size_t i = 0; isdigit((unsigned char)*text) && i < sizeof units / sizeof *units; i++)
        if (!errno && number < 1000000000 && end[0] == units[i].letter && !end[1]) {
            *seen_before = time(NULL) - number * units[i].seconds;
            return 0;
        }
    return args_mistake("--older %s: an age is needed, as 90d, 12h, 30m or 10s", text);
}

struct machines {
    const char *digits;
    uint64_t found;
    int count;
};

static int try_machine(void *context, const yoke_lesson *lesson)
{
    struct machines *machines = context;
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, lesson->machine);
    if (strncmp(text, machines->digits, strlen(machines->digits)) == 0 &&
        (!machines->count || machines->found != lesson->machine)) {
        machines->found = lesson->machine;
        machines->count++; /* lessons are sorted by machine */
    }
    return 1;
}

static int find_machine(struct kb *kb, const char *digits)
{
    struct machines machines = { .digits = digits };
    if (!digits)
        return 0;
    if (!*digits || strspn(digits, "0123456789abcdef") != strlen(digits))
        return args_mistake("--machine %s: the number of a machine is needed, as 'yoke kb list "
                            "--long' shows it",
                            digits);
    if (yoke_knowledge_each(kb->knowledge, NULL, try_machine, &machines) != YOKE_OK)
        return command_failed(yoke_error_text());
    if (machines.count != 1)
        return args_mistake("--machine %s: %s; 'yoke kb list --long' shows them", digits,
                            machines.count ? "several machines begin like this"
                                           : "there is no lesson of such a machine");
    kb->filter.machine = machines.found;
    return 0;
}

/* The check_ functions refuse words and options that exclude each other. `word` is the one after
 * the action, or NULL. */
static int check_word(const struct action *action, const char *word, const char *const *values)
{
    if (word && action->words == 0)
        return args_mistake("yoke kb %s: '%s' is one word too many; see 'yoke help kb'",
                            action->word.name, word);
    if (!word && action->words == 3)
        return args_mistake("yoke kb %s: a file is needed; - is standard input", action->word.name);
    if (word && action->words == 1 && values[KB_KERNEL])
        return args_mistake("yoke kb %s: '%s' and --kernel name a kernel each", action->word.name,
                            word);
    return 0;
}

/* Returns 1 if an option selects some of the lessons. */
static int chooses(const char *const *values)
{
    return values[KB_KERNEL] || values[KB_MACHINE] || values[KB_OLDER];
}

static int check_options(const struct action *action, const char *const *values)
{
    if (values[KB_JSON] && action->run != kb_list && action->run != kb_show)
        return args_mistake("--json is for list and show; export writes JSON by itself");
    if (values[KB_LONG] && action->run != kb_list)
        return args_mistake("--long is for list; %s needs none", action->word.name);
    if (values[KB_ALL] && action->run != kb_forget)
        return args_mistake("--all is for forget; %s takes all unless told otherwise",
                            action->word.name);
    if (action->run == kb_import && chooses(values))
        return args_mistake("yoke kb import takes all of a file; export only what is wanted");
    return 0;
}

static int check_forget(const char *word, const char *const *values)
{
    const int limited = word || chooses(values);
    if (!limited && !values[KB_ALL])
        return args_mistake("say what to forget: a kernel's name, --machine, --older, or --all");
    if (limited && values[KB_ALL])
        return args_mistake("--all forgets all lessons; leave it out, or the other selections");
    return 0;
}

static int check(const struct action *action, const char *word, const char *const *values)
{
    int status = check_word(action, word, values);
    if (!status)
        status = check_options(action, values);
    return status || action->run != kb_forget ? status : check_forget(word, values);
}

/* Opening a file that is not a database sets it aside. That is right for yoke's own file, but a
 * file that the user named is more likely one that export wrote, and must stay. An empty file
 * becomes a database when something is imported into it. */
static int is_something_else(const char *path, const struct action *action)
{
    static const char begin[] = "SQLite format 3";
    char found[sizeof begin] = "";
    FILE *file = fopen(path, "re");
    size_t bytes = file ? fread(found, 1, sizeof found, file) : 0;
    const int ended = file && feof(file); /* a folder gives an error */
    if (file)
        fclose(file);
    if (bytes == 0)
        return ended && action->run != kb_import;
    return memcmp(found, begin, sizeof begin) != 0;
}

/* Only import may create a file. */
static int open_base(struct kb *kb, const struct action *action, const char *path)
{
    if (path && action->run != kb_import && access(path, F_OK) != 0) {
        fprintf(stderr, "yoke: %s cannot be read: %s\n", path, strerror(errno));
        return 1;
    }
    if (path && is_something_else(path, action)) {
        fprintf(stderr,
                "yoke: --file %s is not a knowledge base and is not changed; 'yoke kb import' "
                "reads what export wrote\n",
                path);
        return 1;
    }
    return yoke_knowledge_open(path, &kb->knowledge) == YOKE_OK ? 0
                                                                : command_failed(yoke_error_text());
}

static int run_kb(int argc, char **argv)
{
    const char *values[KB_COUNT];
    struct args args = { .command = "kb", .tables = { { options, values } }, .word_limit = 2 };
    struct kb kb = { NULL };
    int status = args_parse(&args, argc, argv);
    if (status)
        return status;
    if (args.word_count == 0)
        return args_mistake(
            "kb needs an action: list, show, export, import or forget; see 'yoke help kb'");
    const struct action *action = find_action(args.words[0]);
    if (!action)
        return 2;
    kb.word = args.word_count > 1 ? args.words[1] : NULL;
    status = check(action, kb.word, values);
    kb.json = values[KB_JSON];
    kb.is_long = values[KB_LONG] != NULL;
    kb.filter.name = action->words == 1 && kb.word ? kb.word : values[KB_KERNEL];
    if (!status)
        status = read_age(values[KB_OLDER], &kb.filter.seen_before);
    if (!status)
        status = open_base(&kb, action, values[KB_FILE]);
    if (!status)
        status = find_machine(&kb, values[KB_MACHINE]);
    if (!status)
        status = action->run(&kb);
    yoke_knowledge_close(kb.knowledge);
    return status;
}

const struct command command_kb = {
    .name = "kb",
    .words = "ACTION",
    .summary = "List, show, export, import or forget what was learned",
    .text = "Actions:\n"
            "  list             the kernels with lessons, for each machine\n"
            "  show [KERNEL]    all lessons, or a kernel's: each device's share and model\n"
            "  export [FILE]    write lessons as JSON to a file, or to - (output, the default)\n"
            "  import FILE      read lessons from such a file (- is standard input) and keep the "
            "others\n"
            "  forget [KERNEL]  lessons of a kernel, those --machine and --older name, or --all",
    .options = options,
    .word = action_word,
    .run = run_kb,
};
