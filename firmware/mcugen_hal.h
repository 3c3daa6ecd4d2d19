/* What the firmware application needs of a board: one small set of functions per framework. */
#ifndef MCUGEN_HAL_H
#define MCUGEN_HAL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Results of get_char besides a character. */
#define MCUGEN_HAL_NONE (-1)   /* none has come yet */
#define MCUGEN_HAL_CLOSED (-2) /* none will ever come: the application ends */

/* Functions that may be NULL say so. */
typedef struct mcugen_hal {
    void (*put_char)(char c);
    int (*get_char)(void); /* never waits */
    void (*flush)(void);   /* returns when everything was sent; NULL: put_char does */
    uint64_t (*now_us)(void);
    uint32_t (*cycles)(void);       /* of the core that asks, wraps; NULL: there is no counter */
    void (*set_trigger)(bool high); /* the pin for a meter; NULL: there is none */
    void (*set_baud)(uint32_t baud); /* NULL: the port has no speed */
    void (*sleep_us)(uint64_t us);   /* of the core that asks, as deep as timing allows */
    void (*idle)(void);              /* while the application waits; NULL */

    uint32_t cores;
    uint32_t core;           /* the one that the application runs on */
    uint32_t inference_core; /* the one that runs the model until `core N` says otherwise */
    /* Starts a function on another core and returns; what was written before is seen there. False
     * when that core does not start. NULL when there is one core. */
    bool (*start)(uint32_t core, void (*function)(void *context), void *context);
    /* Whether the function still runs; what it wrote is seen here once it does not. */
    bool (*busy)(void);
    /* 16-bit registers of an I2C device, the high byte first; false when nothing answers. NULL:
     * there is no bus for a meter. */
    bool (*i2c_read)(uint8_t address, uint8_t reg, uint16_t *value);
    bool (*i2c_write)(uint8_t address, uint8_t reg, uint16_t value);
} mcugen_hal;

#ifdef __cplusplus
}
#endif

#endif
