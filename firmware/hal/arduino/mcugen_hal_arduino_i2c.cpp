/* The I2C bus with a meter on it. */
#include "mcugen_hal_arduino.h"

#include <Arduino.h>
#include <Wire.h>

static bool i2c_read(uint8_t address, uint8_t reg, uint16_t *value)
{
    Wire.beginTransmission(address);
    Wire.write(reg);
    if (Wire.endTransmission(false) != 0 || Wire.requestFrom(address, static_cast<uint8_t>(2)) != 2) {
        return false;
    }
    const unsigned int high = static_cast<unsigned int>(Wire.read()) & 255U;
    const unsigned int low = static_cast<unsigned int>(Wire.read()) & 255U;
    *value = static_cast<uint16_t>((high << 8) | low);
    return true;
}

static bool i2c_write(uint8_t address, uint8_t reg, uint16_t value)
{
    Wire.beginTransmission(address);
    Wire.write(reg);
    Wire.write(static_cast<uint8_t>(value >> 8));
    Wire.write(static_cast<uint8_t>(value & 255U));
    return Wire.endTransmission() == 0;
}

void mcugen_hal_arduino_i2c(mcugen_hal *hal, int sda_pin, int scl_pin)
{
    Wire.setSDA(static_cast<uint32_t>(sda_pin));
    Wire.setSCL(static_cast<uint32_t>(scl_pin));
    Wire.begin();
    Wire.setClock(400000);
    hal->i2c_read = i2c_read;
    hal->i2c_write = i2c_write;
}
