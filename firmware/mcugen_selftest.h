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

/* What one tensor must hold. NaNs are all equal: each counts as the one with bits 0x7fc00000
 * (float) or 0x7ff8000000000000 (double). */
typedef struct mcugen_selftest_tensor {
    uint32_t crc; /* CRC-32 (IEEE 802.3) of all bytes */
    mcugen_dtype dtype;
} mcugen_selftest_tensor;

typedef struct mcugen_selftest {
    const mcugen_model *model;
    uint32_t layer_tensor_count;
    const mcugen_selftest_tensor *layer_tensors; /* outputs of all steps, as they run */
    const mcugen_selftest_tensor *outputs;       /* the model's outputs; NULL: compare nothing */
    const void *const *expected;                 /* the model's outputs whole; NULL without */
    int (*invoke)(void);                         /* one inference on the embedded inputs */
    const void *(*output)(uint32_t index);       /* where its outputs lie */
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

/* CRC-32 of a tensor as the self-test computes it. */
uint32_t mcugen_selftest_crc(const void *data, uint32_t bytes, mcugen_dtype dtype);

#ifdef __cplusplus
}
#endif

#endif
