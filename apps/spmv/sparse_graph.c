/* sparse_graph.c - METIS's graphs (Karypis, METIS 5.1 manual, section 4.1.1), as matrices.
 *
 *     VERTICES EDGES [FORMAT [WEIGHTS]]
 *     [SIZE] [WEIGHT ...] NEIGHBOUR [WEIGHT] ...    a line for each vertex, counted from 1
 *
 * FORMAT has three digits, 0 or 1: vertices have sizes, vertices have weights, edges have weights.
 * WEIGHTS is the number of weights of a vertex; without it 1. A % begins a comment line; an empty
 * line is a vertex without neighbours.
 */
#include <stdlib.h>

#include "../app.h"
#include "../count.h"
#include "../text_words.h"
#include "sparse_build.h"

struct graph {
    struct text_file from;
    struct sparse_build build;
    int64_t edges, skip; /* skip: how many numbers come before a vertex's neighbours */
    int weighted, is_laplacian, has_negative;
};

static yoke_status next_line(struct graph *graph, const char **out)
{
    yoke_status status;
    do {
        status = text_file_line(&graph->from, out);
    } while (status == YOKE_OK && *out && **out == '%');
    return status;
}

/* Three digits, each 0 or 1. */
static yoke_status take_format(struct graph *graph, const char **at, int64_t *out)
{
    const char *here = *at;
    if (!text_take_whole(at, out) || !text_word_ends(*at) || *out < 0 || *out > 111 ||
        *out % 10 > 1 || *out / 10 % 10 > 1)
        return text_not_this(&graph->from, here, "a format of three digits 0 or 1");
    return YOKE_OK;
}

static yoke_status read_header(struct graph *graph)
{
    static const struct sparse_whole vertices = { "a number of vertices", 1, SPARSE_ROWS_MOST };
    static const struct sparse_whole edges = { "a number of edges", 0, SPARSE_ENTRIES_MOST };
    static const struct sparse_whole weights = { "a number of weights", 1, 1000 };
    int64_t format = 0, weight_count = 1;
    const char *at;
    yoke_status status = next_line(graph, &at);
    if (status == YOKE_OK && !at)
        return text_file_fail(&graph->from, YOKE_EINVAL,
                              "the file ends, but numbers of vertices and edges belong here");
    if (status == YOKE_OK)
        status = sparse_take_whole(&graph->from, &at, &vertices, &graph->build.rows);
    graph->build.columns = graph->build.rows;
    if (status == YOKE_OK)
        status = sparse_take_whole(&graph->from, &at, &edges, &graph->edges);
    if (status == YOKE_OK && !text_at_end(&at))
        status = take_format(graph, &at, &format);
    if (status == YOKE_OK && !text_at_end(&at))
        status = sparse_take_whole(&graph->from, &at, &weights, &weight_count);
    graph->weighted = format % 10 == 1;
    graph->skip = (format / 100 == 1) + (format / 10 % 10 == 1 ? weight_count : 0);
    return status == YOKE_OK ? sparse_take_end(&graph->from, &at) : status;
}

static yoke_status read_neighbour(struct graph *graph, const char **at, int32_t vertex,
                                  double *degree)
{
    const struct sparse_whole neighbour = { "a neighbour", 1, graph->build.rows };
    int64_t other;
    double weight = 1;
    yoke_status status = sparse_take_whole(&graph->from, at, &neighbour, &other);
    if (status == YOKE_OK && other == (int64_t)vertex + 1)
        status = text_file_fail(&graph->from, YOKE_EINVAL, "vertex %lld is its own neighbour",
                                (long long)other);
    if (status == YOKE_OK && graph->weighted)
        status = sparse_take_value(&graph->from, at, &weight);
    if (status != YOKE_OK)
        return status;
    *degree += weight;
    graph->has_negative |= weight < 0;
    return sparse_build_add(&graph->build,
                            (struct sparse_entry){ vertex, (int32_t)(other - 1),
                                                   graph->is_laplacian ? -weight : weight });
}

