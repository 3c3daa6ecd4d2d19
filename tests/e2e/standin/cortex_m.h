/* What CMSIS has of a Cortex-M's cycle counter. */
#ifndef STANDIN_CORTEX_M_H
#define STANDIN_CORTEX_M_H

#include <stdint.h>

typedef struct {
    uint32_t CTRL;
    uint32_t CYCCNT;
    uint32_t LAR;
} DWT_Type;

typedef struct {
    uint32_t DEMCR;
} CoreDebug_Type;

extern DWT_Type *DWT;
extern CoreDebug_Type *CoreDebug;

#define DWT_CTRL_CYCCNTENA_Msk 1U
#define CoreDebug_DEMCR_TRCENA_Msk 0x01000000U
#define __CORTEX_M 7U

#endif
