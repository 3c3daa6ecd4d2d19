#ifndef STANDIN_GPIO_H
#define STANDIN_GPIO_H

#include <stdint.h>

#include "esp_err.h"

typedef int gpio_num_t;
typedef enum { GPIO_MODE_OUTPUT = 2 } gpio_mode_t;

static inline esp_err_t gpio_reset_pin(gpio_num_t pin)
{
    return pin >= 0 ? ESP_OK : ESP_FAIL;
}

static inline esp_err_t gpio_set_direction(gpio_num_t pin, gpio_mode_t mode)
{
    return pin >= 0 && mode == GPIO_MODE_OUTPUT ? ESP_OK : ESP_FAIL;
}

static inline esp_err_t gpio_set_level(gpio_num_t pin, uint32_t level)
{
    return pin >= 0 && level <= 1U ? ESP_OK : ESP_FAIL;
}

#endif