static yoke_status read_vertex(struct graph *graph, int32_t vertex)
{
    static const struct sparse_whole skipped = { "a vertex' size or weight", 0, INT64_MAX };
    int64_t unused;
    double degree = 0;
    const char *at;
    yoke_status status = next_line(graph, &at);
    if (status == YOKE_OK && !at)
        return text_file_fail(&graph->from, YOKE_EINVAL,
                              "the file ends after %lld of the %s that it announces",
                              (long long)vertex, count_words(graph->build.rows, "vertices").text);
    for (int64_t k = 0; k < graph->skip && status == YOKE_OK; k++)
        status = sparse_take_whole(&graph->from, &at, &skipped, &unused);
    while (status == YOKE_OK && !text_at_end(&at))
        status = read_neighbour(graph, &at, vertex, &degree);
    if (status == YOKE_OK && graph->is_laplacian)
        status = sparse_build_add(&graph->build, (struct sparse_entry){ vertex, vertex, degree });
    return status;
}

static yoke_status read_vertices(struct graph *graph)
{
    const char *line = NULL;
    int64_t ends;
    yoke_status status = YOKE_OK;
    for (int64_t i = 0; i < graph->build.rows && status == YOKE_OK; i++)
        status = read_vertex(graph, (int32_t)i);
    ends = graph->build.count - (graph->is_laplacian ? graph->build.rows : 0);
    if (status == YOKE_OK && ends != 2 * graph->edges)
        status = text_file_fail(
            &graph->from, YOKE_EINVAL, "the file lists %s and announces %s of two ends each",
            count_words(ends, "neighbours").text, count_words(graph->edges, "edges").text);
    while (status == YOKE_OK && (status = next_line(graph, &line)) == YOKE_OK && line)
        if (!text_at_end(&line))
            status = text_file_fail(&graph->from, YOKE_EINVAL, "the file goes on behind its %s",
                                    count_words(graph->build.rows, "vertices").text);
    return status;
}

/* Each edge must be listed at both ends, with the same weight. Rows are visited in order, so the
 * entries of each row below the diagonal are visited in order too. */
static yoke_status check_symmetry(const struct sparse *matrix, const char *path)
{
    int64_t *at;
    yoke_status status = app_alloc("the graph", matrix->rows, sizeof *at, (void **)&at);
    if (status != YOKE_OK)
        return status;
    for (int64_t i = 0; i < matrix->rows; i++)
        at[i] = matrix->starts[i];
    for (int64_t i = 0; i < matrix->rows && status == YOKE_OK; i++)
        for (int64_t k = matrix->starts[i]; k < matrix->starts[i + 1] && status == YOKE_OK; k++) {
            const int64_t j = matrix->column[k], other = at[j]++;
            if (other >= matrix->starts[j + 1] || matrix->column[other] != i ||
                sparse_get(matrix, other) != sparse_get(matrix, k))
                status = app_fail(YOKE_EINVAL,
                                  "%s: vertex %lld and vertex %lld are not neighbours of each "
                                  "other, once and with one weight; list each edge at both ends",
                                  path, (long long)i + 1, (long long)j + 1);
        }
    free(at);
    return status;
}

yoke_status sparse_read_graph(FILE *file, const char *path, const struct sparse_file *how,
                              struct sparse *out)
{
    struct graph graph = { .is_laplacian = how->is_laplacian };
    struct sparse matrix;
    yoke_status status = text_file_open(file, path, &graph.from);
    if (status != YOKE_OK)
        return status;
    graph.build.path = path;
    status = read_header(&graph);
    if (status == YOKE_OK)
        status = read_vertices(&graph);
    if (status == YOKE_OK)
        status = sparse_build_finish(&graph.build, &how->spec, &matrix);
    if (status == YOKE_OK) {
        matrix.is_symmetric = 1;
        status = check_symmetry(&matrix, path);
        if (status == YOKE_OK)
            *out = matrix;
        else
            sparse_close(&matrix);
    }
    if (status == YOKE_OK)
        out->is_laplacian = graph.is_laplacian && !graph.has_negative;
    sparse_build_close(&graph.build);
    text_file_close(&graph.from);
    return status;
}
