#pragma once
/// Agreement on errors: when one rank finds bad input, every rank throws the same error, so nobody waits for ever.
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/comm/communicator.hpp"

namespace weft {

/// If any rank brings an error, every rank throws that of the lowest such rank; otherwise returns on every rank.
/// @param local  this rank's error, or null.  @collective
void agree(const Communicator& comm, const std::exception_ptr& local);

/// Runs `work` here and agrees on its outcome. `work` must not communicate: a rank that throws would leave the others waiting.
/// Returns what `work` returns.  @collective
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
