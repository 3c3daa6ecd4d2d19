#ifndef STANDIN_ESP_TIMER_H
#define STANDIN_ESP_TIMER_H

#include <stdint.h>
#include <time.h>

static inline int64_t esp_timer_get_time(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

#endif
