/* mcugen runtime: the types that every generated model shares.
 *
 * Freestanding C11, and C++. No dynamic memory, no libc beyond <string.h> in the models.
 */
#ifndef MCUGEN_RT_H
#define MCUGEN_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Results of NAME_invoke and NAME_run. */
#define MCUGEN_OK 0
#define MCUGEN_ERROR_NULL (-1)  /* a pointer is NULL */
#define MCUGEN_ERROR_ALIGN (-2) /* the arena is not aligned to NAME_ARENA_ALIGN */

/* Places what follows in the linker section of this name, given without quotes. */
#define MCUGEN_QUOTED(text) #text
#define MCUGEN_SECTION(name) __attribute__((section(MCUGEN_QUOTED(name))))

/* Element types, numbered as in ONNX's TensorProto. */
typedef enum mcugen_dtype {
    MCUGEN_FLOAT32 = 1,
    MCUGEN_UINT8 = 2,
    MCUGEN_INT8 = 3,
    MCUGEN_UINT16 = 4,
    MCUGEN_INT16 = 5,
    MCUGEN_INT32 = 6,
    MCUGEN_INT64 = 7,
    MCUGEN_BOOL = 9,
    MCUGEN_FLOAT64 = 11,
    MCUGEN_UINT32 = 12,
    MCUGEN_UINT64 = 13
} mcugen_dtype;

/* An input or output of a model. real = scale * (q - zero_point) where scale is not 0. */
typedef struct mcugen_tensor {
    const char *name; /* as in the ONNX file */
    mcugen_dtype dtype;
    uint32_t rank;
    const uint32_t *shape; /* rank entries; NULL when rank is 0 */
    uint32_t elems;
    uint32_t bytes;
    float scale; /* 0 when not quantized */
    int32_t zero_point;
} mcugen_tensor;

/* Called after every node, before its outputs can be overwritten. */
typedef void (*mcugen_trace_fn)(void *context, uint32_t step, uint32_t output, const void *data,
                                uint32_t bytes);

/* One executed node, for traces and profiles. */
typedef struct mcugen_step {
    const char *name;
    const char *op;
    uint32_t output_count;
    int32_t scratch_bytes; /* working memory that was planned for the kernel */
    /* What the kernel library's own getter asks for; NULL for mcugen's own kernels. */
    int32_t (*scratch_needed)(void);
} mcugen_step;

typedef struct mcugen_model {
    const char *name;
    const char *hash;      /* of the ONNX file, hexadecimal */
    const char *generator; /* mcugen's version */
    uint32_t arena_bytes;
    uint32_t arena_align;
    uint32_t input_count;
    const mcugen_tensor *inputs;
    uint32_t output_count;
    const mcugen_tensor *outputs;
    uint32_t step_count;
    const mcugen_step *steps; /* NULL unless built with -DNAME_TRACE */
    /* Installs the trace hook (NULL removes it); NULL unless built with -DNAME_TRACE. */
    void (*set_trace)(mcugen_trace_fn hook, void *context);
    /* Runs one inference on the caller's buffers; `arena` is used only by models generated
       with --arena caller and may be NULL otherwise. Returns MCUGEN_OK or MCUGEN_ERROR_*. */
    int (*run)(void *arena, const void *const *inputs, void *const *outputs);
} mcugen_model;

#ifdef __cplusplus
}
#endif

#endif
