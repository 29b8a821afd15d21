#pragma once
/// The scalar types and block sizes for which the functions of this folder are compiled.

/// Expands MACRO(T, B) for each of them.
#define WEFT_LINEAR_INSTANCES(MACRO) \
  MACRO(float, 4)                    \
  MACRO(float, 5)                    \
  MACRO(float, 6)                    \
  MACRO(float, 7)                    \
  MACRO(double, 4)                   \
  MACRO(double, 5)                   \
  MACRO(double, 6)                   \
  MACRO(double, 7)
