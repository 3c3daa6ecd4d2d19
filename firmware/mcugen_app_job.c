/* Stretches of inferences, on the application's core or another one. */
#include "mcugen_app_parts.h"

int mcugen_app_infer_once(mcugen_app *app)
{
    const mcugen_selftest *test = app->project->selftest;
    void *const *own = app->project->inputs;
    if (own == NULL) {
        return test->invoke(test->inputs);
    }
    return test->invoke((const void *const *)own);
}

#define PULSE_US 1000U /* for meters that look at the pin a few thousand times a second */

/* Two readings of the clock that differ by one more are at least so far apart. */
void mcugen_app_pulse(const mcugen_app *app)
{
    const mcugen_hal *hal = app->hal;
    if (hal->set_trigger != NULL) {
        const uint64_t start = hal->now_us();
        hal->set_trigger(false);
        while (hal->now_us() - start < PULSE_US + 1U) {
            /* wait */
        }
        hal->set_trigger(true);
    }
}

static void mark(mcugen_app_job *job)
{
    if (job->pulses) {
        mcugen_app_pulse(job->app);
    }
    job->marks_us[job->mark_count] = job->app->hal->now_us();
    job->mark_count++;
}

static void restart_layer(mcugen_app *app)
{
    const mcugen_hal *hal = app->hal;
    app->layer_us = hal->now_us();
    app->layer_cycles = (hal->cycles != NULL) ? hal->cycles() : 0U;
}

static void add_layer(void *context, uint32_t step, uint32_t output, const void *data,
                      uint32_t bytes)
{
    mcugen_app *app = (mcugen_app *)context;
    const mcugen_hal *hal = app->hal;
    const uint32_t cycles = (hal->cycles != NULL) ? hal->cycles() : 0U;
    const uint64_t now = hal->now_us();
    (void)data;
    (void)bytes;
    if (output == 0U) {
        app->project->layers[step].us += now - app->layer_us;
        app->project->layers[step].cycles += cycles - app->layer_cycles;
    }
    restart_layer(app);
}

/* Every element of every output as a real value, as `results` prints them. */
static void read_outputs(const mcugen_app *app)
{
    const mcugen_model *model = mcugen_app_model(app);
    volatile uint32_t sink = 0U; /* so that it is not left out */
    for (uint32_t i = 0; i < model->output_count; i++) {
        const mcugen_tensor *tensor = &model->outputs[i];
        const uint8_t *data = (const uint8_t *)app->project->selftest->output(i);
        const uint32_t size = mcugen_element_bytes(tensor->dtype);
        for (uint32_t at = 0; at < tensor->elems; at++) {
            sink = mcugen_app_real_bits(tensor,
                                        mcugen_element_bits(&data[at * size], tensor->dtype));
        }
    }
    (void)sink;
}

static void run_all(mcugen_app_job *job)
{
    const mcugen_hal *hal = job->app->hal;
    for (uint32_t i = 0; i < job->count && job->error == MCUGEN_OK; i++) {
        const uint64_t start = hal->now_us();
        if (job->layers) {
            restart_layer(job->app);
        }
        job->error = mcugen_app_infer_once(job->app);
        if (job->times != NULL) {
            job->times[i] = hal->now_us() - start;
        }
        if (job->sleep_ms > 0U) {
            hal->sleep_us((uint64_t)job->sleep_ms * 1000U);
        }
    }
}

static void run_job(void *context)
{
    mcugen_app_job *job = (mcugen_app_job *)context;
    mcugen_app *app = job->app;
    if (job->phases) {
        mark(job);
    }
    if (job->hooks && app->prepare != NULL) {
        app->prepare();
    }
    mark(job);
    run_all(job);
    mark(job);
    if (job->hooks && app->finish != NULL) {
        app->finish();
    }
    if (job->phases) {
        read_outputs(app);
        mark(job);
    }
}

void mcugen_app_job_reset(mcugen_app *app, uint32_t count)
{
    const mcugen_app_job empty = {app, count, 0U, NULL, false, false, false, false, 0U, {0U}, 0};
    app->job = empty;
}

bool mcugen_app_job_start(mcugen_app *app, uint32_t core)
{
    mcugen_app_flush(app);
    if (core == app->hal->core) {
        run_job(&app->job);
    } else if (!app->hal->start(core, run_job, &app->job)) {
        mcugen_app_print_number(app, "e-[core ", core, " does not start]");
        return false;
    } else {
        /* it runs */
    }
    return true;
}

bool mcugen_app_job_succeeded(mcugen_app *app)
{
    if (app->job.error != MCUGEN_OK) {
        mcugen_app_print_number(app, "e-[the model returned an error, -",
                                (uint64_t)(-(int64_t)app->job.error), "]");
        return false;
    }
    return true;
}

bool mcugen_app_job_do(mcugen_app *app)
{
    const mcugen_hal *hal = app->hal;
    const mcugen_model *model = mcugen_app_model(app);
    bool started;
    if (app->job.layers) {
        model->set_trace(add_layer, app);
    }
    started = mcugen_app_job_start(app, app->core);
    while (started && app->core != hal->core && hal->busy()) {
        if (hal->idle != NULL) {
            hal->idle();
        }
    }
    if (app->job.layers) {
        model->set_trace(NULL, NULL);
    }
    return started && mcugen_app_job_succeeded(app);
}

bool mcugen_app_warm_up(mcugen_app *app, uint32_t count)
{
    bool good;
    mcugen_app_print_number(app, "m-warmup-start-", count, "");
    mcugen_app_job_reset(app, count);
    good = mcugen_app_job_do(app);
    mcugen_print_line(app->hal->put_char, "m-warmup-done");
    return good;
}
