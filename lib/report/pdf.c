/* pdf.c -- see pdf.h. */
#include "report/pdf.h"

#include <cairo-pdf.h>
#include <dlfcn.h>
#include <errno.h>
#include <librsvg/rsvg.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define LIBRARY "librsvg-2.so.2"

/* What is needed of librsvg and of the libraries that come with it. */
static struct {
    void *library; /* NULL: not loaded yet, or not there. */
    __typeof__(rsvg_handle_new_from_data) *read;
    __typeof__(rsvg_handle_render_document) *render;
    __typeof__(g_object_unref) *unref;
    __typeof__(g_error_free) *free_error;
    __typeof__(cairo_pdf_surface_create_for_stream) *surface_create;
    __typeof__(cairo_pdf_surface_set_metadata) *set_metadata;
    __typeof__(cairo_surface_finish) *finish;
    __typeof__(cairo_surface_status) *surface_status;
    __typeof__(cairo_surface_destroy) *surface_destroy;
    __typeof__(cairo_create) *create;
    __typeof__(cairo_destroy) *destroy;
    __typeof__(cairo_status) *status;
    __typeof__(cairo_status_to_string) *status_text;
} rsvg;

/* C has no conversion from pointers to functions, POSIX has. */
static const struct {
    const char *name;
    void *place;
} functions[] = {
    { "rsvg_handle_new_from_data", &rsvg.read },
    { "rsvg_handle_render_document", &rsvg.render },
    { "g_object_unref", &rsvg.unref },
    { "g_error_free", &rsvg.free_error },
    { "cairo_pdf_surface_create_for_stream", &rsvg.surface_create },
    { "cairo_pdf_surface_set_metadata", &rsvg.set_metadata },
    { "cairo_surface_finish", &rsvg.finish },
    { "cairo_surface_status", &rsvg.surface_status },
    { "cairo_surface_destroy", &rsvg.surface_destroy },
    { "cairo_create", &rsvg.create },
    { "cairo_destroy", &rsvg.destroy },
    { "cairo_status", &rsvg.status },
    { "cairo_status_to_string", &rsvg.status_text },
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Its functions stay until the program ends. */
static enum sf_status
load(struct sf_error *err)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        return sf_fail(err, SF_EINVAL,
                       "PDF needs librsvg, which cannot be loaded: %s; "
                       "figures as svg work without",
                       dlerror());
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(library, functions[i].name);
        if (!found) {
            dlclose(library);
            return sf_fail(err, SF_EINVAL, "PDF needs a librsvg with %s()",
                           functions[i].name);
        }
        memcpy(functions[i].place, &found, sizeof found);
    }
    rsvg.library = library;
    return SF_OK;
}

enum sf_status
sf_pdf_check(struct sf_error *err)
{
    pthread_mutex_lock(&mutex);
    enum sf_status status = rsvg.library ? SF_OK : load(err);
    pthread_mutex_unlock(&mutex);
    return status;
}

/* Where the page goes, and the errno of what could not be written. */
struct sink {
    FILE *stream;
    int error;
};

static cairo_status_t
pass_on(void *aux, const unsigned char *data, unsigned length)
{
    struct sink *sink = aux;

    if (fwrite(data, 1, length, sink->stream) == length) {
        return CAIRO_STATUS_SUCCESS;
    }
    sink->error = errno;
    return CAIRO_STATUS_WRITE_ERROR;
}

/* The dates would be different each time. */
static void
set_metadata(const struct sf_pdf_page *page, cairo_surface_t *surface)
{
    rsvg.set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
    rsvg.set_metadata(surface, CAIRO_PDF_METADATA_MOD_DATE, "");
    rsvg.set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "slimfly");
    rsvg.set_metadata(surface, CAIRO_PDF_METADATA_TITLE, page->title);
    rsvg.set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, page->about);
}

/* What 'code' means to the caller.  A stream that cannot be written is for
 * whoever closes it. */
static enum sf_status
judge(cairo_status_t code, struct sf_error *err)
{
    if (code == CAIRO_STATUS_SUCCESS || code == CAIRO_STATUS_WRITE_ERROR) {
        return SF_OK;
    }
    return sf_fail(err, code == CAIRO_STATUS_NO_MEMORY ? SF_ENOMEM : SF_EINVAL,
                   "cairo: %s", rsvg.status_text(code));
}

static enum sf_status
draw(const struct sf_pdf_page *page, RsvgHandle *handle,
     cairo_surface_t *surface, struct sf_error *err)
{
    const RsvgRectangle all = { 0, 0, page->width, page->height };
    GError *error = NULL;
    cairo_t *cairo = rsvg.create(surface);
    bool is_drawn = rsvg.render(handle, cairo, &all, &error);
    cairo_status_t code = rsvg.status(cairo);
    enum sf_status status = SF_OK;

    if (code != CAIRO_STATUS_SUCCESS) {
        status = judge(code, err);
    } else if (!is_drawn) {
        status = sf_fail(err, SF_EINVAL, "librsvg: %s",
                         error ? error->message : "cannot draw");
    }
    if (error) {
        rsvg.free_error(error);
    }
    rsvg.destroy(cairo);
    return status;
}

enum sf_status
sf_pdf_write(const struct sf_pdf_page *page, FILE *stream,
             struct sf_error *err)
{
    struct sink sink = { .stream = stream };
    GError *error = NULL;
    enum sf_status status = sf_pdf_check(err);

    if (status) {
        return status;
    }
    RsvgHandle *handle =
        rsvg.read((const guint8 *)page->svg, page->length, &error);
    if (!handle) {
        status = sf_fail(err, SF_EINVAL, "librsvg: %s",
                         error ? error->message : "cannot read SVG");
        if (error) {
            rsvg.free_error(error);
        }
        return status;
    }
    cairo_surface_t *surface =
        rsvg.surface_create(pass_on, &sink, page->width, page->height);
    set_metadata(page, surface);
    status = draw(page, handle, surface, err);
    rsvg.finish(surface);
    if (!status) {
        status = judge(rsvg.surface_status(surface), err);
    }
    rsvg.surface_destroy(surface);
    rsvg.unref(handle);
    if (sink.error) {
        errno = sink.error;
    }
    return status;
}
