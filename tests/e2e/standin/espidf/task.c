/* Tasks as threads. */
#include "freertos/task.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

struct standin_task {
    TaskFunction_t function;
    void *argument;
    BaseType_t core;
    sem_t notified;
};

static _Thread_local TaskHandle_t current;

static void *run(void *argument)
{
    current = (TaskHandle_t)argument;
    current->function(current->argument);
    return NULL;
}

BaseType_t xTaskCreatePinnedToCore(TaskFunction_t task, const char *name, uint32_t stack_bytes,
                                   void *argument, UBaseType_t priority, TaskHandle_t *handle,
                                   BaseType_t core)
{
    pthread_t thread;
    TaskHandle_t made = calloc(1, sizeof(*made));
    (void)name;
    (void)priority;
    if (made == NULL || stack_bytes < 4096U || core < 0 || core >= portNUM_PROCESSORS) {
        return 0;
    }
    made->function = task;
    made->argument = argument;
    made->core = core;
    (void)sem_init(&made->notified, 0, 0);
    if (handle != NULL) {
        *handle = made;
    }
    return pthread_create(&thread, NULL, run, made) == 0 ? pdPASS : 0;
}

/* The exported project deletes its own task alone, when it has nothing more to do. */
void vTaskDelete(TaskHandle_t task)
{
    (void)task;
    exit(0);
}

void vTaskDelay(TickType_t ticks)
{
    (void)usleep(ticks * 1000U);
}

TaskHandle_t xTaskGetCurrentTaskHandle(void)
{
    return current;
}

BaseType_t xPortGetCoreID(void)
{
    return current->core;
}

uint32_t ulTaskNotifyTake(BaseType_t clear, TickType_t ticks)
{
    (void)clear;
    if (ticks == 0U) {
        return sem_trywait(&current->notified) == 0 ? 1U : 0U;
    }
    return sem_wait(&current->notified) == 0 ? 1U : 0U;
}

BaseType_t xTaskNotifyGive(TaskHandle_t task)
{
    return sem_post(&task->notified) == 0 ? pdPASS : 0;
}
