/* fuzz_jobs_file.c -- any bytes as a list of squeue, and as a file of jobs: no
 * crash, and what is written can be read again, each job once. */
#include "fuzz.h"
#include "slimfly/jobs.h"
#include "slimfly/jobs_file.h"

#include <stdio.h>
#include <unistd.h>

/* Looks at each job of the file at 'path'; how many there are. */
static size_t
check(const char *path)
{
    struct sf_jobs_file *file;
    struct sf_jobs_line line;
    size_t n = 0;

    if (sf_jobs_file_open(path, false, &file, NULL) != SF_OK) {
        abort();
    }
    for (size_t i = 0; i < sf_jobs_file_n_lines(file); i++) {
        uint32_t n_hosts;
        if (sf_jobs_file_line(file, i, &line)) {
            n++;
            if (sf_job_check(line.name, line.pattern, line.nodes, &n_hosts,
                             NULL) != SF_OK ||
                n_hosts < 2) {
                abort();
            }
        }
    }
    sf_jobs_file_close(file);
    return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64], lock[80];
    struct sf_jobs_file *file;
    struct sf_error err = { 0 };
    char *text = fuzz_text(data, size);

    if (!path[0]) {
        snprintf(path, sizeof path, "/tmp/slimfly-fuzz-%d", (int)getpid());
        snprintf(lock, sizeof lock, "%s.lock", path);
    }
    if (sf_jobs_file_open(path, true, &file, NULL) != SF_OK) {
        abort();
    }
    enum sf_status status = sf_jobs_file_sync(file, text, size, "fuzz", &err);
    if (status == SF_OK && sf_jobs_file_save(file, &err) != SF_OK) {
        abort();
    }
    if ((status == SF_OK) != !err.text[0]) {
        abort();
    }
    sf_jobs_file_close(file);
    if (access(path, F_OK) == 0) {
        check(path);
    }
    unlink(path);
    unlink(lock);
    free(text);
    return 0;
}
