/* run.c - yoke run APP: from words to a measurement, and from a measurement to its output. */
#include "run.h"

#include <string.h>

#include "command.h"
#include "json.h"
#include "progress.h"
#include "request.h"

/* Writes what was measured. The exit status says whether it is correct. */
static int answer(const struct measure_spec *spec, const struct measure *measure,
                  const char *const *values)
{
    const char *json = values[RUN_JSON];
    int to_stdout = json && !strcmp(json, "-");
    int status = 0;
    if (!values[RUN_QUIET] && !to_stdout)
        run_print(spec, measure);
    if (json)
        status = run_write_json(spec, measure, json);
    if (measure->verified == 0) {
        fflush(stdout);
        fprintf(stderr, "yoke: %s: the result is wrong: %s\n", spec->app->name, measure->note);
        status = 1;
    }
    return status;
}

static int measure_and_answer(struct measure_spec *spec, const char *const *values)
{
    struct measure result;
    int status;
    spec->watch = progress_open(progress_grace);
    yoke_status measured = measure(spec, &result);
    progress_close();
    if (request_status())
        status = command_stopped();
    else if (measured == YOKE_OK)
        status = answer(spec, &result, values);
    else
        status = command_failed(app_error_text());
    if (result.wrong_words)
        status = 2;
    measure_close(&result);
    return status;
}

/* The first word is the application. It determines the options, so it comes before them. */
static int run_run(int argc, char **argv)
{
    const char *values[RUN_OPTIONS];
    struct measure_spec spec = { 0 };
    int wants_help = help_wanted(argc, argv);
    if (argc == 0 || (argv[0][0] == '-' && !wants_help))
        return args_mistake(
            "an application is needed: 'yoke run APP [OPTIONS]'; 'yoke apps' lists them");
    if (argv[0][0] != '-' && !(spec.app = command_find_app(argv[0])))
        return 2;
    if (wants_help) {
        help_print(&command_run, spec.app);
        return 0;
    }
    struct args args = { .command = "run",
                         .tables = { { run_options, values },
                                     { spec.app->options, spec.input.values } } };
    int wrong = args_parse(&args, argc - 1, argv + 1);
    if (!wrong)
        wrong = run_options_read(values, &spec);
    if (!wrong)
        wrong = file_check(values[RUN_JSON]);
    if (!wrong)
        wrong = file_check(values[RUN_TRACE]);
    if (wrong)
        return wrong;
    return values[RUN_MATRIX] ? run_matrix(&spec, values) : measure_and_answer(&spec, values);
}

const struct command command_run = {
    .name = "run",
    .words = "APP",
    .summary = "Run an application on all devices at once and measure it",
    .text = "A device is backend[:index or :cores][:key=value]..., as cpu:8, cuda:0,\n"
            "opencl:0:mem=256M or sim:gpu:rate=20e9 ('yoke info' lists devices and partitioners).\n"
            "Exit status: 0 done, 1 failed or not verified, 2 usage error,\n"
            "130 stopped by Ctrl-C, 143 by SIGTERM.",
    .options = run_options,
    .word = command_app_word,
    .run = run_run,
};
