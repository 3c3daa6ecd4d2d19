/* The parts of ESP-IDF's functions among themselves. */
#ifndef MCUGEN_HAL_ESPIDF_PARTS_H
#define MCUGEN_HAL_ESPIDF_PARTS_H

#include "mcugen_hal.h"

/* Installs the console's driver and gives the functions of the port. */
void mcugen_hal_espidf_console(mcugen_hal *hal);

/* Gives the functions of the I2C bus, where it can be opened. */
void mcugen_hal_espidf_i2c(mcugen_hal *hal, int sda_pin, int scl_pin);

#endif
