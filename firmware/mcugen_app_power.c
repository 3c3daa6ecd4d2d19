/* Inferences on one core while the other reads an INA219 or INA226 on the board's own bus.
 *
 * Shunt and bus voltage are raw registers, so the calibration register stays as it is.
 * Registers: Texas Instruments SBOS448 (INA219), SBOS547 (INA226).
 */
#include "mcugen_app_parts.h"

#define ADDRESS 0x40U /* both address pins to ground */
#define REGISTER_CONFIG 0x00U
#define REGISTER_SHUNT 0x01U
#define REGISTER_BUS 0x02U
#define REGISTER_MANUFACTURER 0xfeU /* of the INA226 alone */
#define MANUFACTURER 0x5449U
/* +-40 mV, so +-400 mA at 0.1 Ohm; 16 V; 12 bits of both in 532 us each, continuously */
#define CONFIG_INA219 0x019fU
/* 588 us of both, no averages, continuously */
#define CONFIG_INA226 0x40dfU

static bool is_ina226(const mcugen_hal *hal)
{
    uint16_t found = 0U;
    return hal->i2c_read(ADDRESS, REGISTER_MANUFACTURER, &found) && found == MANUFACTURER;
}

static bool answers(const mcugen_hal *hal)
{
    uint16_t config = 0U;
    return hal->i2c_read != NULL && hal->i2c_read(ADDRESS, REGISTER_CONFIG, &config);
}

const char *mcugen_app_meter_name(const mcugen_app *app)
{
    if (!answers(app->hal)) {
        return "none";
    }
    return is_ina226(app->hal) ? "ina226" : "ina219";
}

static bool configure(const mcugen_hal *hal)
{
    return hal->i2c_write(ADDRESS, REGISTER_CONFIG, is_ina226(hal) ? CONFIG_INA226 : CONFIG_INA219);
}

static bool print_reading(mcugen_app *app)
{
    const mcugen_hal *hal = app->hal;
    const uint64_t now = hal->now_us();
    uint16_t shunt = 0U;
    uint16_t bus = 0U;
    if (!hal->i2c_read(ADDRESS, REGISTER_SHUNT, &shunt)
        || !hal->i2c_read(ADDRESS, REGISTER_BUS, &bus)) {
        return false;
    }
    mcugen_print_text(hal->put_char, "m-power-");
    mcugen_print_unsigned(hal->put_char, now);
    mcugen_print_text(hal->put_char, "-");
    mcugen_print_unsigned(hal->put_char, shunt);
    mcugen_app_print_number(app, "-", bus, "");
    return true;
}

/* Readings until the other core is done, at the pace that was asked for or as fast as it goes. */
static bool read_along(mcugen_app *app, uint32_t every_us)
{
    const mcugen_hal *hal = app->hal;
    uint64_t next = hal->now_us();
    bool good = true;
    while (hal->busy()) {
        const uint64_t now = hal->now_us();
        if (good && now >= next) {
            good = print_reading(app);
            next += every_us;
            next = (next < now) ? now : next;
        } else if (hal->idle != NULL && (!good || next - now > 2000U)) {
            hal->idle(); /* may take a millisecond */
        } else {
            /* soon */
        }
    }
    return good;
}

static bool measure(mcugen_app *app, uint32_t count, uint32_t every_us)
{
    const uint32_t core = (app->core != app->hal->core) ? app->core
                          : (app->hal->core == 0U)      ? 1U
                                                        : 0U;
    bool good = print_reading(app);
    mcugen_app_job_reset(app, count);
    if (good) {
        if (!mcugen_app_job_start(app, core)) {
            return false;
        }
        good = read_along(app, every_us) && print_reading(app);
    }
    if (!good) {
        mcugen_app_error(app, "power: the meter does not answer any more");
        return false;
    }
    for (uint32_t i = 0; i < app->job.mark_count; i++) {
        mcugen_app_print_mark(app, app->job.marks_us[i]);
    }
    return mcugen_app_job_succeeded(app);
}

void mcugen_app_power(mcugen_app *app)
{
    uint32_t count;
    uint32_t warm_up;
    uint32_t every_us;
    if (app->word_count < 4U) {
        mcugen_app_error(app, "power: N, W and US are wanted");
    } else if (!mcugen_app_number(app, 1U, 1U, 0U, &count)
               || !mcugen_app_number(app, 2U, 0U, 0U, &warm_up)
               || !mcugen_app_number(app, 3U, 1U, 0U, &every_us)) {
        /* said so */
    } else if (app->hal->cores < 2U) {
        mcugen_app_error(app, "power: a second core is needed");
    } else if (!answers(app->hal)) {
        mcugen_app_error(app, "power: no INA219 or INA226 answers at 0x40");
    } else if (!configure(app->hal)) {
        mcugen_app_error(app, "power: the meter does not take its configuration");
    } else if (mcugen_app_warm_up(app, warm_up)) {
        mcugen_app_print_number(app, "m-infer-start-", count, "");
        if (measure(app, count, every_us)) {
            mcugen_print_line(app->hal->put_char, "m-infer-done");
            mcugen_app_results(app);
        }
    } else {
        /* said so */
    }
}
