/* What the parts of the RP2040's firmware have for each other. */
#ifndef MCUGEN_RP2040_PARTS_H
#define MCUGEN_RP2040_PARTS_H

#include <stdbool.h>
#include <stdint.h>

_Noreturn void mcugen_rp2040_reset(void);
_Noreturn void mcugen_rp2040_stop(void);
_Noreturn void mcugen_rp2040_fault(const uint32_t *frame);

/* Whether these peripherals are ready now. */
bool mcugen_rp2040_take_out_of_reset(uint32_t bits);

/* UART0 on GP0 and GP1 at 115200 baud, where clk_peri runs at this rate. */
void mcugen_rp2040_start_uart(uint32_t clock_hz);

void mcugen_rp2040_on_uart0(void);
void mcugen_rp2040_on_alarm0(void);
void mcugen_rp2040_on_alarm1(void);

#endif
