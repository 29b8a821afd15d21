#pragma once
/// The conserved values of the owned cells in the memory of the current GPU, and their copy on the host.
#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "weft/device/buffers.hpp"
#include "weft/flow/cuda/array_list.hpp"
#include "weft/flow/scheme/kernels.hpp"

namespace weft::flow::detail {

/// Two buffers of conserved values, owned x kVars, and a page-locked copy.
/// @tparam State  double or float.
template <class State>
class DeviceState {
 public:
  /// Calls visit() for both buffers. @param numbers  length of each.
  template <class Visit>
  void each_array(std::size_t numbers, Visit&& visit) {
    for (DeviceVector<State>& buffer : buffers_) visit(buffer, numbers);
  }
  /// Called after the buffers are allocated.
  void allocate_copy();

  [[nodiscard]] State* buffer(int number) const { return buffers_[number].data(); }
  /// Returns the rows on the host: the input of upload(), or the result of the last fetch.
  [[nodiscard]] std::span<double> rows() const;
  /// Copies rows() to a buffer, and rounds rows() to State. Waits for pending copies.
  void upload(int number);
  /// Starts copying a buffer to rows() after the present work of the stream.
  void start_fetch(Stream& stream, int number) const;
  /// Waits for the copy.
  void finish_fetch() const;
  /// Makes the stream wait for a copy that reads a buffer. @returns whether there may be one.
  bool release(Stream& stream, int number);
  /// Returns a buffer on the host. Waits for the present work of the stream.
  [[nodiscard]] std::vector<State> values(Stream& stream, int number) const;
  /// Returns the integral of each variable in a buffer. Waits for the present work of the stream.
  [[nodiscard]] std::array<double, kVars> integrals(Stream& stream, int number, const double* inverse_volume) const;

 private:
  DeviceVector<State> buffers_[2];
  mutable PinnedBuffer<State> copy_;
  mutable std::vector<double> rows_;  ///< the copy in double; empty where State is double
  mutable Event fetched_;             ///< the copy is complete
  mutable int fetched_from_ = -1;     ///< buffer from which the pending copy reads; -1: none that a step may have to wait for
};

}  // namespace weft::flow::detail
