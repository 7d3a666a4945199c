/* poison.c - see poison.h. */
#include "poison.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../base/alloc.h"
#include "../base/process_lock.h"
#include "../base/status.h"
#include "../platform/fault.h"

enum { PATTERN = 0xFF };
enum { POISONED = 1 };

/* --- pages that cannot be touched --- */

/* What the fault handler reads: arrays with some protected pages. Changed under table_lock. The
 * handler takes no lock, so `first` is set last. */
struct closed {
    const char *_Atomic first; /* memory; NULL: a free entry */
    const char *last;
    int64_t first_row, pitch;
    char name[64];
};
enum { CLOSED_MOST = 256 }; /* faults in further arrays are not explained */
static struct closed table[CLOSED_MOST];
static struct yk_process_lock table_lock = YK_PROCESS_LOCK_INITIAL;

static char *put_text(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    return at;
}

static char *put_number(char *at, int64_t number)
{
    char digits[24], *end = digits;
    uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do
        *end++ = (char)('0' + left % 10);
    while (left /= 10);
    if (number < 0)
        *end++ = '-';
    while (end > digits)
        *at++ = *--end;
    return at;
}

/* Runs in a signal handler. */
static void tell(const struct yk_fault *fault)
{
    char line[400], *at = line;
    const char *address = (const char *)fault->address, *first = NULL;
    int i;
    for (i = 0; i < CLOSED_MOST; i++) {
        first = table[i].first;
        if (first && address >= first && address < table[i].last)
            break;
    }
    if (i == CLOSED_MOST)
        return;
    at = put_text(at, "yoke: array ");
    at = put_text(at, table[i].name);
    at = put_text(at, ": row ");
    at = put_number(at, table[i].first_row + (address - first) / table[i].pitch);
    at = put_text(at, fault->writes ? " is written" : " is used");
    at = put_text(at, " at the host, and a job wrote it last; call yoke_array_acquire before\n");
    if (write(STDERR_FILENO, line, (size_t)(at - line)) < 0)
        return;
}

/* Enters the array in the table, unless it is there, so that faults in it are explained. */
static void enter(const yoke_array *array)
{
    int i, free = -1;
    yk_process_lock(&table_lock);
    for (i = 0; i < CLOSED_MOST && table[i].first != array->host; i++)
        if (!table[i].first && free < 0)
            free = i;
    if (i == CLOSED_MOST && free >= 0) {
        struct closed *entry = &table[free];
        strncpy(entry->name, array->name, sizeof entry->name - 1);
        entry->first_row = array->first_row;
        entry->pitch = array->pitch;
        entry->last = array->host + array->rows * array->pitch;
        entry->first = array->host;
        yk_fault_tell(tell);
    }
    yk_process_unlock(&table_lock);
}

static void leave(const yoke_array *array)
{
    int i;
    yk_process_lock(&table_lock);
    for (i = 0; i < CLOSED_MOST; i++)
        if (table[i].first == array->host)
            table[i].first = NULL;
    yk_process_unlock(&table_lock);
}

enum reach { WHOLE_PAGES, TOUCHED_PAGES };

/* Protects the pages of the rows, if yoke allocated their memory. */
static void protect(const yoke_array *array, struct yk_interval rows, enum reach reach, int how)
{
    const uintptr_t page = (uintptr_t)yk_pin_terms.page;
    uintptr_t first = (uintptr_t)yk_array_address(array, rows.first), last;
    if (array->row_bytes != array->pitch ||
        !yk_pages_are_own(array->host, (size_t)(array->rows * array->pitch)))
        return;
    last = first + (uintptr_t)((rows.last - rows.first) * array->pitch);
    first = (first + (reach == WHOLE_PAGES ? page - 1 : 0)) / page * page;
    last = (last + (reach == WHOLE_PAGES ? 0 : page - 1)) / page * page;
    if (first < last)
        mprotect((void *)first, last - first, how);
    if (first < last && how == PROT_NONE)
        enter(array);
}

/* --- poisoning --- */

static int is_checked(const yoke_array *array)
{
    return array->places->checks && array->host;
}

static void fill(const yoke_array *array, struct yk_interval rows)
{
    int64_t row;
    if (array->row_bytes == array->pitch) {
        memset(yk_array_address(array, rows.first), PATTERN,
               (size_t)((rows.last - rows.first) * array->pitch));
        return;
    }
    for (row = rows.first; row < rows.last; row++)
        memset(yk_array_address(array, row), PATTERN, (size_t)array->row_bytes);
}

