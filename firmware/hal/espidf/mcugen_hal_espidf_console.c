/* The console by its driver, which keeps what comes while an inference runs. */
#include "mcugen_hal_espidf_parts.h"

#include "freertos/FreeRTOS.h"
#include "sdkconfig.h"

#define RECEIVE_BYTES 1024

#if CONFIG_ESP_CONSOLE_USB_SERIAL_JTAG

#include "driver/usb_serial_jtag.h"

static void put_char(char c)
{
    (void)usb_serial_jtag_write_bytes(&c, 1U, pdMS_TO_TICKS(1000));
}

static int get_char(void)
{
    uint8_t c;
    return (usb_serial_jtag_read_bytes(&c, 1U, 0) == 1) ? (int)c : MCUGEN_HAL_NONE;
}

static void flush(void)
{
    (void)usb_serial_jtag_wait_tx_done(pdMS_TO_TICKS(1000));
}

void mcugen_hal_espidf_console(mcugen_hal *hal)
{
    usb_serial_jtag_driver_config_t config = {RECEIVE_BYTES, RECEIVE_BYTES};
    (void)usb_serial_jtag_driver_install(&config);
    hal->put_char = put_char;
    hal->get_char = get_char;
    hal->flush = flush;
}

#else

#include "driver/uart.h"

#define PORT ((uart_port_t)CONFIG_ESP_CONSOLE_UART_NUM)

static void put_char(char c)
{
    (void)uart_write_bytes(PORT, &c, 1U);
}

static int get_char(void)
{
    uint8_t c;
    return (uart_read_bytes(PORT, &c, 1U, 0) == 1) ? (int)c : MCUGEN_HAL_NONE;
}

static void flush(void)
{
    (void)uart_wait_tx_done(PORT, pdMS_TO_TICKS(1000));
}

static void set_baud(uint32_t baud)
{
    flush();
    (void)uart_set_baudrate(PORT, baud);
}

void mcugen_hal_espidf_console(mcugen_hal *hal)
{
    (void)uart_driver_install(PORT, RECEIVE_BYTES, 0, 0, NULL, 0);
    hal->put_char = put_char;
    hal->get_char = get_char;
    hal->flush = flush;
    hal->set_baud = set_baud;
}

#endif
