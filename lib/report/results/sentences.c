/* sentences.c -- what the summary of the page says. */
#include "io/xml.h"
#include "report/results/parts.h"

#include <stdarg.h>

void
sf_results_say(struct results_page *page, enum results_topic topic,
               enum results_mood mood, const char *format, ...)
{
    struct results_sentence sentence = { topic, mood, page->number, NULL };
    va_list args;

    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length >= 0) {
        sentence.text = sf_calloc((size_t)length + 1, 1);
    }
    if (sentence.text) {
        va_start(args, format);
        vsnprintf(sentence.text, (size_t)length + 1, format, args);
        va_end(args);
    }
    if (!sentence.text || !sf_vec_push(&page->sentences, sentence)) {
        free(sentence.text);
        sf_json_fail_memory(&page->reader);
    }
}

void
sf_results_write_topic(const struct results_page *page,
                       enum results_topic topic, const char *heading)
{
    static const char *const classes[] = { "fact", "good", "bad" };
    static const char *const marks[] = { "", "\u2713 ", "\u26a0 " };
    bool is_begun = false;

    for (size_t i = 0; i < page->sentences.n; i++) {
        const struct results_sentence *sentence = &page->sentences.items[i];
        if (sentence->topic != topic) {
            continue;
        }
        if (!is_begun) {
            fprintf(page->stream, "<h3>%s</h3>\n<ul class=\"said\">\n",
                    heading);
            is_begun = true;
        }
        fprintf(page->stream, "<li class=\"%s\">%s", classes[sentence->mood],
                marks[sentence->mood]);
        sf_xml_write(sentence->text, page->stream);
        fprintf(page->stream, " <a href=\"#r%u\">", sentence->result + 1);
        sf_results_write_name(page->results[sentence->result], true,
                              page->stream);
        fputs("</a></li>\n", page->stream);
    }
    if (is_begun) {
        fputs("</ul>\n", page->stream);
    }
}
