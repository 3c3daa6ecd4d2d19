/*
 * Single-precision mathematics whose every bit is defined here.
 *
 * No libm: a function made of IEEE 754 float32 additions, multiplications, divisions and integer
 * operations, in the order written, gives the same bytes on every machine. Each function has a
 * twin of the same name in codegen/mcugen/float_math/, step for step; tests compare the bits.
 *
 * Needs: float evaluated as float (FLT_EVAL_METHOD 0), round to nearest even, subnormals kept,
 * -ffp-contract=off (the default of -std=c11 with gcc) and no -ffast-math.
 */
#ifndef MCUGEN_MATH_H
#define MCUGEN_MATH_H

#include "mcugen_math_bits.h"
#include "mcugen_math_convert.h"
#include "mcugen_math_exp.h"
#include "mcugen_math_hyper.h"
#include "mcugen_math_trig.h"

#endif
