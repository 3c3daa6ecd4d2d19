/* The I2C bus with a meter on it. */
#include "mcugen_hal_espidf_parts.h"

#include <stddef.h>

#include "driver/i2c_master.h"

#define TIMEOUT_MS 10
#define CLOCK_HZ 400000U

static i2c_master_bus_handle_t bus;
static i2c_master_dev_handle_t device = NULL; /* of the address that was used last */
static uint8_t device_address;

static bool choose(uint8_t address)
{
    i2c_device_config_t config = {
        .dev_addr_length = I2C_ADDR_BIT_LEN_7,
        .device_address = address,
        .scl_speed_hz = CLOCK_HZ,
    };
    if (device != NULL && device_address == address) {
        return true;
    }
    if (device != NULL) {
        (void)i2c_master_bus_rm_device(device);
        device = NULL;
    }
    device_address = address;
    return i2c_master_bus_add_device(bus, &config, &device) == ESP_OK;
}

static bool i2c_read(uint8_t address, uint8_t reg, uint16_t *value)
{
    uint8_t bytes[2];
    if (!choose(address)
        || i2c_master_transmit_receive(device, &reg, 1U, bytes, sizeof(bytes), TIMEOUT_MS)
               != ESP_OK) {
        return false;
    }
    *value = (uint16_t)((bytes[0] << 8) | bytes[1]);
    return true;
}

static bool i2c_write(uint8_t address, uint8_t reg, uint16_t value)
{
    const uint8_t bytes[3] = {reg, (uint8_t)(value >> 8), (uint8_t)(value & 255U)};
    return choose(address)
           && i2c_master_transmit(device, bytes, sizeof(bytes), TIMEOUT_MS) == ESP_OK;
}

void mcugen_hal_espidf_i2c(mcugen_hal *hal, int sda_pin, int scl_pin)
{
    const i2c_master_bus_config_t config = {
        .i2c_port = -1,
        .sda_io_num = (gpio_num_t)sda_pin,
        .scl_io_num = (gpio_num_t)scl_pin,
        .clk_source = I2C_CLK_SRC_DEFAULT,
        .glitch_ignore_cnt = 7,
        .flags.enable_internal_pullup = true,
    };
    if (i2c_new_master_bus(&config, &bus) == ESP_OK) {
        hal->i2c_read = i2c_read;
        hal->i2c_write = i2c_write;
    }
}
