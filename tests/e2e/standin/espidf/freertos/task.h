#ifndef STANDIN_TASK_H
#define STANDIN_TASK_H

#include "freertos/FreeRTOS.h"

typedef void (*TaskFunction_t)(void *);
typedef struct standin_task *TaskHandle_t;

/* Refuses what a board would: a small stack, a core that is not there. */
BaseType_t xTaskCreatePinnedToCore(TaskFunction_t task, const char *name, uint32_t stack_bytes,
                                   void *argument, UBaseType_t priority, TaskHandle_t *handle,
                                   BaseType_t core);
void vTaskDelete(TaskHandle_t task);
void vTaskDelay(TickType_t ticks);
TaskHandle_t xTaskGetCurrentTaskHandle(void);
BaseType_t xPortGetCoreID(void);
uint32_t ulTaskNotifyTake(BaseType_t clear, TickType_t ticks);
BaseType_t xTaskNotifyGive(TaskHandle_t task);

#endif
