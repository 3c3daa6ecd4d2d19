/* Indices that come from the model's inputs: they must never lead outside a tensor. */
#ifndef MCUGEN_INDEX_H
#define MCUGEN_INDEX_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `index` into an axis of `dim` > 0 elements: negative counts from the end, beyond is clamped. */
static inline int32_t mcugen_index(int64_t index, int32_t dim)
{
    const int64_t wrapped = index < 0 ? index + dim : index;
    const int64_t above = wrapped < 0 ? 0 : wrapped;
    return above >= dim ? dim - 1 : (int32_t)above;
}

#ifdef __cplusplus
}
#endif

#endif
