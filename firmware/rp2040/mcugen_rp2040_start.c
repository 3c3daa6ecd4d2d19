/* From the reset to main(), and what runs when the core faults. */
#include "mcugen_print.h"
#include "mcugen_rp2040.h"
#include "mcugen_rp2040_parts.h"
#include "mcugen_rp2040_regs.h"

#define XOSC_HZ 12000000U
#define ROSC_HZ 6000000U /* about: only for saying that the crystal does not start */

/* clk_sys = XOSC_HZ * FBDIV / 6 / 2; the VCO runs at XOSC_HZ * FBDIV. */
#define POSTDIV1 6U
#define POSTDIV2 2U
#define FBDIV (MCUGEN_RP2040_CLOCK_HZ / (XOSC_HZ / (POSTDIV1 * POSTDIV2)))
#if MCUGEN_RP2040_CLOCK_HZ % 1000000U != 0U || FBDIV < 63U || FBDIV > 133U
#error MCUGEN_RP2040_CLOCK_HZ must be a whole number of MHz from 63 to 133
#endif

#define XOSC_STARTUP_MS 1U
#define WAITS 100000U /* looks at a register, 50 ms or more: far more than any of these takes */

#define EXCEPTIONS 15U
#define INTERRUPTS 32U
#define HARD_FAULT 3U
#define FRAME_PC 6U

typedef void (*handler)(void);

typedef struct vector_table {
    const uint32_t *stack;
    handler exceptions[EXCEPTIONS];
    handler interrupts[INTERRUPTS];
} vector_table;

extern uint32_t mcugen_rp2040_data[];
extern uint32_t mcugen_rp2040_data_end[];
extern const uint32_t mcugen_rp2040_data_in_flash[];
extern uint32_t mcugen_rp2040_bss[];
extern uint32_t mcugen_rp2040_bss_end[];
extern const uint32_t mcugen_rp2040_stack0[];

int main(void);

_Noreturn void mcugen_rp2040_stop(void)
{
    for (;;) {
        __asm__ volatile("cpsid i\n wfi" ::: "memory");
    }
}

_Noreturn static void fail(const char *what)
{
    mcugen_print_text(mcugen_rp2040_put_char, "FAIL: ");
    mcugen_print_line(mcugen_rp2040_put_char, what);
    mcugen_rp2040_stop();
}

/* `frame` is what the core pushed when the exception began. */
_Noreturn void mcugen_rp2040_fault(const uint32_t *frame)
{
    uint32_t number;
    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    if (number == HARD_FAULT) {
        mcugen_print_text(mcugen_rp2040_put_char, "FAIL: hard fault at 0x");
    } else {
        mcugen_print_text(mcugen_rp2040_put_char, "FAIL: exception ");
        mcugen_print_unsigned(mcugen_rp2040_put_char, number);
        mcugen_print_text(mcugen_rp2040_put_char, " at 0x");
    }
    mcugen_print_hex(mcugen_rp2040_put_char, frame[FRAME_PC], 8U);
    mcugen_print_line(mcugen_rp2040_put_char, "");
    mcugen_rp2040_stop();
}

__attribute__((naked)) static void fault(void)
{
    __asm__ volatile("mrs r0, msp\n bl mcugen_rp2040_fault");
}

static bool wait_for(uint32_t address, uint32_t bits)
{
    for (uint32_t i = 0U; i < WAITS; i++) {
        if ((REG(address) & bits) == bits) {
            return true;
        }
    }
    return false;
}

static bool start_crystal(void)
{
    REG(XOSC_STARTUP) = (XOSC_HZ / 1000U * XOSC_STARTUP_MS + 128U) / 256U;
    REG(XOSC_CTRL) = XOSC_CTRL_ENABLE;
    if (!wait_for(XOSC_STATUS, XOSC_STATUS_STABLE)) {
        return false;
    }
    REG(CLOCKS_CLK_REF_CTRL) = CLK_REF_CTRL_SRC_XOSC;
    return wait_for(CLOCKS_CLK_REF_SELECTED, UINT32_C(1) << CLK_REF_CTRL_SRC_XOSC);
}

