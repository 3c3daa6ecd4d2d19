#ifndef STANDIN_ESP_CPU_H
#define STANDIN_ESP_CPU_H

#include <stdint.h>

#include "esp_timer.h"

typedef uint32_t esp_cpu_cycle_count_t;

/* Of a processor at 240 MHz. */
static inline esp_cpu_cycle_count_t esp_cpu_get_cycle_count(void)
{
    return (esp_cpu_cycle_count_t)((uint64_t)esp_timer_get_time() * 240U);
}

#endif
