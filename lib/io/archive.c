/* archive.c -- tar by hand, as POSIX describes ustar: a header of 512 bytes
 * for each file, its content filled up to a multiple of that, and two blocks
 * of zeros at the end.  zlib compresses. */
#define ZLIB_CONST /* Input is not changed. */
#include "io/archive.h"

#include "base/mem.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#define BLOCK   512
#define GZIP    (15 + 16) /* What zlib calls the format of gzip. */
#define MAX_OCT ((int64_t)1 << 33)

struct sf_archive {
    FILE *stream;
    int64_t moment;
    z_stream deflate;
};

/* The header of a file; numbers are written to the base of 8. */
struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8];
    char type, link[100], magic[6], version[2], user[32], group[32];
    char major[8], minor[8], prefix[155], rest[12];
};

_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

enum sf_status
sf_archive_begin(FILE *stream, int64_t moment, struct sf_archive **archivep,
                 struct sf_error *err)
{
    struct sf_archive *archive = sf_calloc(1, sizeof *archive);

    *archivep = NULL;
    if (!archive) {
        return sf_fail(err, SF_ENOMEM, "out of memory for an archive");
    }
    archive->stream = stream;
    archive->moment = moment < 0 || moment >= MAX_OCT ? 0 : moment;
    if (deflateInit2(&archive->deflate, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP,
                     8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(archive);
        return sf_fail(err, SF_ENOMEM, "out of memory for compression");
    }
    *archivep = archive;
    return SF_OK;
}

/* Compresses 'length' bytes of 'data' and writes what comes out. */
static enum sf_status
write_bytes(struct sf_archive *archive, const void *data, size_t length,
            int flush, struct sf_error *err)
{
    unsigned char buffer[16384] = { 0 };
    z_stream *deflater = &archive->deflate;
    const unsigned char *at = data;

    do {
        size_t part = length < 1 << 20 ? length : 1 << 20;
        deflater->next_in = at;
        deflater->avail_in = (uInt)part;
        do {
            deflater->next_out = buffer;
            deflater->avail_out = sizeof buffer;
            deflate(deflater, part == length ? flush : Z_NO_FLUSH);
            size_t n = sizeof buffer - deflater->avail_out;
            if (fwrite(buffer, 1, n, archive->stream) != n) {
                return sf_fail(err, SF_EIO, "the archive: %s",
                               strerror(errno));
            }
        } while (deflater->avail_out == 0);
        at += part;
        length -= part;
    } while (length > 0);
    return SF_OK;
}

static void
fill_header(struct header *header, const char *name, size_t length,
            int64_t moment)
{
    uint32_t sum = 0;

    memset(header, 0, sizeof *header);
    memcpy(header->name, name, strlen(name));
    memcpy(header->mode, "0000644", 8);
    memcpy(header->uid, "0000000", 8);
    memcpy(header->gid, "0000000", 8);
    snprintf(header->size, sizeof header->size, "%011llo",
             (unsigned long long)length);
    snprintf(header->mtime, sizeof header->mtime, "%011llo",
             (unsigned long long)moment);
    memset(header->checksum, ' ', sizeof header->checksum);
    header->type = '0';
    memcpy(header->magic, "ustar", 6);
    memcpy(header->version, "00", 2);
    const unsigned char *bytes = (const unsigned char *)header;
    for (size_t i = 0; i < sizeof *header; i++) {
        sum += bytes[i];
    }
    snprintf(header->checksum, sizeof header->checksum, "%06o", sum & 0777777);
}

enum sf_status
sf_archive_add(struct sf_archive *archive, const char *name, const char *text,
               size_t length, struct sf_error *err)
{
    static const char zeros[BLOCK];
    struct header header;

    if (strlen(name) >= sizeof header.name || (int64_t)length >= MAX_OCT) {
        return sf_fail(err, SF_ELIMIT,
                       "%.200s: too long for a file of an archive", name);
    }
    fill_header(&header, name, length, archive->moment);
    enum sf_status status =
        write_bytes(archive, &header, sizeof header, Z_NO_FLUSH, err);
    if (status == SF_OK) {
        status = write_bytes(archive, text, length, Z_NO_FLUSH, err);
    }
    if (status == SF_OK && length % BLOCK) {
        status = write_bytes(archive, zeros, BLOCK - length % BLOCK,
                             Z_NO_FLUSH, err);
    }
    return status;
}

enum sf_status
sf_archive_end(struct sf_archive *archive, struct sf_error *err)
{
    static const char zeros[2 * BLOCK];
    return write_bytes(archive, zeros, sizeof zeros, Z_FINISH, err);
}

void
sf_archive_free(struct sf_archive *archive)
{
    if (archive) {
        deflateEnd(&archive->deflate);
        free(archive);
    }
}