static bool start_pll(void)
{
    REG_SET(RESETS_RESET) = RESET_PLL_SYS;
    mcugen_rp2040_take_out_of_reset(RESET_PLL_SYS);
    REG(PLL_SYS_CS) = 1U; /* the crystal, not divided */
    REG(PLL_SYS_FBDIV_INT) = FBDIV;
    REG_CLEAR(PLL_SYS_PWR) = PLL_PWR_PD | PLL_PWR_VCOPD;
    if (!wait_for(PLL_SYS_CS, PLL_CS_LOCK)) {
        return false;
    }
    REG(PLL_SYS_PRIM) = (POSTDIV1 << 16U) | (POSTDIV2 << 12U);
    REG_CLEAR(PLL_SYS_PWR) = PLL_PWR_POSTDIVPD;
    REG(CLOCKS_CLK_SYS_CTRL) = CLK_SYS_CTRL_SRC_AUX;
    return wait_for(CLOCKS_CLK_SYS_SELECTED, UINT32_C(1) << CLK_SYS_CTRL_SRC_AUX);
}

/* Starts the clocks; returns what clk_sys and clk_peri run at. */
static uint32_t start_clocks(void)
{
    uint32_t hz = ROSC_HZ;
    REG(CLOCKS_CLK_SYS_RESUS_CTRL) = 0U;
    /* clk_sys follows clk_ref while what it may come from changes */
    REG_CLEAR(CLOCKS_CLK_SYS_CTRL) = CLK_SYS_CTRL_SRC_AUX;
    (void)wait_for(CLOCKS_CLK_SYS_SELECTED, 1U);
    REG(CLOCKS_CLK_SYS_CTRL) = 0U;
    REG(CLOCKS_CLK_SYS_DIV) = 0x100U;
    if (start_crystal()) {
        hz = start_pll() ? MCUGEN_RP2040_CLOCK_HZ : XOSC_HZ;
    }
    REG(CLOCKS_CLK_PERI_CTRL) = CLK_PERI_CTRL_ENABLE;
    REG(WATCHDOG_TICK) = WATCHDOG_TICK_ENABLE | (XOSC_HZ / 1000000U);
    return hz;
}

bool mcugen_rp2040_take_out_of_reset(uint32_t bits)
{
    REG_CLEAR(RESETS_RESET) = bits;
    return wait_for(RESETS_RESET_DONE, bits);
}

static void start_memory(void)
{
    const uint32_t *from = mcugen_rp2040_data_in_flash;
    for (uint32_t *to = mcugen_rp2040_data; to < mcugen_rp2040_data_end; to++) {
        *to = *from;
        from++;
    }
    for (uint32_t *to = mcugen_rp2040_bss; to < mcugen_rp2040_bss_end; to++) {
        *to = 0U;
    }
}

_Noreturn void mcugen_rp2040_reset(void)
{
    uint32_t hz;
    start_memory();
    hz = start_clocks();
    (void)mcugen_rp2040_take_out_of_reset(RESET_TIMER);
    mcugen_rp2040_start_uart(hz);
    if (hz == ROSC_HZ) {
        fail("the crystal does not start");
    }
    if (hz == XOSC_HZ) {
        fail("the PLL does not lock");
    }
    (void)main();
    mcugen_rp2040_flush();
    mcugen_rp2040_stop();
}

__attribute__((used, section(".vectors"))) static const vector_table vectors = {
    mcugen_rp2040_stack0,
    {
        mcugen_rp2040_reset, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault,
        fault, fault, fault, fault,
    },
    {
        mcugen_rp2040_on_alarm0, mcugen_rp2040_on_alarm1, fault, fault, fault, fault, fault, fault,
        fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault,
        mcugen_rp2040_on_uart0, fault, fault, fault, fault, fault, fault, fault, fault, fault,
        fault, fault,
    },
};
