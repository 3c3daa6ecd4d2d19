/* A Raspberry Pi Pico (RP2040) without an SDK: what runs before main(), and what firmware calls.
 *
 * Before main(): the crystal, clk_sys and clk_peri at MCUGEN_RP2040_CLOCK_HZ, the timer at 1 us a
 * tick, UART0 on GP0 (TX) and GP1 (RX), 115200 baud, 8N1. A hard fault prints "FAIL: hard fault at
 * 0x..." there and stops; when main() returns, the core stops as well.
 *
 * Flash is read by the plain 03h command at a quarter of clk_sys. The stack of core 0 is scratch Y,
 * 4 KB; it may grow on into scratch X, 4 KB more, as long as core 1 was never started.
 *
 * Functions may be called on both cores unless they say otherwise.
 */
#ifndef MCUGEN_RP2040_H
#define MCUGEN_RP2040_H

#include <stdbool.h>
#include <stdint.h>

#ifndef MCUGEN_RP2040_CLOCK_HZ
#define MCUGEN_RP2040_CLOCK_HZ 133000000U
#endif

#define MCUGEN_RP2040_PINS 30U

#define MCUGEN_RP2040_NONE (-1)

/* Sends a character; waits while 32 others wait to be sent. Never from both cores at once. */
void mcugen_rp2040_put_char(char c);

/* A character that came, or MCUGEN_RP2040_NONE; never waits. An interrupt of core 0 keeps up to 255
 * of them, further ones are lost. Core 0 only. */
int mcugen_rp2040_get_char(void);

/* Returns when the last character has left the pin. */
void mcugen_rp2040_flush(void);

/* 300 to MCUGEN_RP2040_CLOCK_HZ / 16; other rates change nothing. Flushes first. */
void mcugen_rp2040_set_baud(uint32_t baud);

/* Microseconds since the start. */
uint64_t mcugen_rp2040_now_us(void);

/* Sleeps (WFI) until this many microseconds have passed; the core's interrupts are served. */
void mcugen_rp2040_sleep_us(uint64_t us);

/* Sleeps until a character has come, or any other interrupt has. Core 0 only. */
void mcugen_rp2040_idle(void);

/* Makes a pin, GP0 and GP1 excepted, an output that is low. */
void mcugen_rp2040_make_output(uint32_t pin);

void mcugen_rp2040_set_output(uint32_t pin, bool high);

/* The core that asks: 0 or 1. */
uint32_t mcugen_rp2040_core(void);

/* Runs a function on core 1 and returns at once; what was written before is seen there. False when
 * core 1 does not answer, or still runs another. Core 0 only. */
bool mcugen_rp2040_start_core1(void (*function)(void *context), void *context);

/* Whether core 1 still runs it; what it wrote is seen here once it does not. Core 0 only. */
bool mcugen_rp2040_core1_busy(void);

#endif
