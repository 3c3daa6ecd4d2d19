/* The console's UART is standard input and output; its end ends the program. */
#ifndef STANDIN_UART_H
#define STANDIN_UART_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "esp_err.h"
#include "freertos/FreeRTOS.h"

#define CONFIG_ESP_CONSOLE_UART_NUM 0

typedef int uart_port_t;

static inline esp_err_t uart_driver_install(uart_port_t port, int rx_bytes, int tx_bytes,
                                            int queue_size, void *queue, int flags)
{
    (void)tx_bytes;
    (void)queue_size;
    (void)queue;
    (void)flags;
    return port == 0 && rx_bytes > 128 ? ESP_OK : ESP_FAIL;
}

static inline int uart_write_bytes(uart_port_t port, const void *from, size_t size)
{
    (void)port;
    return (int)write(STDOUT_FILENO, from, size);
}

static inline int uart_read_bytes(uart_port_t port, void *to, uint32_t size, TickType_t ticks)
{
    struct pollfd waiting = {STDIN_FILENO, POLLIN, 0};
    ssize_t count;
    (void)port;
    (void)ticks;
    if (poll(&waiting, 1, 0) <= 0) {
        return 0;
    }
    count = read(STDIN_FILENO, to, size);
    if (count <= 0) {
        exit(0);
    }
    return (int)count;
}

static inline esp_err_t uart_wait_tx_done(uart_port_t port, TickType_t ticks)
{
    (void)port;
    (void)ticks;
    return ESP_OK;
}

static inline esp_err_t uart_set_baudrate(uart_port_t port, uint32_t baud)
{
    (void)port;
    return baud > 0U ? ESP_OK : ESP_FAIL;
}

#endif
