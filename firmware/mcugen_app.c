#include "mcugen_app_parts.h"

typedef struct command {
    const char *word;
    void (*answer)(mcugen_app *app);
} command;

static void selftest(mcugen_app *app)
{
    const bool checked = app->project->selftest->outputs != NULL;
    const int result = mcugen_app_selftest(app);
    const char *word = checked ? "m-selftest-[pass]" : "m-selftest-[none]";
    mcugen_print_line(app->hal->put_char,
                      (result == MCUGEN_SELFTEST_PASS) ? word : "m-selftest-[fail]");
}

static const command commands[] = {
    {"name", mcugen_app_name},
    {"profile", mcugen_app_profile},
    {"help", mcugen_app_help},
    {"timestamp", mcugen_app_timestamp},
    {"db", mcugen_app_db},
    {"infer", mcugen_app_infer},
    {"results", mcugen_app_results},
    {"info", mcugen_app_info},
    {"selftest", selftest},
    {"each", mcugen_app_each},
    {"layers", mcugen_app_layers},
    {"output", mcugen_app_output},
    {"run", mcugen_app_run_on},
    {"mode", mcugen_app_mode},
    {"phases", mcugen_app_phases},
    {"core", mcugen_app_core},
    {"sleep", mcugen_app_sleep},
    {"power", mcugen_app_power},
};

void mcugen_app_help(mcugen_app *app)
{
    for (uint32_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        mcugen_print_line(app->hal->put_char, commands[i].word);
    }
}

/* Ends the words in place and notes where they begin; what no command asks for is ignored. */
static void split(mcugen_app *app)
{
    bool inside = false;
    app->word_count = 0U;
    app->command[app->command_chars] = '\0';
    for (uint32_t i = 0; i < app->command_chars; i++) {
        if (app->command[i] == ' ') {
            app->command[i] = '\0';
            inside = false;
        } else if (!inside && app->word_count < MCUGEN_APP_WORDS) {
            inside = true;
            app->words[app->word_count] = &app->command[i];
            app->word_count++;
        } else {
            /* further characters of a word */
        }
    }
}

static void dispatch(mcugen_app *app)
{
    for (uint32_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (mcugen_app_same(app->words[0], commands[i].word)) {
            commands[i].answer(app);
            return;
        }
    }
    mcugen_print_text(app->hal->put_char, "e-[Unknown command: ");
    mcugen_print_text(app->hal->put_char, app->words[0]);
    mcugen_print_line(app->hal->put_char, "]");
}

static void answer(mcugen_app *app)
{
    split(app);
    if (app->too_long) {
        mcugen_app_error(app, "Command too long");
    } else if (app->word_count > 0U) {
        dispatch(app);
    } else {
        /* a lone end of a command: how a host finds its way back in */
    }
    app->command_chars = 0U;
    app->too_long = false;
    mcugen_print_line(app->hal->put_char, "m-ready");
    mcugen_app_flush(app);
    if (app->baud != 0U && app->hal->set_baud != NULL) {
        app->hal->set_baud(app->baud);
    }
    app->baud = 0U;
}

static void take(mcugen_app *app, char c)
{
    if (c == '%') {
        answer(app);
    } else if (c == '\r' || c == '\n') {
        /* of a terminal */
    } else if (app->command_chars == MCUGEN_APP_COMMAND_CHARS) {
        app->too_long = true;
    } else {
        app->command[app->command_chars] = c;
        app->command_chars++;
    }
}

int mcugen_app_start(mcugen_app *app, const mcugen_app_project *project, const mcugen_hal *hal)
{
    int result;
    app->project = project;
    app->hal = hal;
    app->command_chars = 0U;
    app->too_long = false;
    app->load_bytes = 0U;
    app->load_at = 0U;
    app->baud = 0U;
    app->energy = MCUGEN_APP_ENERGY != 0;
    app->phases = false;
    app->core = hal->inference_core;
    app->printing_us = 0U;
    if (app->energy && hal->set_baud != NULL) {
        hal->set_baud(MCUGEN_APP_BAUD_ENERGY);
    }
    if (hal->set_trigger != NULL) {
        hal->set_trigger(true);
    }
    mcugen_app_load_sample(app);
    mcugen_print_line(hal->put_char, app->energy ? "m-timestamp-mode-energy"
                                                 : "m-timestamp-mode-performance");
    result = mcugen_app_selftest(app);
    mcugen_print_line(hal->put_char, "m-init-done");
    mcugen_print_line(hal->put_char, "m-ready");
    mcugen_app_flush(app);
    return result;
}

bool mcugen_app_poll(mcugen_app *app)
{
    int c = app->hal->get_char();
    while (c >= 0) {
        take(app, (char)c);
        c = app->hal->get_char();
    }
    return c != MCUGEN_HAL_CLOSED;
}

int mcugen_app_run(mcugen_app *app, const mcugen_app_project *project, const mcugen_hal *hal)
{
    const int result = mcugen_app_start(app, project, hal);
    while (mcugen_app_poll(app)) {
        if (hal->idle != NULL) {
            hal->idle();
        }
    }
    return result;
}
