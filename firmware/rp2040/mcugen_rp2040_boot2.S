/* The second stage that the boot ROM copies from the start of flash into SRAM and runs, if the last
 * 4 of its 256 bytes are the CRC-32 of the others: tools/mcugen_uf2.py puts that there.
 *
 * Sets the flash up for execution in place by the plain serial read, command 03h, which every
 * flash chip has: 8 bits of command, 24 of address, one data line. The clock is a quarter of clk_sys,
 * 33 MHz at 133 MHz; a W25Q takes up to 50 MHz for this command. Then starts what the vector table
 * behind it says. Registers: RP2040 datasheet, 4.10.13.
 */
    .syntax unified
    .cpu cortex-m0plus
    .thumb

    .section .boot2, "ax"
    .global mcugen_rp2040_boot2
    .type mcugen_rp2040_boot2, %function
    .thumb_func
mcugen_rp2040_boot2:
    ldr r3, =0x18000000     /* XIP_SSI_BASE */
    movs r0, #0
    movs r1, #1
    str r0, [r3, #0x08]     /* SSIENR: off while it is set up */
    movs r2, #4
    str r2, [r3, #0x14]     /* BAUDR: clk_sys / 4 */
    ldr r2, =0x001f0300     /* DFS_32 = 31: frames of 32 bits; TMOD = 3: write, then read */
    str r2, [r3, #0x00]     /* CTRLR0 */
    str r0, [r3, #0x04]     /* CTRLR1: one frame to be read */
    str r1, [r3, #0x10]     /* SER: the one chip there is */
    ldr r2, =0x03000218     /* XIP_CMD = 03h, INST_L = 2: 8 bits, ADDR_L = 6: 24 bits */
    movs r4, #0xf4
    str r2, [r3, r4]        /* SPI_CTRLR0 */
    str r1, [r3, #0x08]     /* SSIENR: on */

    ldr r0, =0x10000100     /* the vector table */
    ldr r1, =0xe000ed08     /* VTOR */
    str r0, [r1]
    ldr r1, [r0]
    msr msp, r1
    ldr r1, [r0, #4]
    bx r1
    .ltorg
    .size mcugen_rp2040_boot2, . - mcugen_rp2040_boot2
