#ifndef STANDIN_ESP_TIMER_H
#define STANDIN_ESP_TIMER_H

#include <stdint.h>

static inline int64_t esp_timer_get_time(void)
{
    return 0;
}

#endif
