/* Core 1: woken from the boot ROM, then given one function after the other. */
#include <stddef.h>

#include "mcugen_rp2040.h"
#include "mcugen_rp2040_parts.h"
#include "mcugen_rp2040_regs.h"

#define ANSWERS_WITHIN_US 10000U
#define LAUNCH_WORDS 6U
#define FIFO_WORDS 8U

extern const uint32_t mcugen_rp2040_stack1[];

static bool is_awake = false;
static volatile bool is_busy = false;
static void (*volatile job)(void *context) = NULL;
static void *volatile job_context = NULL;

/* What was written before is seen by the other core before what is written behind. */
static void barrier(void)
{
    __asm__ volatile("dmb" ::: "memory");
}

static void wake_other(void)
{
    __asm__ volatile("dsb\n sev" ::: "memory");
}

_Noreturn static void core1_main(void)
{
    for (;;) {
        while (!is_busy) {
            __asm__ volatile("wfe" ::: "memory");
        }
        barrier();
        job(job_context);
        barrier();
        is_busy = false;
        wake_other();
    }
}

/* Waits for a bit of the FIFO's state. */
static bool wait_for_fifo(uint32_t bit, uint64_t end)
{
    while ((REG(SIO_FIFO_ST) & bit) == 0U) {
        if (mcugen_rp2040_now_us() > end) {
            return false;
        }
    }
    return true;
}

static void empty_fifo(void)
{
    for (uint32_t i = 0U; i < FIFO_WORDS && (REG(SIO_FIFO_ST) & FIFO_ST_VLD) != 0U; i++) {
        (void)REG(SIO_FIFO_RD);
    }
}

/* Into its boot ROM, wherever it was; that sends a word when it is ready. */
static bool reset_core1(uint64_t end)
{
    REG_SET(PSM_FRCE_OFF) = PSM_PROC1;
    while ((REG(PSM_FRCE_OFF) & PSM_PROC1) == 0U) {
        if (mcugen_rp2040_now_us() > end) {
            return false;
        }
    }
    empty_fifo();
    REG_CLEAR(PSM_FRCE_OFF) = PSM_PROC1;
    return wait_for_fifo(FIFO_ST_VLD, end);
}

/* The boot ROM's protocol (RP2040 datasheet, 2.8.2): it sends each word back; one that differs
 * begins the sequence anew. */
static bool launch(void)
{
    const uint32_t words[LAUNCH_WORDS] = {
        0U, 0U, 1U, REG(VTOR), (uint32_t)(uintptr_t)mcugen_rp2040_stack1,
        (uint32_t)(uintptr_t)core1_main,
    };
    const uint64_t end = mcugen_rp2040_now_us() + ANSWERS_WITHIN_US;
    uint32_t at = 0U;
    if (!reset_core1(end)) {
        return false;
    }
    while (at < LAUNCH_WORDS) {
        if (words[at] == 0U) {
            empty_fifo();
            wake_other();
        }
        if (!wait_for_fifo(FIFO_ST_RDY, end)) {
            return false;
        }
        REG(SIO_FIFO_WR) = words[at];
        wake_other();
        if (!wait_for_fifo(FIFO_ST_VLD, end) || mcugen_rp2040_now_us() > end) {
            return false;
        }
        at = REG(SIO_FIFO_RD) == words[at] ? at + 1U : 0U;
    }
    return true;
}

bool mcugen_rp2040_start_core1(void (*function)(void *context), void *context)
{
    if (is_busy) {
        return false;
    }
    if (!is_awake) {
        is_awake = launch();
    }
    if (is_awake) {
        job = function;
        job_context = context;
        barrier();
        is_busy = true;
        wake_other();
    }
    return is_awake;
}

bool mcugen_rp2040_core1_busy(void)
{
    const bool busy = is_busy;
    barrier();
    return busy;
}
