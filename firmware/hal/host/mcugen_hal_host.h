/* This computer (POSIX) as a board. */
#ifndef MCUGEN_HAL_HOST_H
#define MCUGEN_HAL_HOST_H

#include "mcugen_hal.h"

/* Serves on standard input and output until the input ends. With the argument --pty: on a
 * pseudo-terminal, whose path is the first line of standard output, until the process that started
 * this one ends.
 *
 * There are two cores: two threads. Environment variables:
 * - MCUGEN_HOST_MARKS names a file for the trigger pin: a line "US LEVEL" per change.
 * - MCUGEN_HOST_METER is ina219 or ina226: a simulated meter whose readings are invented. */
const mcugen_hal *mcugen_hal_host(int argc, char **argv);

/* Registers of the simulated meter; false where there is none. `active`: while inferences run. */
bool mcugen_hal_host_meter(uint8_t reg, bool active, uint16_t *value);

#endif
