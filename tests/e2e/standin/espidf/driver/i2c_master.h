/* A bus with nothing on it. */
#ifndef STANDIN_I2C_MASTER_H
#define STANDIN_I2C_MASTER_H

#include <stddef.h>
#include <stdint.h>

#include "driver/gpio.h"
#include "esp_err.h"

typedef void *i2c_master_bus_handle_t;
typedef void *i2c_master_dev_handle_t;

typedef enum { I2C_ADDR_BIT_LEN_7 = 0 } i2c_addr_bit_len_t;
typedef enum { I2C_CLK_SRC_DEFAULT = 1 } i2c_clock_source_t;

typedef struct {
    int i2c_port;
    gpio_num_t sda_io_num;
    gpio_num_t scl_io_num;
    i2c_clock_source_t clk_source;
    uint8_t glitch_ignore_cnt;
    int intr_priority;
    size_t trans_queue_depth;
    struct {
        uint32_t enable_internal_pullup : 1;
    } flags;
} i2c_master_bus_config_t;

typedef struct {
    i2c_addr_bit_len_t dev_addr_length;
    uint16_t device_address;
    uint32_t scl_speed_hz;
} i2c_device_config_t;

static inline esp_err_t i2c_new_master_bus(const i2c_master_bus_config_t *config,
                                           i2c_master_bus_handle_t *bus)
{
    *bus = NULL;
    return config->sda_io_num != config->scl_io_num ? ESP_OK : ESP_FAIL;
}

static inline esp_err_t i2c_master_bus_add_device(i2c_master_bus_handle_t bus,
                                                  const i2c_device_config_t *config,
                                                  i2c_master_dev_handle_t *device)
{
    static int one;
    (void)bus;
    *device = &one;
    return config->device_address < 128U ? ESP_OK : ESP_FAIL;
}

static inline esp_err_t i2c_master_bus_rm_device(i2c_master_dev_handle_t device)
{
    (void)device;
    return ESP_OK;
}

static inline esp_err_t i2c_master_transmit(i2c_master_dev_handle_t device, const uint8_t *from,
                                            size_t size, int timeout_ms)
{
    (void)device;
    (void)from;
    (void)size;
    (void)timeout_ms;
    return ESP_FAIL;
}

static inline esp_err_t i2c_master_transmit_receive(i2c_master_dev_handle_t device,
                                                    const uint8_t *from, size_t size, uint8_t *to,
                                                    size_t to_size, int timeout_ms)
{
    (void)to;
    (void)to_size;
    return i2c_master_transmit(device, from, size, timeout_ms);
}

#endif
