/* What generated code uses of <math.h>, for compiling it without a C library. */
#ifndef MCUGEN_FREESTANDING_MATH_H
#define MCUGEN_FREESTANDING_MATH_H

#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))

#endif
