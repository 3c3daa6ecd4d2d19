/* The parts of the application among themselves; mcugen_app.h is what programs include. */
#ifndef MCUGEN_APP_PARTS_H
#define MCUGEN_APP_PARTS_H

#include "mcugen_app.h"
#include "mcugen_element.h"

/* Commands: print their answer but the final `m-ready`. */
void mcugen_app_name(mcugen_app *app);
void mcugen_app_profile(mcugen_app *app);
void mcugen_app_help(mcugen_app *app);
void mcugen_app_info(mcugen_app *app);
void mcugen_app_timestamp(mcugen_app *app);
void mcugen_app_mode(mcugen_app *app);
void mcugen_app_phases(mcugen_app *app);
void mcugen_app_core(mcugen_app *app);
void mcugen_app_sleep(mcugen_app *app);
void mcugen_app_db(mcugen_app *app);
void mcugen_app_infer(mcugen_app *app);
void mcugen_app_each(mcugen_app *app);
void mcugen_app_layers(mcugen_app *app);
void mcugen_app_run_on(mcugen_app *app);
void mcugen_app_results(mcugen_app *app);
void mcugen_app_output(mcugen_app *app);
void mcugen_app_power(mcugen_app *app);
int mcugen_app_selftest(mcugen_app *app);

/* Word `index` of the command as a number of at least `least`, or `otherwise` when the command
 * ends before it. False, and an error was printed, when it is no such number. */
bool mcugen_app_number(mcugen_app *app, uint32_t index, uint32_t least, uint32_t otherwise,
                       uint32_t *value);

/* The value of a hexadecimal digit, or 16. */
uint8_t mcugen_app_hex_digit(char c);

bool mcugen_app_same(const char *a, const char *b);

/* Prints a line that has one number: "m-done-12". */
void mcugen_app_print_number(mcugen_app *app, const char *before, uint64_t value,
                             const char *behind);

void mcugen_app_error(mcugen_app *app, const char *what);

const mcugen_model *mcugen_app_model(const mcugen_app *app);

/* Bytes of all inputs. */
uint32_t mcugen_app_input_bytes(const mcugen_app *app);

/* A byte of the buffer, which there must be. */
uint8_t *mcugen_app_buffer_byte(const mcugen_app *app, uint32_t at);

/* Puts the self-test's sample into the buffer, where there are both. */
void mcugen_app_load_sample(mcugen_app *app);

/* Waits until everything was sent. */
void mcugen_app_flush(const mcugen_app *app);

void mcugen_app_pulse(const mcugen_app *app);

void mcugen_app_print_mark(mcugen_app *app, uint64_t us);

/* One inference on the buffer. */
int mcugen_app_infer_once(mcugen_app *app);

/* A job of `count` inferences, nothing else set. */
void mcugen_app_job_reset(mcugen_app *app, uint32_t count);

/* Starts the job on a core; on the application's own it is done then. False, and an error was
 * printed, when the core does not start. */
bool mcugen_app_job_start(mcugen_app *app, uint32_t core);

/* False, and an error was printed, when the model failed. */
bool mcugen_app_job_succeeded(mcugen_app *app);

/* Runs the job on the chosen core. False, and an error was printed, when that did not work. */
bool mcugen_app_job_do(mcugen_app *app);

/* `count` inferences that nobody looks at, with their lines. */
bool mcugen_app_warm_up(mcugen_app *app, uint32_t count);

/* An element of an output as a real value, by its bits as a float. */
uint32_t mcugen_app_real_bits(const mcugen_tensor *tensor, uint64_t bits);

/* Whether a meter answers on the board's bus, as printed by `info`. */
const char *mcugen_app_meter_name(const mcugen_app *app);

#endif
