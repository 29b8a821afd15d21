#pragma once
/// The kernels that `weft bench kernels` measures, and the space that --tune searches. The command and the measuring programs
/// (bench/kernels/primitives, which is compiled by nvcc, and bench/kernels/primitives_host) include this header.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "weft/kernels/primitives/providers.hpp"

namespace weft::app {

/// Names of the measured kernels, as in --only: the primitives and, from "multiply" on, the kernels for linear algebra.
inline constexpr auto kMeasuredKernels = std::to_array<std::string_view>({"sum",
                                                                          "transform_reduce",
                                                                          "dot",
                                                                          "axpy_dot",
                                                                          "segmented_sum",
                                                                          "segmented_reduce",
                                                                          "exclusive_scan",
                                                                          "inclusive_scan",
                                                                          "segmented_exclusive_scan",
                                                                          "segmented_inclusive_scan",
                                                                          "scan_by_offsets",
                                                                          "sort",
                                                                          "stable_sort_by_key",
                                                                          "segmented_sort",
                                                                          "segmented_stable_sort_by_key",
                                                                          "select",
                                                                          "copy_if",
                                                                          "partition",
                                                                          "unique",
                                                                          "run_length_encode",
                                                                          "histogram",
                                                                          "gather",
                                                                          "scatter",
                                                                          "aos_to_soa",
                                                                          "soa_to_aos",
                                                                          "stencil",
                                                                          "star_stencil",
                                                                          "line_stencil",
                                                                          "transpose",
                                                                          "transpose_batch",
                                                                          "multiply",
                                                                          "multiply_add",
                                                                          "multiply_and_dot",
                                                                          "multiply_transposed",
                                                                          "block_jacobi",
                                                                          "lu_factor",
                                                                          "lu_solve",
                                                                          "multiply_batch",
                                                                          "multiply_add_batch"});
/// Further ones, which are measured on the host alone.
inline constexpr auto kHostKernels = std::to_array<std::string_view>(
    {"stable_order", "bucket_sort", "bitonic_sort", "sort_unique", "run_offsets", "inverse_permutation"});

/// Numbers of entries, the largest first: those of a run and of --tune, and that of --quick.
inline constexpr std::array<std::int64_t, 2> kMeasuredEntries{std::int64_t{1} << 27, 1'000'000};
inline constexpr std::int64_t kQuickEntries = std::int64_t{1} << 24;
inline constexpr int kQuickRuns = 5;
/// Numbers of entries on the host.
inline constexpr std::array<std::int64_t, 2> kHostEntries{std::int64_t{1} << 22, 100'000};
inline constexpr std::int64_t kQuickHostEntries = std::int64_t{1} << 20;

/// Reason of the measuring program if there is no GPU; also the start of the error of the command.
inline constexpr std::string_view kNoGpuToMeasure = "kernels are measured on a GPU, and none can be used";

/// Tile sizes of the sort, besides those of KeySortTuning: threads of a block, and 4-byte items of a thread. Blocks need at most
/// 48 kB of shared memory for their keys.
struct SortTile {
  int threads, items;
};
/// Returns the name of the candidate in the results: "384 x 24".
[[nodiscard]] inline std::string name_of(const SortTile& tile) {
  return std::to_string(tile.threads) + " x " + std::to_string(tile.items);
}
inline constexpr std::array<SortTile, 3> kSortTiles4{{{256, 32}, {384, 24}, {512, 20}}};
inline constexpr std::array<SortTile, 3> kSortTiles8{{{256, 40}, {384, 24}, {512, 20}}};

/// An input on which --tune measures all candidates for a row of kProviderChoices: both providers, and the tile sizes above.
struct TuningInput {
  kernels::Primitive primitive;
  std::size_t bytes;  ///< size of an entry in the row of kProviderChoices
  std::string_view kernel, type, input;
};

/// The first input of each row decides, at the largest number of entries; the others are reported with the choice.
inline constexpr TuningInput kTuningSpace[] = {
    {kernels::Primitive::sum, 0, "sum", "double", ""},
    {kernels::Primitive::sum, 0, "sum", "float in double", ""},
    {kernels::Primitive::sum, 0, "sum", "int64", ""},
    {kernels::Primitive::sum, 0, "sum", "uint32", ""},
    {kernels::Primitive::segmented_sum, 0, "segmented_sum", "double", "segments of 1000"},
    {kernels::Primitive::segmented_sum, 0, "segmented_sum", "double", "segments of 7"},
    {kernels::Primitive::segmented_sum, 0, "segmented_sum", "double", "segments of 30"},
    {kernels::Primitive::segmented_sum, 0, "segmented_sum", "double", "segments of 100000"},
    {kernels::Primitive::segmented_sum, 0, "segmented_sum", "double", "one segment"},
    {kernels::Primitive::scan, 4, "exclusive_scan", "uint32", ""},
    {kernels::Primitive::scan, 8, "exclusive_scan", "int64", ""},
    {kernels::Primitive::scan, 8, "exclusive_scan", "int32 to int64", ""},
    {kernels::Primitive::sort_keys, 4, "sort", "uint32", ""},
    {kernels::Primitive::sort_keys, 8, "sort", "uint64", ""},
    {kernels::Primitive::sort_keys, 8, "sort", "double", ""},
    {kernels::Primitive::copy_if, 0, "copy_if", "uint32", "50 % selected"},
    {kernels::Primitive::copy_if, 0, "copy_if", "uint32", "1 % selected"},
    {kernels::Primitive::copy_if, 0, "copy_if", "uint32", "99 % selected"},
    {kernels::Primitive::unique, 0, "unique", "uint32", ""},
    {kernels::Primitive::histogram, 0, "histogram", "uint32", "256 bins"},
    {kernels::Primitive::histogram, 0, "histogram", "uint32", "8192 bins"},
    {kernels::Primitive::histogram, 0, "histogram", "uint32", "1048576 bins"},
};

/// A row of kProviderChoices that no measurement changes.
struct FixedChoice {
  kernels::Primitive primitive;
  std::size_t bytes;
  kernels::Provider provider;
  const char* reason;
};
inline constexpr const char* kSameDigits = "sums of floating-point numbers must have the digits of the host";
inline constexpr FixedChoice kFixedChoices[] = {
    {kernels::Primitive::sum, 0, kernels::Provider::own, kSameDigits},
    {kernels::Primitive::segmented_sum, 0, kernels::Provider::own, kSameDigits},
    {kernels::Primitive::sort_keys, 0, kernels::Provider::library, "there are no other tile sizes for keys of 1 and 2 bytes"},
};

/// Returns whether each row of kProviderChoices has an input or is fixed.
[[nodiscard]] consteval bool every_choice_is_declared() {
  for (const kernels::ProviderChoice& row : kernels::kProviderChoices) {
    const auto of_row = [&](const auto& declared) { return declared.primitive == row.primitive && declared.bytes == row.bytes; };
    if (std::none_of(std::begin(kTuningSpace), std::end(kTuningSpace), of_row) &&
        std::none_of(std::begin(kFixedChoices), std::end(kFixedChoices), of_row)) {
      return false;
    }
  }
  return true;
}
static_assert(every_choice_is_declared(), "declare an input in kTuningSpace, or a reason in kFixedChoices");

}  // namespace weft::app
