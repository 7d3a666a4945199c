/* alone.h - a kernel file's text without the entries of its other kernels.
 *
 * All kernels of a file have one text, and device compilers spend their time on entries: building
 * each of 20 kernels from the whole text made 400 entries. Bodies and helpers stay, because kernels
 * may share them; nothing is made of those that no entry calls. Pure.
 */
#ifndef YK_ACCESS_ALONE_H
#define YK_ACCESS_ALONE_H

/* Returns a copy of `text` in which every entry yoke_entry_OTHER at the outermost level is blank;
 * lines and line markers stay where they are. The caller frees it (yk_free). NULL: there is no
 * memory, and the error text is set. */
char *yk_alone_text(const char *text, const char *kernel_name);

#endif
