/* said.h - app_fail for readers of applications' files: their driver's is not under test. */
#ifndef TESTS_FUZZ_SAID_H
#define TESTS_FUZZ_SAID_H

extern char said[1024]; /* the latest message */

#endif
