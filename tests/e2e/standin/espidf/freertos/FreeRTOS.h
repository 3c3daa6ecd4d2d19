/* As much of FreeRTOS as the exported project needs. */
#ifndef STANDIN_FREERTOS_H
#define STANDIN_FREERTOS_H

#include <stdint.h>

typedef int BaseType_t;
typedef unsigned int UBaseType_t;
typedef uint32_t TickType_t;

#define pdPASS 1
#define pdTRUE 1
#define portMAX_DELAY 0xffffffffU
#ifndef STANDIN_CORES
#define STANDIN_CORES 2
#endif
#define portNUM_PROCESSORS STANDIN_CORES
#define tskIDLE_PRIORITY 0U
#define pdMS_TO_TICKS(ms) ((TickType_t)(ms))

#endif
