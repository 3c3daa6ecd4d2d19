/* What the program says of itself, and how it is set. */
#include "mcugen_app_parts.h"

/* What MLPerf's runner expects of this protocol. */
#define PROFILE "ULPMark for tinyML Firmware V0.0.1"

void mcugen_app_name(mcugen_app *app)
{
    mcugen_print_text(app->hal->put_char, "m-name-dut-[");
    mcugen_print_text(app->hal->put_char, app->project->board);
    mcugen_print_line(app->hal->put_char, "]");
}

void mcugen_app_profile(mcugen_app *app)
{
    mcugen_print_line(app->hal->put_char, "m-profile-[" PROFILE "]");
    mcugen_print_text(app->hal->put_char, "m-model-[");
    mcugen_print_text(app->hal->put_char, app->project->model);
    mcugen_print_line(app->hal->put_char, "]");
}

static void open_key(mcugen_app *app, const char *key)
{
    mcugen_print_text(app->hal->put_char, "m-info-");
    mcugen_print_text(app->hal->put_char, key);
    mcugen_print_text(app->hal->put_char, "-[");
}

static void text(mcugen_app *app, const char *key, const char *value)
{
    open_key(app, key);
    mcugen_print_text(app->hal->put_char, value);
    mcugen_print_line(app->hal->put_char, "]");
}

static void number(mcugen_app *app, const char *key, uint32_t value)
{
    open_key(app, key);
    mcugen_app_print_number(app, "", value, "]");
}

static const char *dtype_name(mcugen_dtype dtype)
{
    switch (dtype) {
    case MCUGEN_FLOAT32:
        return "float32";
    case MCUGEN_UINT8:
        return "uint8";
    case MCUGEN_INT8:
        return "int8";
    case MCUGEN_UINT16:
        return "uint16";
    case MCUGEN_INT16:
        return "int16";
    case MCUGEN_INT32:
        return "int32";
    case MCUGEN_INT64:
        return "int64";
    case MCUGEN_BOOL:
        return "bool";
    case MCUGEN_FLOAT64:
        return "float64";
    case MCUGEN_UINT32:
        return "uint32";
    case MCUGEN_UINT64:
        return "uint64";
    default:
        return "unknown";
    }
}

static void tensors(mcugen_app *app, const char *key, const mcugen_tensor *found, uint32_t count)
{
    mcugen_put_char put = app->hal->put_char;
    open_key(app, key);
    for (uint32_t i = 0; i < count; i++) {
        mcugen_print_text(put, (i > 0U) ? "," : "");
        mcugen_print_text(put, dtype_name(found[i].dtype));
        mcugen_print_text(put, ":");
        mcugen_print_unsigned(put, found[i].elems);
        mcugen_print_text(put, ":");
        mcugen_print_unsigned(put, found[i].bytes);
    }
    mcugen_print_line(put, "]");
}

static const char *selftest_level(const mcugen_selftest *test)
{
    if (test->outputs == NULL) {
        return "none";
    }
    return (test->expected != NULL) ? "full" : "crc";
}

void mcugen_app_info(mcugen_app *app)
{
    const mcugen_app_project *project = app->project;
    const mcugen_model *model = mcugen_app_model(app);
    text(app, "generator", model->generator);
    text(app, "hash", model->hash);
    text(app, "model", project->model);
    text(app, "board", project->board);
    number(app, "clock-hz", project->clock_hz);
    number(app, "cores", app->hal->cores);
    number(app, "core", app->core);
    number(app, "arena-bytes", model->arena_bytes);
    tensors(app, "inputs", model->inputs, model->input_count);
    tensors(app, "outputs", model->outputs, model->output_count);
    number(app, "layers", model->step_count);
    text(app, "compiler", project->compiler);
    text(app, "flags", project->flags);
    text(app, "kernels", project->kernels);
    text(app, "memory", project->memory);
    text(app, "selftest", selftest_level(project->selftest));
    number(app, "cycles", (app->hal->cycles != NULL) ? 1U : 0U);
    number(app, "i2c", (app->hal->i2c_read != NULL) ? 1U : 0U);
    text(app, "meter", mcugen_app_meter_name(app));
}

void mcugen_app_mode(mcugen_app *app)
{
    const char *mode = (app->word_count > 1U) ? app->words[1] : "";
    const bool energy = mcugen_app_same(mode, "energy");
    if (!energy && !mcugen_app_same(mode, "performance")) {
        mcugen_app_error(app, "mode: performance or energy?");
    } else if (energy && app->hal->set_trigger == NULL) {
        mcugen_app_error(app, "mode: energy needs a trigger pin");
    } else {
        app->energy = energy;
        app->baud = energy ? MCUGEN_APP_BAUD_ENERGY : MCUGEN_APP_BAUD;
        mcugen_print_text(app->hal->put_char, "m-timestamp-mode-");
        mcugen_print_line(app->hal->put_char, mode);
    }
}

void mcugen_app_phases(mcugen_app *app)
{
    const char *word = (app->word_count > 1U) ? app->words[1] : "";
    if (mcugen_app_same(word, "0") || mcugen_app_same(word, "1")) {
        app->phases = mcugen_app_same(word, "1");
    } else {
        mcugen_app_error(app, "phases: 0 or 1?");
    }
}

void mcugen_app_core(mcugen_app *app)
{
    uint32_t core;
    if (app->word_count < 2U) {
        mcugen_app_error(app, "core: which one?");
    } else if (!mcugen_app_number(app, 1U, 0U, 0U, &core)) {
        /* said so */
    } else if (core >= app->hal->cores) {
        mcugen_app_print_number(app, "e-[core: their number is ", app->hal->cores, "]");
    } else {
        app->core = core;
        mcugen_app_print_number(app, "m-core-", core, "");
    }
}

void mcugen_app_sleep(mcugen_app *app)
{
    uint32_t ms;
    if (app->word_count < 2U) {
        mcugen_app_error(app, "sleep: how many milliseconds?");
    } else if (mcugen_app_number(app, 1U, 0U, 0U, &ms)) {
        mcugen_app_flush(app);
        app->hal->sleep_us((uint64_t)ms * 1000U);
    } else {
        /* said so */
    }
}
