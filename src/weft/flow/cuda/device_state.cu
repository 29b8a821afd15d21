#include <algorithm>

#include "weft/device/parallel_for.cuh"
#include "weft/flow/cuda/device_state.hpp"
#include "weft/flow/scheme/integrals.hpp"

namespace weft::flow::detail {

template <class State>
void DeviceState<State>::allocate_copy() {
  copy_ = PinnedBuffer<State>(buffers_[0].size());
  if constexpr (!std::is_same_v<State, double>) rows_.resize(buffers_[0].size());
}

template <class State>
std::span<double> DeviceState<State>::rows() const {
  if constexpr (std::is_same_v<State, double>) {
    return copy_.span();
  } else {
    return rows_;
  }
}

template <class State>
void DeviceState<State>::upload(int number) {
  fetched_.wait();
  if constexpr (!std::is_same_v<State, double>) {
    std::transform(rows_.begin(), rows_.end(), copy_.data(), [](double u) { return static_cast<State>(u); });
    std::copy_n(copy_.data(), rows_.size(), rows_.begin());
  }
  buffers_[number].put(copy_.span());
}

template <class State>
void DeviceState<State>::start_fetch(Stream& stream, int number) const {
  fetched_from_ = number;
  fetched_ = buffers_[number].copy_to_host(0, copy_.span(), after(stream));
}

template <class State>
void DeviceState<State>::finish_fetch() const {
  fetched_.wait();
  if constexpr (!std::is_same_v<State, double>) std::copy_n(copy_.data(), rows_.size(), rows_.begin());
}

template <class State>
bool DeviceState<State>::release(Stream& stream, int number) {
  if (fetched_from_ != number) return false;
  stream.wait_for(after(fetched_));
  fetched_from_ = -1;
  return true;
}

template <class State>
std::vector<State> DeviceState<State>::values(Stream& stream, int number) const {
  std::vector<State> list(buffers_[number].size());
  buffers_[number].get(0, list, after(stream));
  return list;
}

template <class State>
std::array<double, kVars> DeviceState<State>::integrals(Stream& stream, int number, const double* inverse_volume) const {
  const auto cells = static_cast<std::int32_t>(buffers_[number].size() / kVars);
  return reduce(space::cuda{}, stream, cells, Integrals<kVars>{},
                CellContent<kVars, State>{buffers_[number].data(), kVars, inverse_volume}, Add{})
      .values();
}

template class DeviceState<float>;
template class DeviceState<double>;

}  // namespace weft::flow::detail
