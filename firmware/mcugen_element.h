/* Elements of tensors by their bits, and checksums of whole tensors. */
#ifndef MCUGEN_ELEMENT_H
#define MCUGEN_ELEMENT_H

#include "mcugen_print.h"
#include "mcugen_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

uint32_t mcugen_element_bytes(mcugen_dtype dtype);

bool mcugen_element_is_float(mcugen_dtype dtype);

/* The bits of one element, zero-extended; every NaN gives the same ones: 0x7fc00000 (float) or
 * 0x7ff8000000000000 (double). */
uint64_t mcugen_element_bits(const uint8_t *data, mcugen_dtype dtype);

/* Prints an integer element in decimal. */
void mcugen_element_print_integer(mcugen_put_char put, uint64_t bits, mcugen_dtype dtype);

/* CRC-32 (IEEE 802.3) of all bytes, those of a NaN as above. */
uint32_t mcugen_element_crc(const void *data, uint32_t bytes, mcugen_dtype dtype);

#ifdef __cplusplus
}
#endif

#endif
