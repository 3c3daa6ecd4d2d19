/* Time and pins. */
#include "mcugen_rp2040.h"

#include "mcugen_rp2040_parts.h"
#include "mcugen_rp2040_regs.h"

#define FIRST_FREE_PIN 2U          /* behind those of UART0 */
#define LONGEST_ALARM_US 0x40000000U /* an alarm compares 32 bits */
#define SHORTEST_ALARM_US 10U        /* one that is set too late would come an hour later */

uint64_t mcugen_rp2040_now_us(void)
{
    uint32_t high = REG(TIMER_TIMERAWH);
    for (;;) {
        const uint32_t low = REG(TIMER_TIMERAWL);
        const uint32_t again = REG(TIMER_TIMERAWH);
        if (again == high) {
            return ((uint64_t)high << 32U) | low;
        }
        high = again; /* the lower half has wrapped between the two */
    }
}

void mcugen_rp2040_on_alarm0(void)
{
    REG(TIMER_INTR) = 1U;
}

void mcugen_rp2040_on_alarm1(void)
{
    REG(TIMER_INTR) = 2U;
}

/* Each core has the alarm of its own number. */
void mcugen_rp2040_sleep_us(uint64_t us)
{
    const uint32_t number = mcugen_rp2040_core();
    const uint32_t bit = UINT32_C(1) << number;
    const uint64_t end = mcugen_rp2040_now_us() + us;
    uint64_t now = mcugen_rp2040_now_us();
    REG_SET(TIMER_INTE) = bit;
    REG(NVIC_ISER) = bit; /* the timer's interrupts are the first ones */
    while (now + SHORTEST_ALARM_US < end) {
        const uint64_t left = end - now;
        const uint32_t step = left < LONGEST_ALARM_US ? (uint32_t)left : LONGEST_ALARM_US;
        const uint64_t wake = now + step;
        REG(TIMER_ALARM(number)) = (uint32_t)wake;
        /* With interrupts off, an alarm between the look at the clock and the WFI still ends it. */
        __asm__ volatile("cpsid i" ::: "memory");
        if (mcugen_rp2040_now_us() < wake) {
            __asm__ volatile("wfi" ::: "memory");
        }
        __asm__ volatile("cpsie i" ::: "memory");
        now = mcugen_rp2040_now_us();
    }
    REG(TIMER_ARMED) = bit; /* it may never have fired */
    while (mcugen_rp2040_now_us() < end) {
        /* the last microseconds */
    }
}

void mcugen_rp2040_make_output(uint32_t pin)
{
    if (pin >= FIRST_FREE_PIN && pin < MCUGEN_RP2040_PINS) {
        REG(SIO_GPIO_OUT_CLR) = UINT32_C(1) << pin;
        REG(SIO_GPIO_OE_SET) = UINT32_C(1) << pin;
        REG_CLEAR(PADS_BANK0_GPIO(pin)) = PAD_OUTPUT_DISABLE;
        REG(IO_BANK0_GPIO_CTRL(pin)) = GPIO_FUNC_SIO;
    }
}

void mcugen_rp2040_set_output(uint32_t pin, bool high)
{
    if (pin < MCUGEN_RP2040_PINS) {
        REG(high ? SIO_GPIO_OUT_SET : SIO_GPIO_OUT_CLR) = UINT32_C(1) << pin;
    }
}

uint32_t mcugen_rp2040_core(void)
{
    return REG(SIO_CPUID);
}
