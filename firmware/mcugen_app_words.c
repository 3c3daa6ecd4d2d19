/* Words of commands, and lines of answers. */
#include "mcugen_app_parts.h"

bool mcugen_app_same(const char *a, const char *b)
{
    uint32_t i = 0U;
    while (a[i] == b[i] && a[i] != '\0') {
        i++;
    }
    return a[i] == b[i];
}

uint8_t mcugen_app_hex_digit(char c)
{
    uint8_t value = 16U;
    if (c >= '0' && c <= '9') {
        value = (uint8_t)(c - '0');
    } else if (c >= 'a' && c <= 'f') {
        value = (uint8_t)(c - 'a' + 10);
    } else if (c >= 'A' && c <= 'F') {
        value = (uint8_t)(c - 'A' + 10);
    } else {
        /* no digit */
    }
    return value;
}

/* Whether the text is a decimal number of 32 bits. */
static bool parse(const char *text, uint32_t *value)
{
    uint32_t i = 0U;
    *value = 0U;
    while (text[i] >= '0' && text[i] <= '9') {
        const uint32_t digit = (uint32_t)(text[i] - '0');
        if (*value > (UINT32_MAX - digit) / 10U) {
            return false;
        }
        *value = *value * 10U + digit;
        i++;
    }
    return i > 0U && text[i] == '\0';
}

bool mcugen_app_number(mcugen_app *app, uint32_t index, uint32_t least, uint32_t otherwise,
                       uint32_t *value)
{
    mcugen_put_char put = app->hal->put_char;
    if (index >= app->word_count) {
        *value = otherwise;
    } else if (!parse(app->words[index], value) || *value < least) {
        mcugen_print_text(put, "e-[");
        mcugen_print_text(put, app->words[0]);
        mcugen_print_text(put, ": a whole number of at least ");
        mcugen_print_unsigned(put, least);
        mcugen_print_text(put, " is wanted, not '");
        mcugen_print_text(put, app->words[index]);
        mcugen_print_line(put, "']");
        return false;
    } else {
        /* as it was given */
    }
    return true;
}

void mcugen_app_print_number(mcugen_app *app, const char *before, uint64_t value,
                             const char *behind)
{
    mcugen_print_text(app->hal->put_char, before);
    mcugen_print_unsigned(app->hal->put_char, value);
    mcugen_print_line(app->hal->put_char, behind);
}

void mcugen_app_error(mcugen_app *app, const char *what)
{
    mcugen_print_text(app->hal->put_char, "e-[");
    mcugen_print_text(app->hal->put_char, what);
    mcugen_print_line(app->hal->put_char, "]");
}

void mcugen_app_flush(const mcugen_app *app)
{
    if (app->hal->flush != NULL) {
        app->hal->flush();
    }
}
