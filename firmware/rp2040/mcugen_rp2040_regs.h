/* Registers of the RP2040, by the names of its datasheet: only those that the firmware here uses. */
#ifndef MCUGEN_RP2040_REGS_H
#define MCUGEN_RP2040_REGS_H

#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(uintptr_t)(address))

/* Aliases of the peripherals on the APB, whose writes set or clear single bits. */
#define REG_SET(address) REG((address) + 0x2000U)
#define REG_CLEAR(address) REG((address) + 0x3000U)

#define CLOCKS_CLK_REF_CTRL 0x40008030U
#define CLOCKS_CLK_REF_SELECTED 0x40008038U
#define CLOCKS_CLK_SYS_CTRL 0x4000803cU
#define CLOCKS_CLK_SYS_DIV 0x40008040U
#define CLOCKS_CLK_SYS_SELECTED 0x40008044U
#define CLOCKS_CLK_PERI_CTRL 0x40008048U
#define CLOCKS_CLK_SYS_RESUS_CTRL 0x40008078U
#define CLK_REF_CTRL_SRC_XOSC 2U
#define CLK_SYS_CTRL_SRC_AUX 1U /* of it, 0: PLL_SYS */
#define CLK_PERI_CTRL_ENABLE (UINT32_C(1) << 11U)

#define RESETS_RESET 0x4000c000U
#define RESETS_RESET_DONE 0x4000c008U
#define RESET_IO_BANK0 (UINT32_C(1) << 5U)
#define RESET_PADS_BANK0 (UINT32_C(1) << 8U)
#define RESET_PLL_SYS (UINT32_C(1) << 12U)
#define RESET_TIMER (UINT32_C(1) << 21U)
#define RESET_UART0 (UINT32_C(1) << 22U)

#define PSM_FRCE_OFF 0x40010004U
#define PSM_PROC1 (UINT32_C(1) << 16U)

#define IO_BANK0_GPIO_CTRL(pin) (0x40014004U + 8U * (pin))
#define GPIO_FUNC_UART 2U
#define GPIO_FUNC_SIO 5U

#define PADS_BANK0_GPIO(pin) (0x4001c004U + 4U * (pin))
#define PAD_OUTPUT_DISABLE 0x80U
#define PAD_INPUT_ENABLE 0x40U
#define PAD_PULL_UP 0x08U

#define XOSC_CTRL 0x40024000U
#define XOSC_STATUS 0x40024004U
#define XOSC_STARTUP 0x4002400cU
#define XOSC_CTRL_ENABLE 0x00fabaa0U /* and 1 to 15 MHz */
#define XOSC_STATUS_STABLE (UINT32_C(1) << 31U)

#define PLL_SYS_CS 0x40028000U
#define PLL_SYS_PWR 0x40028004U
#define PLL_SYS_FBDIV_INT 0x40028008U
#define PLL_SYS_PRIM 0x4002800cU
#define PLL_CS_LOCK (UINT32_C(1) << 31U)
#define PLL_PWR_PD 0x01U
#define PLL_PWR_POSTDIVPD 0x08U
#define PLL_PWR_VCOPD 0x20U

#define UART0_DR 0x40034000U
#define UART0_FR 0x40034018U
#define UART0_IBRD 0x40034024U
#define UART0_FBRD 0x40034028U
#define UART0_LCR_H 0x4003402cU
#define UART0_CR 0x40034030U
#define UART0_IFLS 0x40034034U
#define UART0_IMSC 0x40034038U
#define UART0_ICR 0x40034044U
#define UART_DR_ERRORS 0x0700U /* of framing, of parity, break: no character */
#define UART_FR_BUSY 0x08U
#define UART_FR_RXFE 0x10U
#define UART_FR_TXFF 0x20U
#define UART_LCR_H_8N1_FIFO 0x70U
#define UART_CR_ENABLE 0x0301U /* sending and receiving */
#define UART_RX_INTERRUPTS 0x50U /* characters in the FIFO: enough of them, or for long enough */
#define IRQ_UART0 20U

#define TIMER_ALARM(number) (0x40054010U + 4U * (number))
#define TIMER_ARMED 0x40054020U
#define TIMER_TIMERAWH 0x40054024U
#define TIMER_TIMERAWL 0x40054028U
#define TIMER_INTR 0x40054034U
#define TIMER_INTE 0x40054038U

#define WATCHDOG_TICK 0x4005802cU
#define WATCHDOG_TICK_ENABLE (UINT32_C(1) << 9U)

#define SIO_CPUID 0xd0000000U
#define SIO_GPIO_OUT_SET 0xd0000014U
#define SIO_GPIO_OUT_CLR 0xd0000018U
#define SIO_GPIO_OE_SET 0xd0000024U
#define SIO_FIFO_ST 0xd0000050U
#define SIO_FIFO_WR 0xd0000054U
#define SIO_FIFO_RD 0xd0000058U
#define FIFO_ST_VLD 1U /* to be read */
#define FIFO_ST_RDY 2U /* to be written */

/* Of the core that asks. */
#define NVIC_ISER 0xe000e100U
#define VTOR 0xe000ed08U

#endif
