/* Clock, cycle counter and cores of the processors whose Arduino cores we know. */
#include "mcugen_hal_arduino.h"

#include <Arduino.h>

#if defined(ARDUINO_ARCH_RP2040)

#include <hardware/sync.h>
#include <pico/multicore.h>
#include <pico/time.h>

static const mcugen_hal_arduino_config *other;
static void (*other_function)(void *context);
static void *other_context;
static volatile bool running = false;

static uint64_t now_us()
{
    return time_us_64();
}

/* SysTick, which the Arduino core starts on core 0 alone. */
static uint32_t cycles()
{
    return (get_core_num() == 0U) ? rp2040.getCycleCount() : 0U;
}

static void run_other()
{
    other_function(other_context);
    __dmb();
    running = false;
    for (;;) {
        __wfe();
    }
}

/* The other core sleeps in its boot ROM before and after: it takes next to no power. */
static bool start(uint32_t core, void (*function)(void *context), void *context)
{
    (void)core;
    other_function = function;
    other_context = context;
    running = true;
    multicore_reset_core1();
    multicore_launch_core1_with_stack(run_other, other->stack, other->stack_bytes);
    return true;
}

static bool busy()
{
    static bool was = false;
    const bool found = running;
    __dmb();
    if (was && !found) {
        multicore_reset_core1();
    }
    was = found;
    return found;
}

void mcugen_hal_arduino_processor(mcugen_hal *hal, const mcugen_hal_arduino_config *config)
{
    hal->now_us = now_us;
    hal->cycles = cycles;
    if (config->stack != nullptr) {
        other = config;
        hal->cores = 2;
        hal->start = start;
        hal->busy = busy;
    }
}

#else

/* micros() starts again after 71 minutes: to be read more often than that. */
static uint64_t now_us()
{
    static uint32_t last = 0;
    static uint64_t wraps = 0;
    const uint32_t now = static_cast<uint32_t>(micros());
    if (now < last) {
        wraps += UINT64_C(1) << 32;
    }
    last = now;
    return wraps + now;
}

/* Waiting reads the clock, so that it is read more often than it wraps. */
static void idle()
{
    (void)now_us();
}

#if defined(DWT_CTRL_CYCCNTENA_Msk)
static uint32_t cycles()
{
    return DWT->CYCCNT;
}
#endif

void mcugen_hal_arduino_processor(mcugen_hal *hal, const mcugen_hal_arduino_config *config)
{
    (void)config;
    hal->now_us = now_us;
    hal->idle = idle;
#if defined(DWT_CTRL_CYCCNTENA_Msk)
    CoreDebug->DEMCR |= CoreDebug_DEMCR_TRCENA_Msk;
#if defined(__CORTEX_M) && (__CORTEX_M == 7U)
    DWT->LAR = 0xC5ACCE55U; /* unlocks the counter */
#endif
    DWT->CTRL |= DWT_CTRL_CYCCNTENA_Msk;
    hal->cycles = cycles;
#endif
}

#endif
