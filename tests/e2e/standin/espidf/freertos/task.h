#ifndef STANDIN_TASK_H
#define STANDIN_TASK_H

#include <stdlib.h>

#include "freertos/FreeRTOS.h"

typedef void (*TaskFunction_t)(void *);
typedef void *TaskHandle_t;

static inline BaseType_t xTaskCreatePinnedToCore(TaskFunction_t task, const char *name,
                                                 uint32_t stack_bytes, void *argument,
                                                 UBaseType_t priority, TaskHandle_t *handle,
                                                 BaseType_t core)
{
    (void)name;
    (void)priority;
    (void)handle;
    if (stack_bytes < 4096U || core != 1) {
        return 0;
    }
    task(argument);
    return pdPASS;
}

static inline BaseType_t xTaskCreate(TaskFunction_t task, const char *name, uint32_t stack_bytes,
                                     void *argument, UBaseType_t priority, TaskHandle_t *handle)
{
    return xTaskCreatePinnedToCore(task, name, stack_bytes, argument, priority, handle, 1);
}

static inline UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task)
{
    (void)task;
    return 1U;
}

/* The tasks of the exported project run for ever: the first wait ends the stand-in. */
static inline void vTaskDelay(TickType_t ticks)
{
    (void)ticks;
    exit(0);
}

#endif
