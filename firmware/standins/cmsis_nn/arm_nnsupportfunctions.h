/*
 * A stand-in for the second header of CMSIS-NN 7.0.0+43: the constants that size working memory.
 * Written for mcugen; it holds no text of Arm's.
 */
#ifndef MCUGEN_STANDIN_ARM_NNSUPPORTFUNCTIONS_H
#define MCUGEN_STANDIN_ARM_NNSUPPORTFUNCTIONS_H

#define ARM_NN_FLOAT_API_ENABLED 0
#define REVERSE_TCOL_EFFICIENT_THRESHOLD 16
#define CH_IN_BLOCK_MVE 124

#endif
