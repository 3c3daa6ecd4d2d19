/* Boards with an Arduino core: arduino-pico, STM32 and, with fewer functions, any other.
 * Not yet seen on hardware. */
#ifndef MCUGEN_HAL_ARDUINO_H
#define MCUGEN_HAL_ARDUINO_H

#include "mcugen_hal.h"

/* Where a meter is connected, in the core's own numbers; -1 where nothing is. */
typedef struct mcugen_hal_arduino_config {
    int trigger_pin;
    int sda_pin;
    int scl_pin;
    uint32_t *stack; /* of the other core of an RP2040 or RP2350; NULL: it is not used */
    uint32_t stack_bytes;
} mcugen_hal_arduino_config;

/* To be called in setup(), after Serial.begin(). */
const mcugen_hal *mcugen_hal_arduino(const mcugen_hal_arduino_config *config);

/* Gives the functions of the I2C bus. */
void mcugen_hal_arduino_i2c(mcugen_hal *hal, int sda_pin, int scl_pin);

/* Gives the functions of the processor: clock, cycle counter, cores. */
void mcugen_hal_arduino_processor(mcugen_hal *hal, const mcugen_hal_arduino_config *config);

#endif
