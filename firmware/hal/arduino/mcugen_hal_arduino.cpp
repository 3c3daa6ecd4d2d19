#include "mcugen_hal_arduino.h"

#include <Arduino.h>

static int trigger_pin;

static void put_char(char c)
{
    Serial.write(c);
}

static int get_char()
{
    const int c = Serial.read();
    return (c >= 0) ? c : MCUGEN_HAL_NONE;
}

static void flush()
{
    Serial.flush();
}

#if !defined(ARDUINO_ARCH_RP2040) /* its Serial is USB, which has no speed */
static void set_baud(uint32_t baud)
{
    Serial.flush();
    Serial.end();
    Serial.begin(baud);
}
#endif

static void set_trigger(bool high)
{
    digitalWrite(trigger_pin, high ? HIGH : LOW);
}

static void sleep_us(uint64_t us)
{
    delay(static_cast<unsigned long>(us / 1000U));
    delayMicroseconds(static_cast<unsigned int>(us % 1000U));
}

const mcugen_hal *mcugen_hal_arduino(const mcugen_hal_arduino_config *config)
{
    static mcugen_hal hal;
    hal.put_char = put_char;
    hal.get_char = get_char;
    hal.flush = flush;
#if !defined(ARDUINO_ARCH_RP2040)
    hal.set_baud = set_baud;
#endif
    hal.sleep_us = sleep_us;
    hal.cores = 1;
    if (config->trigger_pin >= 0) {
        trigger_pin = config->trigger_pin;
        pinMode(trigger_pin, OUTPUT);
        hal.set_trigger = set_trigger;
    }
    if (config->sda_pin >= 0 && config->scl_pin >= 0) {
        mcugen_hal_arduino_i2c(&hal, config->sda_pin, config->scl_pin);
    }
    mcugen_hal_arduino_processor(&hal, config);
    return &hal;
}
