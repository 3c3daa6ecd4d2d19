#include "mcugen_hal_rp2040.h"

#include <stddef.h>

#include "mcugen_rp2040.h"

#define SYSTICK_CSR (*(volatile uint32_t *)(uintptr_t)0xe000e010U)
#define SYSTICK_RVR (*(volatile uint32_t *)(uintptr_t)0xe000e014U)
#define SYSTICK_CVR (*(volatile uint32_t *)(uintptr_t)0xe000e018U)
#define SYSTICK_ENABLE 1U
#define SYSTICK_PROCESSOR_CLOCK 4U
#define SYSTICK_MASK 0x00ffffffU

#define CYCLES_PER_US (MCUGEN_RP2040_CLOCK_HZ / 1000000U)

/* SysTick counts 24 bits down; both cores have one. */
typedef struct counter {
    uint32_t ticks; /* as last read */
    uint64_t us;    /* when that was */
    uint32_t cycles;
} counter;

static uint32_t output_pin;

static uint32_t start_counter(counter *own)
{
    SYSTICK_RVR = SYSTICK_MASK;
    SYSTICK_CVR = 0U;
    SYSTICK_CSR = SYSTICK_ENABLE | SYSTICK_PROCESSOR_CLOCK;
    own->us = mcugen_rp2040_now_us();
    own->ticks = SYSTICK_CVR & SYSTICK_MASK;
    return own->cycles;
}

/* The lowest 24 bits by SysTick; how often it wrapped, by the timer, which has the same crystal. */
static uint32_t cycles(void)
{
    static counter counters[2];
    counter *own = &counters[mcugen_rp2040_core()];
    if ((SYSTICK_CSR & SYSTICK_ENABLE) == 0U) {
        return start_counter(own);
    }
    {
        const uint32_t ticks = SYSTICK_CVR & SYSTICK_MASK;
        const uint64_t us = mcugen_rp2040_now_us();
        const uint32_t low = (own->ticks - ticks) & SYSTICK_MASK;
        const uint64_t about = (us - own->us) * CYCLES_PER_US;
        const uint64_t half = (SYSTICK_MASK >> 1U) + 1U;
        const uint64_t wraps = (about + half > low) ? (about + half - low) >> 24U : 0U;
        own->cycles += low + (uint32_t)(wraps << 24U);
        own->ticks = ticks;
        own->us = us;
    }
    return own->cycles;
}

static int get_char(void)
{
    const int c = mcugen_rp2040_get_char();
    return (c == MCUGEN_RP2040_NONE) ? MCUGEN_HAL_NONE : c;
}

static void set_trigger(bool high)
{
    mcugen_rp2040_set_output(output_pin, high);
}

static bool start(uint32_t core, void (*function)(void *context), void *context)
{
    (void)core;
    return mcugen_rp2040_start_core1(function, context);
}

/* While core 1 infers, core 0 must not wait for a character: nothing would wake it at the end. */
static void idle(void)
{
    if (!mcugen_rp2040_core1_busy()) {
        mcugen_rp2040_idle();
    }
}

const mcugen_hal *mcugen_hal_rp2040(int trigger_pin)
{
    static mcugen_hal hal = {
        .put_char = mcugen_rp2040_put_char,
        .get_char = get_char,
        .flush = mcugen_rp2040_flush,
        .now_us = mcugen_rp2040_now_us,
        .cycles = cycles,
        .set_trigger = NULL,
        .set_baud = mcugen_rp2040_set_baud,
        .sleep_us = mcugen_rp2040_sleep_us,
        .idle = idle,
        .cores = 2U,
        .core = 0U,
        .inference_core = 0U,
        .start = start,
        .busy = mcugen_rp2040_core1_busy,
        .i2c_read = NULL,
        .i2c_write = NULL,
    };
    if (trigger_pin >= 0) {
        output_pin = (uint32_t)trigger_pin;
        mcugen_rp2040_make_output(output_pin);
        hal.set_trigger = set_trigger;
    }
    return &hal;
}
