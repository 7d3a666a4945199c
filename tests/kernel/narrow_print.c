/* narrow_print.c - prints the second entries of a flattened text's range kernels (access/narrow.h).
 *
 *     yoke-embed --print CUDA kernels.c | narrow_print [--bodies]
 *
 * prints the text that a device gets after the text of each kernel; with --bodies only the bodies,
 * and the names of kernels with one entry. Kernels are found by their bodies, whose parameters also
 * give what the descriptor would. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/narrow.h"
#include "access/token.h"

enum { TEXT_ROOM = 4 << 20, NAME_ROOM = 128 };
static char text[TEXT_ROOM];

struct descriptor {
    char name[NAME_ROOM], type[YOKE_ARGS_MAX][NAME_ROOM], param[YOKE_ARGS_MAX][NAME_ROOM];
    yoke_param params[YOKE_ARGS_MAX];
    yoke_kernel kernel;
    int sizes;
};

static void take(const struct yk_token *token, char out[NAME_ROOM])
{
    snprintf(out, NAME_ROOM, "%.*s", token->length, token->text);
}

/* One parameter of a body: its tokens up to `,` or `)`. Those before yk_size2 are indexes. */
static void add_parameter(struct descriptor *to, const struct yk_token *name,
                          const struct yk_token *type, int is_array)
{
    const int p = to->kernel.param_count;
    if (yk_token_is(name, "yk_size2") || yk_token_is(name, "yk_size3")) {
        to->sizes++;
    } else if (to->sizes == 0) {
        to->kernel.dimensions++;
    } else if (p < YOKE_ARGS_MAX) {
        take(name, to->param[p]);
        take(type, to->type[p]);
        to->params[p] = (yoke_param){ is_array ? YOKE_PARAM_IN : YOKE_PARAM_VALUE, to->type[p],
                                      to->param[p], strstr(to->type[p], "64") ? 8 : 4, 4 };
        to->kernel.param_count++;
    }
}

static const char *read_parameters(const char *at, struct descriptor *to)
{
    int line = 1, is_array = 0, depth = 1;
    struct yk_token before = { 0 }, last = { 0 }, pointed_to = { 0 };
    for (;;) {
        struct yk_token token = yk_token_next(&at, &line);
        depth += yk_token_is(&token, "(");
        depth -= yk_token_is(&token, ")");
        if (token.kind == YK_TOKEN_END || depth == 0 || (depth == 1 && yk_token_is(&token, ","))) {
            if (last.text)
                add_parameter(to, &last, is_array ? &pointed_to : &before, is_array);
            if (!yk_token_is(&token, ","))
                return at;
            is_array = 0;
        }
        if (yk_token_is(&token, "*")) {
            is_array = 1;
            pointed_to = last;
        }
        before = last;
        last = token;
    }
}

static int has_word(const char *head, const char *word)
{
    const char *found = strstr(head, word);
    return found && found < strchr(head, '{');
}

/* The entry of a kernel that reduces has one more parameter, its blocks; that of a kernel that adds
 * has one for each array that it adds to. */
static void note_modes(struct descriptor *of)
{
    char entry[2 * NAME_ROOM], copies[2 * NAME_ROOM];
    snprintf(entry, sizeof entry, "yoke_entry_%s(", of->name);
    const char *head = strstr(text, entry);
    if (head && has_word(head, "yk_blocks_)"))
        of->params[of->kernel.param_count - 1].mode = YOKE_PARAM_REDUCE;
    for (int p = 0; head && p < of->kernel.param_count; p++) {
        snprintf(copies, sizeof copies, " %s_yk_copies", of->param[p]);
        if (has_word(head, copies))
            of->params[p].mode = YOKE_PARAM_ADD;
    }
}

/* Prints the text up to the entry, with a line for each array whose sums a thread keeps. */
static void print_body(const struct descriptor *of, const char *narrow)
{
    char word[2 * NAME_ROOM];
    for (int p = 0; p < of->kernel.param_count; p++) {
        snprintf(word, sizeof word, "#define YK_SUMS_%s ", of->param[p]);
        const char *count = strstr(narrow, word);
        if (count && atoi(count + strlen(word)) > 0)
            printf("sums of %s: %d\n", of->param[p], atoi(count + strlen(word)));
    }
    const char *begin = strchr(strstr(narrow, "#line"), '\n') + 1;
    snprintf(word, sizeof word, "yoke_entry32_%s(", of->name);
    const char *end = strstr(begin, word);
    while (end[-1] != '\n')
        end--;
    printf("%.*s", (int)(end - begin), begin);
}

/* As after the first text of a program (src/backend/prelude.c). Texts of other kernels may have
 * arrays of the same names. */
static void print_text(const struct descriptor *of, const char *narrow)
{
    printf("\n#undef YK_SUMS\n#define YK_SUMS(n) YK_SUMS_##n\n%s", narrow);
    for (int p = 0; p < of->kernel.param_count; p++)
        if (of->params[p].mode == YOKE_PARAM_ADD)
            printf("#undef YK_SUMS_%s\n", of->param[p]);
}

static void print_kernel(struct descriptor *of, int bodies)
{
    struct yk_narrow narrow;
    note_modes(of);
    yk_narrow_open(&of->kernel, text, &narrow);
    if (narrow.text)
        (bodies ? print_body : print_text)(of, narrow.text);
    else if (bodies)
        printf("%s: one entry\n", of->name);
    yk_narrow_close(&narrow);
}

/* Definitions of bodies of range kernels have sizes after their indexes; a group kernel's has
 * yk_count there. */
static void print_all(int bodies)
{
    static const char prefix[] = "yk_body_";
    const char *at = text;
    int line = 1;
    for (;;) {
        struct yk_token token = yk_token_next(&at, &line);
        if (token.kind == YK_TOKEN_END)
            return;
        if (token.length >= NAME_ROOM || strncmp(token.text, prefix, strlen(prefix)) != 0)
            continue;
        struct descriptor *of = calloc(1, sizeof *of);
        const char *next = at;
        take(&token, of->name);
        memmove(of->name, of->name + strlen(prefix), strlen(of->name + strlen(prefix)) + 1);
        of->kernel.name = of->name;
        of->kernel.params = of->params;
        if (yk_token_next(&next, &line).text[0] == '(') {
            next = read_parameters(next, of);
            token = yk_token_next(&next, &line);
            if (yk_token_is(&token, "{") && of->sizes == 2 && of->kernel.dimensions <= 3)
                print_kernel(of, bodies);
        }
        free(of);
    }
}

int main(int argc, char **argv)
{
    const size_t length = fread(text, 1, TEXT_ROOM - 1, stdin);
    text[length] = 0;
    print_all(argc > 1 && strcmp(argv[1], "--bodies") == 0);
    return length == 0 || length == TEXT_ROOM - 1;
}
