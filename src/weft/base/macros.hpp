#pragma once
/// Function and pointer qualifiers for sources that g++, clang++ and nvcc compile.

#if defined(__CUDACC__)
#define WEFT_HD __host__ __device__
#else
#define WEFT_HD
#endif

#if defined(__GNUC__) || defined(__CUDACC__)
#define WEFT_RESTRICT __restrict__
#define WEFT_FORCE_INLINE inline __attribute__((always_inline))
#else
#define WEFT_RESTRICT
#define WEFT_FORCE_INLINE inline
#endif
