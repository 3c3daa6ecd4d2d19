/* The firmware application: the self-test, then commands on a serial port: the protocol of
 * MLPerf Tiny, and a few more. docs/PROTOCOL.md of mcugen describes them.
 *
 *     static mcugen_app app;
 *     mcugen_app_run(&app, &NAME_app, hal);
 *
 * No heap, no printf, no recursion. Not re-entrant.
 */
#ifndef MCUGEN_APP_H
#define MCUGEN_APP_H

#include "mcugen_hal.h"
#include "mcugen_selftest.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MCUGEN_APP_COMMAND_CHARS 80U
#define MCUGEN_APP_WORDS 5U      /* more than any command has */
#define MCUGEN_APP_TIMES 16U     /* inferences that `each` times between two lines */
#define MCUGEN_APP_BAUD 115200U
#define MCUGEN_APP_BAUD_ENERGY 9600U

/* -DMCUGEN_APP_ENERGY=1 starts in energy mode. */
#ifndef MCUGEN_APP_ENERGY
#define MCUGEN_APP_ENERGY 0
#endif

/* What a layer took, summed over inferences. */
typedef struct mcugen_app_layer {
    uint64_t us;
    uint64_t cycles;
} mcugen_app_layer;

/* A model in its project: generated. */
typedef struct mcugen_app_project {
    const mcugen_selftest *selftest;
    const char *model;   /* what `profile` calls it */
    const char *board;   /* its name at `mcugen boards` */
    const char *compiler;
    const char *flags;
    const char *kernels;
    const char *memory;
    uint32_t clock_hz;
    void *const *inputs;      /* the buffer: storage of each input; NULL: there is none */
    mcugen_app_layer *layers; /* one per step of the model; NULL without -DNAME_TRACE */
} mcugen_app_project;

/* A stretch of inferences on one core. */
typedef struct mcugen_app_job {
    struct mcugen_app *app;
    uint32_t count;
    uint32_t sleep_ms; /* after each */
    uint64_t *times;   /* microseconds of each; NULL: they are not timed */
    bool layers;       /* add to the project's layers */
    bool pulses;       /* pulse the trigger pin with the marks */
    bool phases;       /* four marks instead of two */
    bool hooks;        /* call the application's prepare and finish */
    uint32_t mark_count;
    uint64_t marks_us[4];
    int error;
} mcugen_app_job;

typedef struct mcugen_app {
    /* Yours to set before the start, or NULL: run on the inputs before, and on the outputs behind
     * the inferences of `infer`, between the marks that `phases 1` adds. */
    void (*prepare)(void);
    void (*finish)(void);

    const mcugen_app_project *project;
    const mcugen_hal *hal;
    char command[MCUGEN_APP_COMMAND_CHARS + 1U];
    uint32_t command_chars;
    bool too_long;
    const char *words[MCUGEN_APP_WORDS];
    uint32_t word_count;
    uint32_t load_bytes; /* of the running `db load`; 0: there is none */
    uint32_t load_at;
    uint32_t baud; /* to change to when the answer is complete; 0: to none */
    bool energy;
    bool phases;
    uint32_t core;
    uint64_t printing_us; /* for which the clock of the timestamps stood still */
    uint64_t layer_us;    /* when the running layer began */
    uint32_t layer_cycles;
    uint64_t times[MCUGEN_APP_TIMES];
    mcugen_app_job job;
} mcugen_app;

/* Prints the boot lines and runs the self-test: MCUGEN_SELFTEST_PASS or MCUGEN_SELFTEST_FAIL. */
int mcugen_app_start(mcugen_app *app, const mcugen_app_project *project, const mcugen_hal *hal);

/* Takes the characters that have come, answers a command that is complete. False when the port is
 * closed for good. For programs that do other things as well. */
bool mcugen_app_poll(mcugen_app *app);

/* Starts and serves until the port is closed for good, which no board's ever is; returns what the
 * self-test returned. */
int mcugen_app_run(mcugen_app *app, const mcugen_app_project *project, const mcugen_hal *hal);

#ifdef __cplusplus
}
#endif

#endif