/* Returns 0 if there is no memory to record poisoned rows; none are poisoned then. */
static int can_note(yoke_array *array)
{
    struct yk_interval_map *map = &array->poisoned;
    if (!map->items && yk_interval_map_open(map, yk_array_rows(array), 0) != YOKE_OK)
        return 0;
    return yk_interval_map_reserve(map, 2) == YOKE_OK;
}

/* The run of rows that are poisoned like `row`. A page may hold rows of several chunks. */
static struct yk_interval poisoned_around(const yoke_array *array, int64_t row)
{
    return yk_interval_map_part(&array->poisoned, yk_interval_map_find(&array->poisoned, row),
                                yk_array_rows(array));
}

void yk_poison(yoke_array *array, struct yk_interval rows)
{
    if (!is_checked(array) || yk_interval_empty(rows) || !can_note(array))
        return;
    protect(array, rows, TOUCHED_PAGES, PROT_READ | PROT_WRITE);
    fill(array, rows);
    yk_interval_map_assign(&array->poisoned, rows, POISONED);
    protect(array, poisoned_around(array, rows.first), WHOLE_PAGES, PROT_NONE);
}

/* If there is no memory to record this for some rows, all rows are unpoisoned: a pattern that is
 * left would be reported as an error of the program. */
void yk_unpoison(yoke_array *array, struct yk_interval rows)
{
    if (!is_checked(array) || !array->poisoned.items || yk_interval_empty(rows))
        return;
    if (yk_interval_map_reserve(&array->poisoned, 2) != YOKE_OK)
        rows = yk_array_rows(array);
    protect(array, rows, TOUCHED_PAGES, PROT_READ | PROT_WRITE);
    yk_interval_map_assign(&array->poisoned, rows, 0);
}

void yk_poison_close(yoke_array *array)
{
    if (!array->poisoned.items)
        return;
    protect(array, yk_array_rows(array), TOUCHED_PAGES, PROT_READ | PROT_WRITE);
    leave(array);
    yk_interval_map_close(&array->poisoned);
}

int yk_poison_covers(yoke_array *array, const char *first, const char *last)
{
    const struct yk_interval all = yk_array_rows(array);
    yoke_array *part = NULL;
    int run, covers = 0;
    while (!covers && (part = yk_array_part(array, part))) {
        yk_lock(&part->lock);
        for (run = 0; run < part->poisoned.count; run++) {
            struct yk_interval rows = yk_interval_map_part(&part->poisoned, run, all);
            if (part->poisoned.items[run].value == POISONED &&
                yk_array_address(part, rows.first) < last &&
                yk_array_address(part, rows.last - 1) + part->row_bytes > first)
                covers = 1;
        }
        yk_unlock(&part->lock);
    }
    return covers;
}

/* --- what changed --- */

static int64_t first_change(const yoke_array *array, struct yk_interval rows)
{
    int64_t row;
    for (row = rows.first; row < rows.last; row++) {
        const unsigned char *memory = (const unsigned char *)yk_array_address(array, row);
        /* all bytes have the value: the first one is checked, and each further one equals the one
         * before */
        if (memory[0] != PATTERN || memcmp(memory, memory + 1, (size_t)array->row_bytes - 1) != 0)
            return row;
    }
    return rows.last;
}

/* The first poisoned row that does not hold the pattern; rows.last: all do. */
static int64_t changed_veil(yoke_array *array, struct yk_interval rows)
{
    const struct yk_interval_map *map = &array->poisoned;
    int64_t found = rows.last;
    int run;
    if (!map->items)
        return rows.last;
    for (run = yk_interval_map_find(map, rows.first);
         found == rows.last && yk_interval_map_touches(map, run, rows); run++) {
        struct yk_interval part = yk_interval_map_part(map, run, rows);
        int64_t row;
        if (map->items[run].value != POISONED)
            continue;
        protect(array, part, TOUCHED_PAGES, PROT_READ | PROT_WRITE);
        row = first_change(array, part);
        protect(array, poisoned_around(array, part.first), WHOLE_PAGES, PROT_NONE);
        if (row < part.last)
            found = row;
    }
    return found;
}

enum { BLOCK_BYTES = 256 << 10 };

