/* The self-test of an exported project: runs the model on an embedded input and compares every
 * layer with what the reference computed, by CRC-32; then prints the time of each layer.
 *
 * Needs a model built with -DNAME_TRACE to see its layers. No heap, no printf.
 */
#ifndef MCUGEN_SELFTEST_H
#define MCUGEN_SELFTEST_H

#include "mcugen_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What one tensor must hold. */
typedef struct mcugen_selftest_tensor {
    uint32_t crc; /* as mcugen_element_crc() computes it */
    mcugen_dtype dtype;
} mcugen_selftest_tensor;

typedef struct mcugen_selftest {
    const mcugen_model *model;
    uint32_t layer_tensor_count;
    const mcugen_selftest_tensor *layer_tensors; /* outputs of all steps, as they run */
    const mcugen_selftest_tensor *outputs;       /* the model's outputs; NULL: compare nothing */
    const void *const *expected;                 /* the model's outputs whole; NULL without */
    const void *const *inputs;                   /* the embedded sample; NULL without */
    /* One inference on these inputs; on what lies in the model's own ones where it is NULL. */
    int (*invoke)(const void *const *inputs);
    const void *(*output)(uint32_t index); /* where its outputs lie */
} mcugen_selftest;

/* What the self-test needs of the board. */
typedef struct mcugen_selftest_port {
    void (*put_char)(char c);
    uint64_t (*now_us)(void); /* a clock in microseconds; NULL where there is none */
} mcugen_selftest_port;

/* Results of mcugen_selftest_run. */
#define MCUGEN_SELFTEST_PASS 0
#define MCUGEN_SELFTEST_FAIL 1

/* Runs the self-test and prints what it found: a line that starts with PASS, or with FAIL and the
 * first layer that differs. Not re-entrant. */
int mcugen_selftest_run(const mcugen_selftest *test, const mcugen_selftest_port *port);

#ifdef __cplusplus
}
#endif

#endif
