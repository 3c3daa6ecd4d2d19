/* Printing without printf: what the self-test and the application share.
 *
 * `put` takes one character. Lines end with "\r\n", as serial terminals and MLPerf's runner want.
 */
#ifndef MCUGEN_PRINT_H
#define MCUGEN_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*mcugen_put_char)(char c);

void mcugen_print_text(mcugen_put_char put, const char *text);

/* Text and the end of the line. */
void mcugen_print_line(mcugen_put_char put, const char *text);

/* A number in decimal. */
void mcugen_print_unsigned(mcugen_put_char put, uint64_t value);

/* The lowest hexadecimal digits of a number, without a prefix. */
void mcugen_print_hex(mcugen_put_char put, uint64_t value, uint32_t digits);

/* A float (or, where `is_double`, a double) by its bits, with three decimals, rounded half to
 * even: exactly what the bits say, by integers alone. From 2^64 on with an exponent. */
void mcugen_print_real(mcugen_put_char put, uint64_t bits, bool is_double);

#ifdef __cplusplus
}
#endif

#endif
