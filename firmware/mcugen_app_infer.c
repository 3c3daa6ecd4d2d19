/* The commands that run inferences. */
#include "mcugen_app_parts.h"

#define WARM_UP 10U /* of `infer`, as MLPerf's own */

int mcugen_app_selftest(mcugen_app *app)
{
    const mcugen_selftest_port port = {app->hal->put_char, app->hal->now_us};
    mcugen_app_flush(app);
    return mcugen_selftest_run(app->project->selftest, &port);
}

void mcugen_app_print_mark(mcugen_app *app, uint64_t us)
{
    mcugen_app_print_number(app, "m-lap-us-", us, "");
}

void mcugen_app_timestamp(mcugen_app *app)
{
    if (app->energy) {
        mcugen_app_pulse(app);
    } else {
        mcugen_app_print_mark(app, app->hal->now_us() - app->printing_us);
    }
}

/* Prints the first mark ahead of the inferences, as MLPerf does, so that who listens knows when
 * they begin. What that takes is left out of the clock of all marks from then on. */
static uint64_t print_first_mark(mcugen_app *app)
{
    const uint64_t first = app->hal->now_us() - app->printing_us;
    mcugen_app_print_mark(app, first);
    mcugen_app_flush(app);
    return first;
}

static bool infer(mcugen_app *app, uint32_t count, uint32_t sleep_ms)
{
    const uint64_t first = app->energy ? 0U : print_first_mark(app);
    bool good;
    mcugen_app_job_reset(app, count);
    app->job.sleep_ms = sleep_ms;
    app->job.pulses = app->energy;
    app->job.phases = app->phases;
    app->job.hooks = true;
    good = mcugen_app_job_do(app);
    if (!app->energy && app->job.mark_count > 0U) {
        app->printing_us = app->job.marks_us[0] - first;
        for (uint32_t i = 1; i < app->job.mark_count; i++) {
            mcugen_app_print_mark(app, app->job.marks_us[i] - app->printing_us);
        }
    }
    return good;
}

void mcugen_app_infer(mcugen_app *app)
{
    uint32_t count;
    uint32_t warm_up;
    uint32_t sleep_ms;
    if (!mcugen_app_number(app, 1U, 1U, 1U, &count)
        || !mcugen_app_number(app, 2U, 0U, WARM_UP, &warm_up)
        || !mcugen_app_number(app, 3U, 0U, 0U, &sleep_ms)) {
        return;
    }
    if (!mcugen_app_warm_up(app, warm_up)) {
        return;
    }
    mcugen_app_print_number(app, "m-infer-start-", count, "");
    if (!infer(app, count, sleep_ms)) {
        return;
    }
    mcugen_print_line(app->hal->put_char, "m-infer-done");
    mcugen_app_results(app);
}

static void print_times(mcugen_app *app, uint32_t count)
{
    mcugen_put_char put = app->hal->put_char;
    mcugen_print_text(put, "m-each-[");
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0U) {
            put(',');
        }
        mcugen_print_unsigned(put, app->times[i]);
    }
    mcugen_print_line(put, "]");
}

void mcugen_app_each(mcugen_app *app)
{
    uint32_t count;
    uint32_t warm_up;
    uint32_t left;
    if (!mcugen_app_number(app, 1U, 1U, 1U, &count)
        || !mcugen_app_number(app, 2U, 0U, 0U, &warm_up)) {
        return;
    }
    mcugen_app_job_reset(app, warm_up);
    if (!mcugen_app_job_do(app)) {
        return;
    }
    left = count;
    while (left > 0U) {
        const uint32_t some = (left < MCUGEN_APP_TIMES) ? left : MCUGEN_APP_TIMES;
        mcugen_app_job_reset(app, some);
        app->job.times = app->times;
        if (!mcugen_app_job_do(app)) {
            return;
        }
        print_times(app, some);
        left -= some;
    }
    mcugen_app_print_number(app, "m-each-done-", count, "");
}

static void print_layer(mcugen_app *app, uint32_t index)
{
    mcugen_put_char put = app->hal->put_char;
    const mcugen_step *step = &mcugen_app_model(app)->steps[index];
    mcugen_print_text(put, "m-layer-");
    mcugen_print_unsigned(put, index);
    mcugen_print_text(put, "-");
    mcugen_print_unsigned(put, app->project->layers[index].us);
    mcugen_print_text(put, "-");
    mcugen_print_unsigned(put, app->project->layers[index].cycles);
    mcugen_print_text(put, "-[");
    mcugen_print_text(put, step->op);
    mcugen_print_text(put, " \"");
    mcugen_print_text(put, step->name);
    mcugen_print_line(put, "\"]");
}

void mcugen_app_layers(mcugen_app *app)
{
    const mcugen_model *model = mcugen_app_model(app);
    const mcugen_app_layer none = {0U, 0U};
    uint32_t count;
    if (!mcugen_app_number(app, 1U, 1U, 1U, &count)) {
        return;
    }
    if (model->set_trace == NULL) {
        mcugen_app_error(app, "layers: the program was built without -DNAME_TRACE");
        return;
    }
    for (uint32_t i = 0; i < model->step_count; i++) {
        app->project->layers[i] = none;
    }
    mcugen_app_job_reset(app, count);
    app->job.layers = true;
    if (!mcugen_app_job_do(app)) {
        return;
    }
    for (uint32_t i = 0; i < model->step_count; i++) {
        print_layer(app, i);
    }
    mcugen_app_print_number(app, "m-layers-done-", count, "");
}

void mcugen_app_run_on(mcugen_app *app)
{
    uint32_t sleep_ms;
    uint32_t done = 0U;
    if (!mcugen_app_number(app, 1U, 0U, 0U, &sleep_ms)) {
        return;
    }
    while (app->hal->get_char() == MCUGEN_HAL_NONE) {
        mcugen_app_job_reset(app, 1U);
        app->job.sleep_ms = sleep_ms;
        if (!mcugen_app_job_do(app)) {
            return;
        }
        done++;
    }
    mcugen_app_print_number(app, "m-run-done-", done, "");
}
