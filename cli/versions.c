/* versions.c -- see versions.h.  All comes from the kernel's own files, and
 * from the package manager. */
#define _GNU_SOURCE
#include "versions.h"

#include "cli.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* What a package manager knows of us and of what we stand on. */
#define PACKAGES                                                           \
    "slimfly libslimfly0 opensm-plugin-slimfly opensm libopensm9 "         \
    "infiniband-diags libibmad5 libibumad3 libibnetdisc5 rdma-core ibacm " \
    "ibsim-utils libibverbs1 libjansson4 coinor-libclp1 libmicrohttpd12 "  \
    "zlib1g libc6 libucx0 libopenmpi3 slurmctld"

/* The first line of 'file' in a folder of the kernel; "" if there is none. */
static void
read_line(const char *folder, const char *file, char *text, size_t size)
{
    char *path = cli_join(folder, file);
    FILE *stream = path ? fopen(path, "r") : NULL;

    *text = '\0';
    free(path);
    if (!stream) {
        return;
    }
    if (!fgets(text, (int)size, stream)) {
        *text = '\0';
    }
    text[strcspn(text, "\n")] = '\0';
    fclose(stream);
}

/* Writes "NAME: VALUE" for a file that says something. */
static void
write_file(const char *folder, const char *file, const char *title,
           FILE *stream)
{
    char text[256];

    read_line(folder, file, text, sizeof text);
    if (*text) {
        fprintf(stream, "%s: %s\n", title, text);
    }
}

static int
is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Calls 'write' for all that is in 'folder', by name. */
static void
for_each_in(const char *folder,
            void (*write)(const char *path, const char *name, FILE *stream),
            FILE *stream)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, is_visible, alphasort);

    for (int i = 0; i < n; i++) {
        char *path = cli_join(folder, entries[i]->d_name);
        if (path) {
            write(path, entries[i]->d_name, stream);
        }
        free(path);
        free(entries[i]);
    }
    if (n >= 0) {
        free(entries);
    }
}

/* A module of the kernel that has to do with InfiniBand. */
static void
write_module(const char *path, const char *name, FILE *stream)
{
    static const char *const starts[] = { "mlx",  "ib_", "rdma",
                                          "hfi1", "qib", "irdma" };
    bool is_ours = false;

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        is_ours = is_ours || !strncmp(name, starts[i], strlen(starts[i]));
    }
    if (is_ours) {
        char version[128], source[128];
        read_line(path, "version", version, sizeof version);
        read_line(path, "srcversion", source, sizeof source);
        fprintf(stream, "module %s %s %s\n", name, version, source);
    }
}

static void
write_port(const char *path, const char *name, FILE *stream)
{
    fprintf(stream, "  port %s\n", name);
    write_file(path, "state", "    state", stream);
    write_file(path, "phys_state", "    physical state", stream);
    write_file(path, "rate", "    rate", stream);
    write_file(path, "link_layer", "    link layer", stream);
    write_file(path, "lid", "    LID", stream);
    write_file(path, "lid_mask_count", "    LMC", stream);
    write_file(path, "sm_lid", "    LID of the manager", stream);
}

static void
write_adapter(const char *path, const char *name, FILE *stream)
{
    char *ports = cli_join(path, "ports");

    fprintf(stream, "adapter %s\n", name);
    write_file(path, "hca_type", "  type", stream);
    write_file(path, "board_id", "  board", stream);
    write_file(path, "fw_ver", "  firmware", stream);
    write_file(path, "hw_rev", "  revision", stream);
    write_file(path, "node_guid", "  GUID", stream);
    if (ports) {
        for_each_in(ports, write_port, stream);
    }
    free(ports);
}

/* Asks the package manager of this machine, if it is one that we know. */
static void
write_packages(FILE *stream)
{
    char line[256];
    FILE *pipe =
        popen("if command -v dpkg-query >/dev/null; then "
              "LC_ALL=C dpkg-query -W -f "
              "'${db:Status-Abbrev}${Package} ${Version}\\n' " PACKAGES
              " | sed -n 's/^ii *//p'; else rpm -q slimfly opensm "
              "infiniband-diags rdma-core; fi 2>/dev/null",
              "r");

    while (pipe && fgets(line, sizeof line, pipe)) {
        fprintf(stream, "package %s", line);
    }
    if (pipe) {
        pclose(pipe);
    }
}

void
cli_write_versions(FILE *stream)
{
    struct utsname kernel;
    char line[256];

    fprintf(stream, "slimfly %s\n", SF_VERSION);
    if (uname(&kernel) == 0) {
        fprintf(stream, "kernel %s %s %s %s\n", kernel.sysname, kernel.release,
                kernel.version, kernel.machine);
    }
    FILE *release = fopen("/etc/os-release", "r");
    while (release && fgets(line, sizeof line, release)) {
        if (!strncmp(line, "PRETTY_NAME=", 12)) {
            fprintf(stream, "distribution %s", line + 12);
        }
    }
    if (release) {
        fclose(release);
    }
    write_packages(stream);
    for_each_in("/sys/module", write_module, stream);
    for_each_in("/sys/class/infiniband", write_adapter, stream);
}
