/* ESP-IDF wraps headers that the C library's own ones include in this way, found by -I. */
#pragma once
#include_next <string.h>
