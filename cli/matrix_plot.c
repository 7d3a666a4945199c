/* matrix_plot.c - times and efficiency of all sets as one picture, as in figures 5 and 7 of the
 * paper: on the left the time of each set, on a logarithmic scale; on the right E_h. One line per
 * size.
 */
#include <math.h>

#include "plot.h"
#include "run.h"

enum { HEIGHT = 420, WIDTH_LEAST = 900, WIDTH_OF_SET = 90 };

/* Names of sets, applications and sizes need no quoting, because gnuplot's enhanced text, which
 * gives some characters a meaning, is off. */
static void write_data(FILE *script, const struct measure_spec *spec, const struct matrix *matrix)
{
    fprintf(script, "$data << end\nset");
    for (int s = 0; s < matrix->size_count; s++) {
        char size[80];
        run_size_text(spec->app, matrix->sizes[s].size, size);
        fprintf(script, " \"%s\" \"%s\"", size, size);
    }
    for (int set = 0; set < matrix->sets.shown; set++) {
        fprintf(script, "\n\"%s\"", matrix->sets.sets[set].name);
        for (int s = 0; s < matrix->size_count; s++) {
            const struct measure *figures = &matrix->sizes[s].cells[set].figures;
            fprintf(script, isfinite(figures->seconds) ? " %.9g" : " ?", figures->seconds);
            fprintf(script, isfinite(figures->efficiency) ? " %.6g" : " ?",
                    100 * figures->efficiency);
        }
    }
    fprintf(script, "\nend\n");
}

/* The greatest efficiency, at least 100: gnuplot finds no range if there are no points. */
static double most_percent(const struct matrix *matrix)
{
    double most = 100;
    for (int s = 0; s < matrix->size_count; s++)
        for (int set = 0; set < matrix->sets.shown; set++)
            most = fmax(most, 100 * matrix->sizes[s].cells[set].figures.efficiency);
    return most;
}

static void write_plot(FILE *script, const struct matrix *matrix)
{
    fprintf(script,
            "set datafile missing '?'\nset termoption noenhanced\nset style data linespoints\n"
            "set grid ytics\nset key top right\nset xtics rotate by -30 nomirror\n"
            "set xrange [-0.5:%d.5]\nset multiplot layout 1,2\n"
            "set title 'time'\nset format y '%%.0s %%cs'\nset logscale y\n"
            "plot for [s=1:%d] $data using (column(2 * s)):xticlabels(1) "
            "title columnheader(2 * s) pointtype 7\n",
            matrix->sets.shown - 1, matrix->size_count);
    fprintf(script,
            "unset logscale y\nset title 'efficiency E_h'\nset format y '%%g %%%%'\n"
            "set yrange [0:%.0f]\nset key bottom left\n"
            "plot for [s=1:%d] $data using (column(2 * s + 1)):xticlabels(1) "
            "title columnheader(2 * s + 1) pointtype 7\nunset multiplot\n",
            most_percent(matrix) + 5, matrix->size_count);
}

int matrix_plot(const struct measure_spec *spec, const struct matrix *matrix, const char *path)
{
    struct plot plot;
    int width = WIDTH_OF_SET * 2 * matrix->sets.shown;
    int wrong = plot_open(&plot, path, width > WIDTH_LEAST ? width : WIDTH_LEAST, HEIGHT);
    if (wrong)
        return wrong;
    write_data(plot.script, spec, matrix);
    write_plot(plot.script, matrix);
    return plot_finish(&plot);
}
