/* table.c - columns as wide as their widest cell, two blanks between; no blanks at line ends. */
#include "table.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void table_cell(struct table *table, enum table_side side, const char *format, ...)
{
    va_list arguments;
    if (table->column == TABLE_COLUMNS || table->row_count == TABLE_ROWS ||
        table->used + TABLE_CELL > TABLE_TEXT)
        return;
    va_start(arguments, format);
    vsnprintf(table->text + table->used, TABLE_CELL, format, arguments);
    va_end(arguments);
    table->cells[table->row_count][table->column] = (unsigned short)(table->used + 1);
    table->used += (int)strlen(table->text + table->used) + 1;
    table->sides[table->column] = side;
    table->column++;
}

static const char *cell_at(const struct table *table, int row, int column)
{
    int place = table->cells[row][column];
    return place ? table->text + place - 1 : "";
}

void table_row(struct table *table)
{
    table->row_count += table->row_count < TABLE_ROWS;
    table->column = 0;
}

static int width_of(const struct table *table, int column)
{
    size_t width = 0;
    for (int row = 0; row < table->row_count; row++) {
        size_t length = strlen(cell_at(table, row, column));
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_row(const struct table *table, int row, const int *widths, FILE *out)
{
    int blanks = table->indent;
    for (int column = 0; column < TABLE_COLUMNS; column++) {
        const char *cell = cell_at(table, row, column);
        int room = widths[column] - (int)strlen(cell);
        int before = table->sides[column] == TABLE_RIGHT ? room : 0;
        if (*cell) {
            fprintf(out, "%*s%s", blanks + before, "", cell);
            blanks = room - before;
        } else {
            blanks += widths[column];
        }
        blanks += widths[column] ? 2 : 0;
    }
    fputc('\n', out);
}

void table_print(const struct table *table, FILE *out)
{
    int widths[TABLE_COLUMNS];
    for (int column = 0; column < TABLE_COLUMNS; column++)
        widths[column] = width_of(table, column);
    for (int row = 0; row < table->row_count; row++)
        print_row(table, row, widths, out);
}

static const char *scaled(double value, const char *const *units, int count, char text[32])
{
    int unit = 0;
    while (unit + 1 < count && value >= 999.5) {
        value /= 1000;
        unit++;
    }
    snprintf(text, 32, "%.*f %s", value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value, units[unit]);
    return text;
}

const char *table_seconds(double seconds, char text[32])
{
    static const char *const units[] = { "us", "ms", "s" };
    if (isnan(seconds))
        return "-";
    if (seconds == 0)
        return "0 s";
    return scaled(seconds * 1e6, units, 3, text);
}

const char *table_bytes(int64_t bytes, char text[32])
{
    static const char *const units[] = { "kB", "MB", "GB", "TB", "PB" };
    if (bytes == 0)
        return "0";
    if (bytes < 1000) {
        snprintf(text, 32, "%d B", (int)bytes);
        return text;
    }
    return scaled((double)bytes / 1000, units, 5, text);
}
