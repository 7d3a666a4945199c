/* plot.c - runs gnuplot as a child process: its script is an unnamed file, and the picture is its
 * standard output.
 *
 * A file, not a pipe, because gnuplot may end before it has read everything. No file name is part
 * of the script, so nothing needs quoting.
 */
#include "plot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"
#include "command.h"
#include "platform/new_file.h"

extern char **environ;

enum { WORDS_MAX = 400 };

/* gnuplot's standard input, output and error; -1: /dev/null. */
struct streams {
    int input, output, errors;
};

static void connect_to(posix_spawn_file_actions_t *actions, int stream, int place)
{
    if (stream >= 0)
        posix_spawn_file_actions_adddup2(actions, stream, place);
    else
        posix_spawn_file_actions_addopen(actions, place, "/dev/null", O_RDWR, 0);
}

static int run_gnuplot(const char *word, struct streams streams)
{
    char name[] = "gnuplot", argument[16];
    char *words[] = { name, word ? argument : NULL, NULL };
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    snprintf(argument, sizeof argument, "%s", word ? word : "");
    errno = posix_spawn_file_actions_init(&actions);
    if (errno)
        return -1;
    connect_to(&actions, streams.input, STDIN_FILENO);
    connect_to(&actions, streams.output, STDOUT_FILENO);
    connect_to(&actions, streams.errors, STDERR_FILENO);
    errno = posix_spawnp(&child, name, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (errno)
        return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

static int is_svg(const char *path)
{
    return strcmp(path + strlen(path) - 4, ".svg") == 0;
}

int plot_check(const char *path)
{
    size_t length = strlen(path);
    if (length < 5 || (strcmp(path + length - 4, ".png") && !is_svg(path)))
        return args_mistake("--plot %s: the name has to end in .png or .svg", path);
    if (run_gnuplot("--version", (struct streams){ -1, -1, -1 }) == 0)
        return 0;
    return command_failed("gnuplot, which draws --plot, cannot be started; install it (Debian, "
                          "Ubuntu: apt install gnuplot-nox), or leave --plot out");
}

int plot_open(struct plot *plot, const char *path, int width, int height)
{
    *plot = (struct plot){ .script = tmpfile(), .path = path };
    if (!plot->script) {
        fprintf(stderr, "yoke: %s cannot be drawn: no file for gnuplot's words: %s\n", path,
                strerror(errno));
        return 1;
    }
    if (is_svg(path))
        fprintf(plot->script, "set terminal svg size %d,%d background 'white'\n", width, height);
    else
        fprintf(plot->script,
                "if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) { set terminal pngcairo size %d,%d "
                "} else { set terminal png size %d,%d }\n",
                width, height, width, height);
    return 0;
}

/* Reads gnuplot's messages into one line. */
static void read_words(FILE *errors, char words[WORDS_MAX])
{
    size_t used = 0;
    int letter, blank = 1;
    rewind(errors);
    while (used + 1 < WORDS_MAX && (letter = getc(errors)) != EOF) {
        int is_blank = letter == '\n' || letter == ' ' || letter == '\t';
        if (!is_blank || !blank)
            words[used++] = is_blank ? ' ' : (char)letter;
        blank = is_blank;
    }
    words[used] = '\0';
}

static int draw(const struct plot *plot, FILE *picture, FILE *errors)
{
    char words[WORDS_MAX];
    struct stat drawn;
    rewind(plot->script);
    int status = run_gnuplot(
        NULL, (struct streams){ fileno(plot->script), fileno(picture), fileno(errors) });
    if (status == 0 && fstat(fileno(picture), &drawn) == 0 &&
        (drawn.st_size > 0 || !S_ISREG(drawn.st_mode)))
        return 0;
    read_words(errors, words);
    fprintf(stderr, "yoke: %s cannot be drawn: gnuplot said: %s\n", plot->path,
            *words ? words : "nothing, and drew nothing");
    return 1;
}

int plot_finish(struct plot *plot)
{
    struct yk_new_file file = { 0 };
    FILE *errors = tmpfile();
    int wrong = errors ? yk_new_file_open(&file, plot->path) : errno, status = 0;
    if (!wrong && fflush(plot->script) != 0)
        wrong = errno;
    if (!wrong)
        status = draw(plot, file.stream, errors);
    if (file.stream && (wrong || status))
        yk_new_file_drop(&file);
    else if (file.stream)
        wrong = yk_new_file_finish(&file);
    if (wrong)
        fprintf(stderr, "yoke: %s cannot be written: %s; give --plot another place\n", plot->path,
                strerror(wrong));
    if (errors)
        fclose(errors);
    fclose(plot->script);
    return wrong || status;
}