/* Reads a block of rows from the replica. */
static yoke_status read_back(const struct yk_replica *replica, struct yk_interval rows, char *out)
{
    struct yk_place *place = replica->place;
    const struct yk_backend *backend = place->device->backend;
    const yoke_array *array = replica->array;
    struct yk_copy copy = { .kind = YK_COPY_FROM_DEVICE, .buffer = replica->whole->buffer };
    struct yk_event *event = NULL;
    yoke_status status;
    yk_array_shape_copy(array, rows, &copy);
    copy.host = out;
    copy.host_pitch = array->row_bytes;
    yk_lock(&place->lock);
    status = backend->copy(place->download, &copy, &event);
    if (status == YOKE_OK && event) {
        status = backend->wait(event);
        backend->event_close(event);
    }
    yk_unlock(&place->lock);
    return status;
}

/* The first row that differs between the host and the replica; rows.last: none does. */
static int64_t compare(const struct yk_replica *replica, struct yk_interval rows, char *block)
{
    const yoke_array *array = replica->array;
    const int64_t most = array->row_bytes < BLOCK_BYTES ? BLOCK_BYTES / array->row_bytes : 1;
    int64_t row, end;
    for (row = rows.first; row < rows.last; row = end) {
        const char *there = block;
        end = row + most < rows.last ? row + most : rows.last;
        if (read_back(replica, (struct yk_interval){ row, end }, block) != YOKE_OK)
            return rows.last;
        for (; row < end; row++, there += array->row_bytes)
            if (memcmp(there, yk_array_address(array, row), (size_t)array->row_bytes) != 0)
                return row;
    }
    return rows.last;
}

/* The first row that differs, of those that both the place and the host have. */
static int64_t changed_copy(yoke_array *array, const struct yk_replica *replica,
                            struct yk_interval rows)
{
    const size_t bytes = array->row_bytes < BLOCK_BYTES ? BLOCK_BYTES : (size_t)array->row_bytes;
    char *block = yk_alloc_aligned(bytes, 0);
    int64_t row = rows.first, found = rows.last;
    while (block && row < rows.last && found == rows.last) {
        struct yk_interval there, here;
        const enum yk_row_state copy =
            yk_coherence_state(array->coherence, replica->place->number, row, &there);
        const enum yk_row_state own = yk_coherence_state(array->coherence, YK_HOST, row, &here);
        const struct yk_interval part = yk_interval_common(yk_interval_common(there, here), rows);
        const struct yk_interval both = { row, part.last };
        if (copy == YK_SHARED && own == YK_SHARED) {
            const int64_t at = compare(replica, both, block);
            found = at < both.last ? at : found;
        }
        row = part.last;
    }
    yk_free(block);
    return found;
}

static yoke_status say(const yoke_array *array, int64_t row, const char *who, const char *why)
{
    return yk_fail(YOKE_EINVAL,
                   "%s: row %lld of " YK_THE_ARRAY " was changed at the host without "
                   "yoke_array_acquire, %s; acquire it with YOKE_WRITE or YOKE_READ_WRITE, change "
                   "it, and release it",
                   who, (long long)row, YK_NAME_OF(array), why);
}

/* part->lock is held. */
static yoke_status check_part(yoke_array *part, struct yk_interval rows, enum yk_poison_scope scope,
                              const char *who)
{
    int64_t row = changed_veil(part, rows);
    int place;
    if (row < rows.last)
        return say(part, row, who, "and a job wrote it last");
    for (place = YK_HOST + 1; scope == YK_POISON_SHARED && place < YK_PLACES; place++) {
        const struct yk_replica *replica = part->replicas[place];
        if (!replica || !replica->whole->buffer || !replica->place->device->desc.checks)
            continue;
        row = changed_copy(part, replica, rows);
        if (row < rows.last)
            return say(part, row, who, "so a device that has it would use the old one");
    }
    return YOKE_OK;
}

yoke_status yk_poison_check(yoke_array *array, struct yk_interval rows, enum yk_poison_scope scope,
                            const char *who)
{
    yoke_array *part = NULL;
    yoke_status status = YOKE_OK;
    if (!is_checked(array) || yk_interval_empty(rows))
        return YOKE_OK;
    while (status == YOKE_OK && (part = yk_array_part(array, part))) {
        yk_lock(&part->lock);
        status = check_part(part, rows, scope, who);
        yk_unlock(&part->lock);
    }
    return status;
}
