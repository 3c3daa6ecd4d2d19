/* The buffer with the inputs' bytes, one input after the other, and the command `db`. */
#include "mcugen_app_parts.h"

#define BYTES_A_LINE 8U

const mcugen_model *mcugen_app_model(const mcugen_app *app)
{
    return app->project->selftest->model;
}

uint32_t mcugen_app_input_bytes(const mcugen_app *app)
{
    const mcugen_model *model = mcugen_app_model(app);
    uint32_t bytes = 0U;
    for (uint32_t i = 0; i < model->input_count; i++) {
        bytes += model->inputs[i].bytes;
    }
    return bytes;
}

uint8_t *mcugen_app_buffer_byte(const mcugen_app *app, uint32_t at)
{
    const mcugen_model *model = mcugen_app_model(app);
    uint32_t input = 0U;
    while (at >= model->inputs[input].bytes) {
        at -= model->inputs[input].bytes;
        input++;
    }
    return &((uint8_t *)app->project->inputs[input])[at];
}

void mcugen_app_load_sample(mcugen_app *app)
{
    const mcugen_model *model = mcugen_app_model(app);
    const void *const *sample = app->project->selftest->inputs;
    if (app->project->inputs == NULL || sample == NULL) {
        return;
    }
    for (uint32_t i = 0; i < model->input_count; i++) {
        const uint8_t *from = (const uint8_t *)sample[i];
        uint8_t *to = (uint8_t *)app->project->inputs[i];
        for (uint32_t at = 0; at < model->inputs[i].bytes; at++) {
            to[at] = from[at];
        }
    }
}

static void load(mcugen_app *app)
{
    const uint32_t most = mcugen_app_input_bytes(app);
    uint32_t bytes;
    if (app->project->inputs == NULL) {
        mcugen_app_error(app, "db load: the model has no inputs, or the program no buffer");
    } else if (app->word_count < 3U) {
        mcugen_app_error(app, "db load: how many bytes?");
    } else if (!mcugen_app_number(app, 2U, 1U, 0U, &bytes)) {
        /* said so */
    } else if (bytes > most) {
        mcugen_app_print_number(app, "e-[db load: the inputs have ", most, " bytes]");
    } else {
        app->load_bytes = bytes;
        app->load_at = 0U;
        mcugen_app_print_number(app, "m-[Expecting ", bytes, " bytes]");
    }
}

static void print(mcugen_app *app)
{
    mcugen_put_char put = app->hal->put_char;
    const uint32_t all = (app->project->inputs == NULL) ? 0U : mcugen_app_input_bytes(app);
    uint32_t offset;
    uint32_t bytes;
    if (!mcugen_app_number(app, 3U, 0U, 0U, &offset)
        || !mcugen_app_number(app, 2U, 0U, (offset < all) ? all - offset : 0U, &bytes)) {
        return;
    }
    if (offset > all || bytes > all - offset) {
        mcugen_app_print_number(app, "e-[db print: the buffer has ", all, " bytes]");
        return;
    }
    for (uint32_t i = 0; i < bytes; i++) {
        const bool last = (i + 1U) % BYTES_A_LINE == 0U || i + 1U == bytes;
        mcugen_print_text(put, (i % BYTES_A_LINE == 0U) ? "m-buffer-" : "-");
        mcugen_print_hex(put, *mcugen_app_buffer_byte(app, offset + i), 2U);
        if (last) {
            mcugen_print_line(put, "");
        }
    }
}

/* Whether a word is what is left of the load in hexadecimal, or a part of it. */
static bool is_hex(mcugen_app *app, const char *digits, uint32_t *bytes)
{
    uint32_t count = 0U;
    while (digits[count] != '\0' && count / 2U < app->load_bytes - app->load_at) {
        if (mcugen_app_hex_digit(digits[count]) > 15U) {
            mcugen_app_error(app, "db: not a hexadecimal digit");
            return false;
        }
        count++;
    }
    if (count % 2U != 0U) {
        mcugen_app_error(app, "db: a byte has two hexadecimal digits");
        return false;
    }
    *bytes = count / 2U;
    return true;
}

static void take(mcugen_app *app, const char *digits)
{
    uint32_t bytes;
    if (app->load_bytes == 0U) {
        mcugen_app_error(app, "db: say 'db load N' first");
        return;
    }
    if (!is_hex(app, digits, &bytes)) {
        return;
    }
    for (uint32_t i = 0; i < bytes; i++) {
        const uint8_t high = mcugen_app_hex_digit(digits[2U * i]);
        const uint8_t low = mcugen_app_hex_digit(digits[2U * i + 1U]);
        *mcugen_app_buffer_byte(app, app->load_at) = (uint8_t)((high << 4) | low);
        app->load_at++;
    }
    if (app->load_at == app->load_bytes) {
        app->load_bytes = 0U;
        mcugen_print_line(app->hal->put_char, "m-load-done");
    }
}

void mcugen_app_db(mcugen_app *app)
{
    if (app->word_count < 2U) {
        mcugen_app_error(app, "db: load, print, or bytes in hexadecimal?");
    } else if (mcugen_app_same(app->words[1], "load")) {
        load(app);
    } else if (mcugen_app_same(app->words[1], "print")) {
        print(app);
    } else {
        take(app, app->words[1]);
    }
}
