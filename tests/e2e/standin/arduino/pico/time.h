#ifndef STANDIN_PICO_TIME_H
#define STANDIN_PICO_TIME_H

#include "Arduino.h"

inline uint64_t time_us_64() { return standin_us(); }

#endif
