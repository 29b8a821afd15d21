#pragma once
/// Agreement on errors: if a rank finds bad input, all ranks throw the same error, so that no rank waits forever.
#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/comm/communicator.hpp"

namespace weft {

/// Throws the error of the lowest rank that passes one, on every rank; returns on every rank if no rank passes one.
/// @param local  the error of this rank, or null.  @collective
void agree(const Communicator& comm, const std::exception_ptr& local);

/// As above, and returns the least and the largest of the values of the ranks, by the same reduction.  @collective
[[nodiscard]] std::pair<std::int32_t, std::int32_t> agree(const Communicator& comm, const std::exception_ptr& local,
                                                          std::int32_t value);

/// Runs `work` on this rank, agrees on its outcome and returns its result. `work` must not communicate: the other ranks would
/// wait for a rank that throws.
/// @collective
/// @throws on every rank, the error of the lowest rank on which `work` threw.
template <class Work>
auto agreed(const Communicator& comm, Work&& work) {
  using Result = std::decay_t<decltype(work())>;
  std::exception_ptr error;
  if constexpr (std::is_void_v<Result>) {
    try {
      std::forward<Work>(work)();
    } catch (...) {
      error = std::current_exception();
    }
    agree(comm, error);
  } else {
    std::optional<Result> result;
    try {
      result.emplace(std::forward<Work>(work)());
    } catch (...) {
      error = std::current_exception();
    }
    agree(comm, error);
    return std::move(*result);
  }
}

}  // namespace weft
