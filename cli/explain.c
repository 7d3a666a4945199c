/* explain.c - yoke explain: what the latest program that used yoke did, and why. */
#include <yoke/explain.h>

#include "command.h"
#include "json.h"

enum { EXPLAIN_BACK, EXPLAIN_JSON, EXPLAIN_COUNT };
enum { OLDEST = 15 }; /* number of the oldest kept story; the latest is 0 */

static const struct app_option options[] = {
    [EXPLAIN_BACK] = { "back", "N", "0",
                       "show the program N before the latest; the latest 16 are kept" },
    [EXPLAIN_JSON] = { "json", "FILE", NULL, "write JSON to a file, or to - (standard output)" },
    { .name = NULL },
};

/* Prints the text for people, under the program's name. */
static int print_story(const cJSON *story)
{
    const cJSON *program = cJSON_GetObjectItem(story, "program");
    const cJSON *text = cJSON_GetObjectItem(story, "text");
    if (!cJSON_IsString(program) || !cJSON_IsString(text))
        return command_failed(
            "the stored report is of another version of yoke; run the program again");
    printf("%s\n\n%s", program->valuestring, text->valuestring);
    return 0;
}

static int tell(const char *text, const char *path)
{
    cJSON *story = cJSON_Parse(text);
    int status;
    if (!story)
        return command_failed("the stored report is damaged; run the program again");
    if (path) {
        cJSON_DeleteItemFromObject(story, "text");
        return json_write(story, path);
    }
    status = print_story(story);
    cJSON_Delete(story);
    return status;
}

static int run_explain(int argc, char **argv)
{
    const char *values[EXPLAIN_COUNT];
    struct args args = { .command = "explain", .tables = { { options, values } } };
    int64_t back = 0;
    char *text = NULL;
    int status = args_parse(&args, argc, argv);
    if (!status)
        status = args_read_count((struct args_given){ "back", values[EXPLAIN_BACK] },
                                 (struct args_bounds){ 0, OLDEST }, &back);
    if (status)
        return status;
    if (yoke_story_open(NULL, (int)back, &text) != YOKE_OK)
        return command_failed(yoke_error_text());
    if (!text)
        return command_failed(
            back ? "no report is stored for a program so far back"
                 : "no program has used yoke yet, or none that ran a job; 'yoke run saxpy' is one. "
                   "For simulated devices nothing is kept unless YOKE_KB names a file, and with "
                   "YOKE_KB=off nothing is kept at all");
    status = tell(text, values[EXPLAIN_JSON]);
    yoke_story_close(text);
    return status;
}

const struct command command_explain = {
    .name = "explain",
    .words = "",
    .summary = "What each device got in the latest program that used yoke, and why",
    .text =
        "Of the latest job of each of its kernels: each device's share, the model it was given on "
        "(what an\n"
        "item takes and what each chunk, or job, costs beside its items), the mean chunk, the "
        "link's\n"
        "speed, what the job would have taken without it, and a sentence. YOKE_EXPLAIN=1 has any\n"
        "program say the same when it closes yoke.",
    .options = options,
    .run = run_explain,
};
