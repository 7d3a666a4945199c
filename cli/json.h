/* json.h - cJSON objects with yoke's rules: what was not measured is null; files appear whole.
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
/* Takes `object`; `path` "-" is standard output. Gives the exit status, after a message. */
int json_write(cJSON *object, const char *path);
/* The text of a file of JSON, of standard input for "-", to be freed; NULL, and why. It is not read
 * on where it cannot be JSON of yoke: from a byte of 0, of anything but an object, or beyond 1 GiB
 * or what fits into memory. */
struct json_why {
    char text[200];
};
char *json_read(const char *path, struct json_why *why);
/* Before a measurement, which may take long: whether `path` (NULL: none) can be written then. 0, or
 * 1 after a message. */
int file_check(const char *path);
/* A member for what this process may use of the machine. */
void json_machine(cJSON *object);

#endif
