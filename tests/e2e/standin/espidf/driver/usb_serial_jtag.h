/* The chip's USB port, with nothing on it. */
#ifndef STANDIN_USB_SERIAL_JTAG_H
#define STANDIN_USB_SERIAL_JTAG_H

#include <stddef.h>
#include <stdint.h>

#include "esp_err.h"
#include "freertos/FreeRTOS.h"

typedef struct {
    uint32_t tx_buffer_size;
    uint32_t rx_buffer_size;
} usb_serial_jtag_driver_config_t;

static inline esp_err_t usb_serial_jtag_driver_install(usb_serial_jtag_driver_config_t *config)
{
    return config->rx_buffer_size > 64U ? ESP_OK : ESP_FAIL;
}

static inline int usb_serial_jtag_read_bytes(void *to, uint32_t size, TickType_t ticks)
{
    (void)to;
    (void)size;
    (void)ticks;
    return 0;
}

static inline int usb_serial_jtag_write_bytes(const void *from, size_t size, TickType_t ticks)
{
    (void)from;
    (void)ticks;
    return (int)size;
}

static inline esp_err_t usb_serial_jtag_wait_tx_done(TickType_t ticks)
{
    (void)ticks;
    return ESP_OK;
}

#endif
