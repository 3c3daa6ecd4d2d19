#ifndef STANDIN_ESP_TASK_WDT_H
#define STANDIN_ESP_TASK_WDT_H

#include <stdbool.h>
#include <stdint.h>

#include "esp_err.h"

#define CONFIG_ESP_TASK_WDT_TIMEOUT_S 5

typedef struct {
    uint32_t timeout_ms;
    uint32_t idle_core_mask;
    bool trigger_panic;
} esp_task_wdt_config_t;

static inline esp_err_t esp_task_wdt_reconfigure(const esp_task_wdt_config_t *config)
{
    return config->timeout_ms > 0U ? ESP_OK : ESP_FAIL;
}

#endif
