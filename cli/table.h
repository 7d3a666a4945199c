/* table.h - text in aligned columns. */
#ifndef YOKE_CLI_TABLE_H
#define YOKE_CLI_TABLE_H

#include <stdint.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 49, TABLE_ROWS = 80, TABLE_CELL = 256, TABLE_TEXT = 1 << 15 };
enum table_side { TABLE_LEFT, TABLE_RIGHT };

/* Zero-initialise. Cells beyond the limits are dropped. */
struct table {
    int indent;
    int row_count, column; /* of the row being filled */
    enum table_side sides[TABLE_COLUMNS];
    int used;                                        /* bytes of text */
    unsigned short cells[TABLE_ROWS][TABLE_COLUMNS]; /* position in text, plus 1; 0: empty */
    char text[TABLE_TEXT];
};

void table_cell(struct table *table, enum table_side side, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void table_row(struct table *table); /* the row is complete */
void table_print(const struct table *table, FILE *out);

/* "1.23 s", "45.6 ms", "7.89 us"; "-" for NAN. */
const char *table_seconds(double seconds, char text[32]);
/* "1.5 GB" (powers of 1000), "0" */
const char *table_bytes(int64_t bytes, char text[32]);

#endif
