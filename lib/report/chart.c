#include "report/chart.h"

#include <ctype.h>
#include <math.h>

double
sf_chart_round(double x, bool is_below)
{
    double power = pow(10, floor(log10(x)));
    static const double steps[] = { 1, 2, 5, 10 };

    for (int i = 0; i < 4; i++) {
        double at = power * steps[is_below ? 3 - i : i];
        if (is_below ? at <= x * 1.000001 : at >= x / 1.000001) {
            return at;
        }
    }
    return power;
}

void
sf_chart_mark(char mark, const char *color, double x, double y, FILE *stream)
{
    fprintf(stream, "<path class=\"mark\" fill=\"%s\" stroke=\"%s\" d=\"",
            isupper((unsigned char)mark) ? "#fff" : color, color);
    switch (tolower((unsigned char)mark)) {
    case 's':
        fprintf(stream, "M%.1f %.1fh7v7h-7z", x - 3.5, y - 3.5);
        break;
    case 't':
        fprintf(stream, "M%.1f %.1fl4.5 8h-9z", x, y - 5);
        break;
    case 'd':
        fprintf(stream, "M%.1f %.1fl4.5 4.5l-4.5 4.5l-4.5 -4.5z", x, y - 4.5);
        break;
    case '+':
        fprintf(stream, "M%.1f %.1fv9m-4.5 -4.5h9", x, y - 4.5);
        break;
    case 'x':
        fprintf(stream, "M%.1f %.1fl7 7m0 -7l-7 7", x - 3.5, y - 3.5);
        break;
    default:
        fprintf(stream, "M%.1f %.1fa4 4 0 1 0 8 0a4 4 0 1 0 -8 0", x - 4, y);
    }
    fputs("\"/>\n", stream);
}
