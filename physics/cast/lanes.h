// Sixteen rays at a time.

#ifndef POLYRHYTHM_PHYSICS_CAST_LANES_H_
#define POLYRHYTHM_PHYSICS_CAST_LANES_H_

#include <math.h>
#include <stdint.h>

enum { LANES = 16 };

// No fused multiply and add, which would change the bits; gcc makes none with -std=c11.
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

// No operation here traps, so both sides of a condition may be computed, and no root sets errno.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-trapping-math", "no-math-errno")
#endif

// Use sixteen or eight lanes where the processor has them, with the same bits.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

#define INLINE static inline __attribute__((always_inline))

// Long and called from several places, so that one copy for each width compiles faster.
#define CALLED WIDE static __attribute__((noinline))

// Without errno, so that it can be vectorised.
extern float sqrtf(float) __attribute__((const));

// Some values of each ray, such as one of a vector's.
typedef float Lanes[LANES] __attribute__((aligned(64)));
typedef int32_t Mask[LANES] __attribute__((aligned(64)));

#endif  // POLYRHYTHM_PHYSICS_CAST_LANES_H_
