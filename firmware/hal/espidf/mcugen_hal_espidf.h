/* Boards with ESP-IDF. Not yet seen on hardware. */
#ifndef MCUGEN_HAL_ESPIDF_H
#define MCUGEN_HAL_ESPIDF_H

#include "mcugen_hal.h"

/* Where a meter is connected; -1 where nothing is. */
typedef struct mcugen_hal_espidf_config {
    int trigger_pin;
    int sda_pin;
    int scl_pin;
    uint32_t stack_bytes; /* of the task that infers on the other core when it is asked to */
} mcugen_hal_espidf_config;

/* To be called by the task that runs the application, pinned to its core. Serves on the console
 * that ESP-IDF is configured for: a UART, or the chip's own USB port. */
const mcugen_hal *mcugen_hal_espidf(const mcugen_hal_espidf_config *config);

#endif
