/* A simulated INA219 or INA226: what it reads is invented. */
#include "mcugen_hal_host.h"

#include <stdlib.h>
#include <string.h>

#define REGISTER_SHUNT 0x01U
#define REGISTER_BUS 0x02U
#define REGISTER_MANUFACTURER 0xfeU

/* 20 mA, and 80 mA more while inferences run, through 0.1 Ohm at 3.3 V. */
static uint16_t shunt_uv(bool active)
{
    return active ? 10000U : 2000U;
}

bool mcugen_hal_host_meter(uint8_t reg, bool active, uint16_t *value)
{
    const char *name = getenv("MCUGEN_HOST_METER");
    const bool ina226 = name != NULL && strcmp(name, "ina226") == 0;
    if (!ina226 && (name == NULL || strcmp(name, "ina219") != 0)) {
        return false;
    }
    *value = 0U;
    if (reg == REGISTER_SHUNT) { /* steps of 2.5 uV or 10 uV */
        *value = (uint16_t)(ina226 ? shunt_uv(active) * 2U / 5U : shunt_uv(active) / 10U);
    } else if (reg == REGISTER_BUS) { /* 1.25 mV, or 4 mV above three bits of flags: "converted" */
        *value = (uint16_t)(ina226 ? 3300U * 4U / 5U : ((3300U / 4U) << 3) | 2U);
    } else if (reg == REGISTER_MANUFACTURER && ina226) {
        *value = 0x5449U;
    } else {
        /* configuration: 0 */
    }
    return true;
}
