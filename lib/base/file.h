/* file.h -- whole files into memory, for the readers; names of files. */
#ifndef SF_BASE_FILE_H
#define SF_BASE_FILE_H

#include "slimfly/error.h"

#include <stddef.h>
#include <stdint.h>

/* Reads the file 'path' ("-": standard input) as text into '*textp', ended by
 * a NUL that does not count in '*lengthp'.  Files larger than 1 GiB are
 * refused.  The caller frees '*textp'. */
enum sf_status sf_file_read(const char *path, char **textp, size_t *lengthp,
                            struct sf_error *err);

/* "FOLDER/NAME", with one slash if 'folder' ends with one; "NAME" if 'folder'
 * is empty.  NULL if memory ran out; the caller frees it. */
char *sf_file_join(const char *folder, const char *name);

/* Takes one line of a file, without its end; 'text' may be changed. */
typedef enum sf_status sf_take_line(void *aux, uint32_t line, char *text);

/* Hands the lines of the file 'path' ("-": standard input) to 'take' until one
 * fails, without keeping the file in memory: tables of large fabrics have
 * gigabytes.  Lines of 4 KiB and more and zero bytes are refused. */
enum sf_status sf_file_lines(const char *path, sf_take_line *take, void *aux,
                             struct sf_error *err);

/* The same for 'length' bytes of 'text', which are changed, and after which
 * there is room for one more. */
enum sf_status sf_text_lines(char *text, size_t length, const char *path,
                             sf_take_line *take, void *aux,
                             struct sf_error *err);

/* Takes blanks off both ends of 'text', which is changed. */
char *sf_text_trim(char *text);

#endif
