/* alone.h - a kernel file's text without the file's other kernels.
 *
 * All kernels of a file have one text, and device compilers spend their time on entries: building
 * each of 20 kernels from the whole text made 400 entries. Bodies go too, so that what a device
 * refuses in one kernel does not refuse the others. Helpers stay, because kernels may share them;
 * nothing is made of those that no entry calls. Pure.
 */
#ifndef YK_ACCESS_ALONE_H
#define YK_ACCESS_ALONE_H

/* Returns a copy of `text` in which yoke_entry_OTHER and yk_body_OTHER of every other kernel are
 * blank at the outermost level; lines and line markers stay where they are. The caller frees it
 * (yk_free). NULL: there is no memory, and the error text is set. */
char *yk_alone_text(const char *text, const char *kernel_name);

#endif
