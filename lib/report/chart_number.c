/* chart_number.c -- decimal numbers for the ticks of charts.
 *
 * They are kept as whole numbers and written digit by digit, so that neither
 * rounding nor the locale shows in a label. */
#include "report/chart_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Exact as far as a double is: pow() need not be. */
static double
power_of_ten(int exponent)
{
    double power = 1;

    for (int i = 0; i < abs(exponent); i++) {
        power *= 10;
    }
    return exponent < 0 ? 1 / power : power;
}

double
sf_chart_value(struct sf_chart_decimal number)
{
    double power = power_of_ten(abs(number.exponent));
    return number.exponent < 0 ? (double)number.digits / power
                               : (double)number.digits * power;
}

int
sf_chart_exponent(double x)
{
    int exponent = (int)floor(log10(x));

    if (power_of_ten(exponent + 1) <= x) {
        exponent++;
    }
    return power_of_ten(exponent) > x ? exponent - 1 : exponent;
}

struct sf_chart_decimal
sf_chart_round_decimal(double x, bool is_below)
{
    static const int steps[] = { 1, 2, 5, 10 };
    int exponent = sf_chart_exponent(x);

    for (int i = 0; i < 4; i++) {
        struct sf_chart_decimal at = { steps[is_below ? 3 - i : i], exponent };
        double value = sf_chart_value(at);
        if (is_below ? value <= x * 1.000001 : value >= x / 1.000001) {
            return at;
        }
    }
    return (struct sf_chart_decimal){ 1, exponent };
}

double
sf_chart_round(double x, bool is_below)
{
    return sf_chart_value(sf_chart_round_decimal(x, is_below));
}

/* Puts 'text' behind what is in 'line'. */
static void
append(char *line, size_t size, const char *text)
{
    size_t n = strlen(line);
    if (n + 1 < size) {
        snprintf(line + n, size - n, "%s", text);
    }
}

/* The digits with a point before the last 'n_decimals' of them. */
static void
append_digits(long long digits, int n_decimals, char *text, size_t size)
{
    char all[48], part[48];

    snprintf(all, sizeof all, "%0*lld", n_decimals + 1, digits);
    int n_whole = (int)strlen(all) - n_decimals;
    snprintf(part, sizeof part, "%.*s", n_whole, all);
    append(text, size, part);
    if (n_decimals > 0) {
        append(text, size, ".");
        append(text, size, all + n_whole);
    }
}

static void
append_power(int exponent, char *text, size_t size)
{
    static const char *const raised[] = { "⁰", "¹", "²", "³", "⁴",
                                          "⁵", "⁶", "⁷", "⁸", "⁹" };
    char plain[16];

    append(text, size, "10");
    snprintf(plain, sizeof plain, "%d", exponent);
    for (const char *at = plain; *at; at++) {
        append(text, size, *at == '-' ? "⁻" : raised[*at - '0']);
    }
}

void
sf_chart_write_decimal(struct sf_chart_decimal number, char *text, size_t size)
{
    long long digits = llabs(number.digits);
    int exponent = number.exponent, n_digits = 1;

    *text = '\0';
    append(text, size, number.digits < 0 ? "−" : "");
    while (digits && digits % 10 == 0) {
        digits /= 10;
        exponent++;
    }
    for (long long rest = digits; rest >= 10; rest /= 10) {
        n_digits++;
    }
    int first = exponent + n_digits - 1; /* Of the first digit. */
    if (digits == 0) {
        append(text, size, "0");
    } else if (first < -4 || first > 5) {
        if (digits > 1) {
            append_digits(digits, n_digits - 1, text, size);
            append(text, size, "·");
        }
        append_power(first, text, size);
    } else {
        for (; exponent > 0; exponent--) {
            digits *= 10;
        }
        append_digits(digits, -exponent, text, size);
    }
}

void
sf_chart_format(double value, char *text, size_t size)
{
    struct sf_chart_decimal number = { 0, 0 };

    if (!isfinite(value)) {
        snprintf(text, size, "–");
        return;
    }
    if (value != 0) {
        number.exponent = sf_chart_exponent(fabs(value)) - 3;
        double power = power_of_ten(abs(number.exponent));
        number.digits =
            llround(number.exponent < 0 ? value * power : value / power);
    }
    sf_chart_write_decimal(number, text, size);
}
