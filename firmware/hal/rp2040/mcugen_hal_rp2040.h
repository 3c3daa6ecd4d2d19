/* A Raspberry Pi Pico without an SDK: firmware/rp2040 of mcugen. Not yet seen on hardware. */
#ifndef MCUGEN_HAL_RP2040_H
#define MCUGEN_HAL_RP2040_H

#include "mcugen_hal.h"

/* Serves on UART0. The trigger pin is -1 where there is none; there is no bus for a meter. */
const mcugen_hal *mcugen_hal_rp2040(int trigger_pin);

#endif
