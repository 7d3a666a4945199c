/* said.h - app_fail for readers of the applications' files: the applications' driver is not under
 * test. */
#ifndef TESTS_FUZZ_SAID_H
#define TESTS_FUZZ_SAID_H

extern char said[1024]; /* the latest message */

#endif
