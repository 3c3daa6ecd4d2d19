#include "mcugen_hal_espidf.h"

#include <stddef.h>

#include "driver/gpio.h"
#include "esp_cpu.h"
#include "esp_task_wdt.h"
#include "esp_timer.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#include "mcugen_hal_espidf_parts.h"

static const mcugen_hal_espidf_config *pins;

static uint64_t now_us(void)
{
    return (uint64_t)esp_timer_get_time();
}

static uint32_t cycles(void)
{
    return (uint32_t)esp_cpu_get_cycle_count();
}

static void set_trigger(bool high)
{
    (void)gpio_set_level((gpio_num_t)pins->trigger_pin, high ? 1U : 0U);
}

/* The last millisecond is waited for: ticks are too coarse. */
static void sleep_us(uint64_t us)
{
    const uint64_t end = now_us() + us;
    if (us > 2000U) {
        vTaskDelay(pdMS_TO_TICKS(us / 1000U - 1U));
    }
    while (now_us() < end) {
        /* wait */
    }
}

/* A tick for other tasks, the idle one and its watchdog among them. */
static void idle(void)
{
    vTaskDelay(1);
}

#if portNUM_PROCESSORS > 1
static TaskHandle_t worker = NULL;
static TaskHandle_t caller = NULL;
static void (*worker_function)(void *context);
static void *worker_context;
static bool running = false; /* of the application's task alone */

static void work(void *argument)
{
    (void)argument;
    for (;;) {
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        worker_function(worker_context);
        xTaskNotifyGive(caller);
    }
}

/* The worker starves the idle task of its core. Where the task watchdog minds that (core 0, by
 * sdkconfig.defaults), it minds no more from the first time on. */
static void create_worker(uint32_t core)
{
    const esp_task_wdt_config_t lenient = {CONFIG_ESP_TASK_WDT_TIMEOUT_S * 1000U, 0U, false};
    (void)esp_task_wdt_reconfigure(&lenient);
    caller = xTaskGetCurrentTaskHandle();
    if (xTaskCreatePinnedToCore(work, "other core", pins->stack_bytes, NULL, tskIDLE_PRIORITY + 1,
                                &worker, (BaseType_t)core)
        != pdPASS) {
        worker = NULL;
    }
}

static bool start(uint32_t core, void (*function)(void *context), void *context)
{
    if (worker == NULL) {
        create_worker(core);
    }
    if (worker == NULL) {
        return false; /* no memory for its stack */
    }
    worker_function = function;
    worker_context = context;
    running = true;
    xTaskNotifyGive(worker);
    return true;
}

static bool busy(void)
{
    if (running && ulTaskNotifyTake(pdTRUE, 0) > 0U) {
        running = false;
    }
    return running;
}
#endif

const mcugen_hal *mcugen_hal_espidf(const mcugen_hal_espidf_config *config)
{
    static mcugen_hal hal;
    pins = config;
    mcugen_hal_espidf_console(&hal);
    hal.now_us = now_us;
    hal.cycles = cycles;
    hal.sleep_us = sleep_us;
    hal.idle = idle;
    hal.cores = portNUM_PROCESSORS;
    hal.core = (uint32_t)xPortGetCoreID();
    hal.inference_core = hal.core;
#if portNUM_PROCESSORS > 1
    hal.start = start;
    hal.busy = busy;
#endif
    if (config->trigger_pin >= 0) {
        (void)gpio_reset_pin((gpio_num_t)config->trigger_pin);
        (void)gpio_set_direction((gpio_num_t)config->trigger_pin, GPIO_MODE_OUTPUT);
        hal.set_trigger = set_trigger;
    }
    if (config->sda_pin >= 0 && config->scl_pin >= 0) {
        mcugen_hal_espidf_i2c(&hal, config->sda_pin, config->scl_pin);
    }
    return &hal;
}
