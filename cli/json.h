/* json.h - cJSON objects with yoke's rules: values that were not measured are null; files appear
 * complete.
 *
 * cJSON's functions accept NULL objects, so a failed allocation shows at the end, in json_write.
 */
#ifndef YOKE_CLI_JSON_H
#define YOKE_CLI_JSON_H

#include <cjson/cJSON.h>
#include <stdint.h>

void json_number(cJSON *object, const char *name, double value); /* NAN: null */
void json_integer(cJSON *object, const char *name, int64_t value);
void json_text(cJSON *object, const char *name, const char *value); /* NULL: null */
/* Writes `object` to `path` ("-": standard output) and deletes it. Returns 0, or 1 after a
 * message. */
int json_write(cJSON *object, const char *path);
/* Reads a JSON file, or standard input for "-". Returns its text (free it), or NULL and the reason.
 * Stops early if the text cannot be JSON that yoke wrote: it has a byte 0, is no object, is longer
 * than 1 GiB, or does not fit into memory. */
struct json_why {
    char text[200];
};
char *json_read(const char *path, struct json_why *why);
/* Call before a measurement, which may take long: checks that `path` (NULL: none) can be written.
 * Returns 0, or 1 after a message. */
int file_check(const char *path);
/* Adds a member that describes what this process may use of the machine. */
void json_machine(cJSON *object);

#endif
