/* UART0: sending by polling, receiving by interrupt into a ring. */
#include "mcugen_rp2040.h"
#include "mcugen_rp2040_parts.h"
#include "mcugen_rp2040_regs.h"

#define TX_PIN 0U
#define RX_PIN 1U
#define BAUD 115200U
#define SLOWEST_BAUD 300U
#define OVERSAMPLING 16U
#define LONGEST_US_PER_CHAR 40000U /* at 300 baud */
#define FIFO_CHARS 32U

#define RING_CHARS 256U /* the indices are bytes, which wrap by themselves */

static uint32_t peri_hz;
static volatile uint8_t ring[RING_CHARS];
static volatile uint8_t ring_end;   /* written by the interrupt alone */
static volatile uint8_t ring_start; /* written by get_char alone */

void mcugen_rp2040_put_char(char c)
{
    while ((REG(UART0_FR) & UART_FR_TXFF) != 0U) {
        /* at 300 baud a place in the FIFO comes after 33 ms */
    }
    REG(UART0_DR) = (uint8_t)c;
}

int mcugen_rp2040_get_char(void)
{
    const uint8_t at = ring_start;
    int found = MCUGEN_RP2040_NONE;
    if (at != ring_end) {
        found = ring[at];
        ring_start = (uint8_t)(at + 1U);
    }
    return found;
}

void mcugen_rp2040_on_uart0(void)
{
    REG(UART0_ICR) = UART_RX_INTERRUPTS; /* before reading: what comes meanwhile interrupts anew */
    while ((REG(UART0_FR) & UART_FR_RXFE) == 0U) {
        const uint32_t got = REG(UART0_DR);
        const uint8_t next = (uint8_t)(ring_end + 1U);
        if ((got & UART_DR_ERRORS) == 0U && next != ring_start) {
            ring[ring_end] = (uint8_t)got;
            ring_end = next;
        }
    }
}

void mcugen_rp2040_flush(void)
{
    const uint64_t end = mcugen_rp2040_now_us() + LONGEST_US_PER_CHAR * (FIFO_CHARS + 1U);
    while ((REG(UART0_FR) & UART_FR_BUSY) != 0U && mcugen_rp2040_now_us() < end) {
        /* 2.8 ms for a full FIFO at 115200 baud */
    }
}

void mcugen_rp2040_set_baud(uint32_t baud)
{
    uint32_t divisor; /* in 64ths */
    if (baud < SLOWEST_BAUD || baud > peri_hz / OVERSAMPLING) {
        return;
    }
    divisor = (peri_hz * 8U / baud + 1U) / 2U;
    mcugen_rp2040_flush();
    REG(UART0_CR) = 0U;
    REG(UART0_IBRD) = divisor / 64U;
    REG(UART0_FBRD) = divisor % 64U;
    REG(UART0_LCR_H) = UART_LCR_H_8N1_FIFO; /* takes the divisor over */
    REG(UART0_CR) = UART_CR_ENABLE;
}

void mcugen_rp2040_start_uart(uint32_t clock_hz)
{
    peri_hz = clock_hz;
    (void)mcugen_rp2040_take_out_of_reset(RESET_IO_BANK0 | RESET_PADS_BANK0 | RESET_UART0);
    mcugen_rp2040_set_baud(BAUD);
    REG(UART0_IFLS) = 0U; /* an interrupt from 4 characters on */
    REG(UART0_IMSC) = UART_RX_INTERRUPTS;
    /* An input that nothing drives is a line at rest. */
    REG(PADS_BANK0_GPIO(RX_PIN)) = PAD_INPUT_ENABLE | PAD_PULL_UP;
    REG(IO_BANK0_GPIO_CTRL(TX_PIN)) = GPIO_FUNC_UART;
    REG(IO_BANK0_GPIO_CTRL(RX_PIN)) = GPIO_FUNC_UART;
    REG(NVIC_ISER) = UINT32_C(1) << IRQ_UART0;
}

void mcugen_rp2040_idle(void)
{
    /* With interrupts off, one that comes after the look at the ring still ends the WFI. */
    __asm__ volatile("cpsid i" ::: "memory");
    if (ring_start == ring_end) {
        __asm__ volatile("wfi" ::: "memory");
    }
    __asm__ volatile("cpsie i" ::: "memory");
}
