/*
 * The headers of CMSIS-NN for generated code, and what must hold of the library.
 *
 * The results and the working memory were planned for CMSIS-NN 7.0.0+43, commit 99f736a6.
 */
#ifndef MCUGEN_CMSIS_NN_H
#define MCUGEN_CMSIS_NN_H

/* The vendor's headers are not held to our warnings, wherever the build finds them. */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

/* One rounding instead of two changes about one result in a thousand. */
#ifdef CMSIS_NN_USE_SINGLE_ROUNDING
#error "CMSIS-NN must be built without CMSIS_NN_USE_SINGLE_ROUNDING: the model was planned for two"
#endif

#ifdef __has_include
#if !__has_include("arm_nnfunctions.h")
#error "CMSIS-NN is not on the include path: mcugen export --vendor-dir copies what is needed"
#endif
#endif
#include "arm_nnfunctions.h"
#include "arm_nnsupportfunctions.h"

/* The headers carry no version; these are the macros that came after release 7.0.0, or that choose
 * between kernels and so size their working memory. */
#if !defined(ARM_NN_FLOAT_API_ENABLED) || !defined(REVERSE_TCOL_EFFICIENT_THRESHOLD) \
    || !defined(CH_IN_BLOCK_MVE)
#error "this CMSIS-NN is another version than 7.0.0+43, commit 99f736a6"
#elif REVERSE_TCOL_EFFICIENT_THRESHOLD != 16 || CH_IN_BLOCK_MVE != 124
#error "this CMSIS-NN is another version than 7.0.0+43, commit 99f736a6"
#endif

#endif
