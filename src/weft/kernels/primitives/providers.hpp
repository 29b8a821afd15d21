#pragma once
/// The implementations of primitives on GPUs, and the table that selects the default.
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace weft::kernels {

/// The implementation of a primitive on a GPU.
enum class Provider : std::uint8_t {
  automatic,  ///< the one that the table selects
  own,        ///< kernels of Weft, or kernels of CUB with tile sizes of Weft
  library,    ///< CUB as it is; primitives other than sorts need library.cuh
};

/// Primitives on GPUs for which there are both providers. Both have the same results for integers. Sums and scans of
/// floating-point numbers by CUB have other digits than those of the host, so that the table selects `own` for these.
enum class Primitive : std::uint8_t { sum, segmented_sum, scan, sort_keys, copy_if, unique, histogram };

/// One row of the table: the default for entries of `bytes` bytes: of the values, of the sums of a scan, or of the keys.
struct ProviderChoice {
  Primitive primitive;
  std::size_t bytes;  ///< 0: sizes without a row of their own
  Provider provider;
  double of_library;     ///< rate of `own` divided by that of `library` for large arrays; 0: not measured
  const char* evidence;  ///< machine, program, commit and date of the measurement, or the reason
};

/// The table. `weft bench kernels --tune` measures both providers on a declared space of inputs and prints the rows that follow,
/// with their evidence. Rows with "bench_kernels_primitives" were measured by that program, which the command runs, before
/// `--tune` existed.
inline constexpr ProviderChoice kProviderChoices[] = {
    {Primitive::sum, 0, Provider::own, 0.99, "H100, bench_kernels_primitives, 63e8148, 2026-11-25; float in double 0.98"},
    {Primitive::segmented_sum, 0, Provider::own, 1.21,
     "H200, bench_kernels_primitives, e3b9417, 2026-11-26: segments of 1000 doubles; of 7 doubles 57, of 100,000 doubles 0.97"},
    {Primitive::scan, 4, Provider::own, 1.19, "H200, bench_kernels_primitives, e3b9417, 2026-11-26"},
    {Primitive::scan, 8, Provider::own, 1.12, "H200, bench_kernels_primitives, e3b9417, 2026-11-26; sums of 4-byte entries 1.16"},
    {Primitive::sort_keys, 4, Provider::own, 1.18, "H100, bench_kernels_primitives, 63e8148, 2026-11-25; H200 1.21"},
    {Primitive::sort_keys, 8, Provider::own, 1.08, "H100, bench_kernels_primitives, 63e8148, 2026-11-25; double 1.06; H200 1.15"},
    {Primitive::sort_keys, 0, Provider::library, 0, "there are no other tile sizes for keys of 1 and 2 bytes"},
    {Primitive::copy_if, 0, Provider::own, 1.21,
     "H200, bench_kernels_primitives, e3b9417, 2026-11-26: 50 % of uint32; 1 % 1.17, 99 % 1.26"},
    {Primitive::unique, 0, Provider::own, 1.12, "H200, bench_kernels_primitives, e3b9417, 2026-11-26: uint32"},
    {Primitive::histogram, 0, Provider::own, 3.21,
     "H100, bench_kernels_primitives, 63e8148, 2026-11-25: 256 bins; 8192 bins 6.8, 1,048,576 bins 8.2"},
};

namespace detail {

/// The implementation by a provider; that of Provider::library is defined in library.cuh.
template <Primitive kPrimitive, Provider kProvider>
struct Implementation;

/// Returns `requested`, or the provider of the table for entries of `bytes` bytes. A missing row is an error of the compiler.
[[nodiscard]] consteval Provider provider(Provider requested, Primitive primitive, std::size_t bytes) {
  if (requested != Provider::automatic) return requested;
  for (const std::size_t of_row : {bytes, std::size_t{0}}) {
    for (const ProviderChoice& row : kProviderChoices) {
      if (row.primitive == primitive && row.bytes == of_row) return row.provider;
    }
  }
  throw "the table has no row for this primitive";
}

}  // namespace detail

}  // namespace weft::kernels
