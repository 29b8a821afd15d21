#include <cstdint>
#include <span>
#include <vector>

#include "weft/device/parallel_for.cuh"
#include "weft/flow/cuda/device_source.hpp"
#include "weft/flow/physics/convert.hpp"
#include "weft/flow/scheme/kernels.hpp"

namespace weft::flow::detail {
namespace {

/// Computes the sources of whole owned cells.
template <class Real>
struct VolumeSources {
  VolumeSource source;
  const Real* values;
  const Vec3* centroid;
  const double* inverse_volume;
  const double* of_function;  ///< sources per volume of a user function; null: none
  const double* stationary;   ///< rates that are subtracted; null: none
  double* rates;
  WEFT_HD void operator()(std::int32_t c) const {
    const Conserved rate = source(centroid[c], as<double>(load(values + static_cast<std::int64_t>(c) * kVars)));
    for (int k = 0; k < kVars; ++k) {
      const std::int64_t i = static_cast<std::int64_t>(c) * kVars + k;
      const double per_volume = rate[k] + (of_function == nullptr ? 0 : of_function[i]);
      rates[i] = per_volume / inverse_volume[c] - (stationary == nullptr ? 0 : stationary[i]);
    }
  }
};

/// Copies the states of owned cells in double precision.
template <class Real>
struct CopyStates {
  const Real* values;
  Primitive* states;
  WEFT_HD void operator()(std::int32_t c) const { states[c] = as<double>(load(values + static_cast<std::int64_t>(c) * kVars)); }
};

}  // namespace

template <class Real>
template <class Visit>
void DeviceSource<Real>::each_array(Visit&& visit) {
  const std::size_t owned = mesh_.owned_cells;
  visit(rates_, any() ? owned * kVars : 0);
  visit(stationary_, subtracts_ && !on_host() ? owned * kVars : 0);
  visit(centroid_, any() && !on_host() ? owned : 0);
}

template <class Real>
std::size_t DeviceSource<Real>::bytes() {
  CountBytes count;
  each_array(count);
  return count.bytes + (source_.function.on_device() ? DeviceTables::bytes(mesh_.owned_cells, true) : 0);
}

template <class Real>
void DeviceSource<Real>::allocate() {
  each_array(Allocate());
  if (centroid_.size() > 0) centroid_.put(std::span(mesh_.cell_centroid).first(centroid_.size()));
  if (source_.function.on_device()) {
    tables_ = std::make_shared<DeviceTables>(std::span(mesh_.cell_centroid).first(mesh_.owned_cells), true);
  }
  if (!on_host()) return;
  values_on_host_ = PinnedBuffer<Real>(rates_.size());
  rates_on_host_ = PinnedBuffer<double>(rates_.size());
}

template <class Real>
void DeviceSource<Real>::set_stationary(std::span<const double> rates) {
  if (on_host()) {
    stationary_on_host_.assign(rates.begin(), rates.end());
  } else {
    stationary_.put(rates);
  }
}

template <class Real>
void DeviceSource<Real>::evaluate(Stream& stream, double time, const Real* values, const double* inverse_volume) {
  if (!any()) return;
  if (on_host()) return evaluate_on_host(stream, time, values);
  if (tables_ != nullptr) {
    parallel_for(space::cuda{}, stream, mesh_.owned_cells, CopyStates<Real>{values, tables_->states.data()});
    DeviceTables::call(tables_, source_.function.on_device(), stream, time);
  }
  const double* const of_function = tables_ == nullptr ? nullptr : tables_->results.data();
  parallel_for(space::cuda{}, stream, mesh_.owned_cells,
               VolumeSources<Real>{volume_source_, values, centroid_.data(), inverse_volume, of_function, stationary_.data(),
                                   rates_.data()});
}

template <class Real>
void DeviceSource<Real>::evaluate_on_host(Stream& stream, double time, const Real* values) {
  copy_bytes(stream, values_on_host_.data(), values, values_on_host_.size() * sizeof(Real));
  stream.wait();
  const auto owned = static_cast<std::size_t>(mesh_.owned_cells);
  std::vector<Primitive> states(owned);
  std::vector<Conserved> sources(owned);
  for (std::size_t i = 0; i < owned; ++i) states[i] = as<double>(load(values_on_host_.data() + i * kVars));
  source_.function(std::span(mesh_.cell_centroid).first(owned), time, states, sources);
  for (std::size_t i = 0; i < owned; ++i) {
    const mesh::LocalCellId cell(i);
    const Conserved rate = mesh_.cell_volume[cell] * (volume_source_(mesh_.cell_centroid[cell], states[i]) + sources[i]);
    for (int k = 0; k < kVars; ++k) {
      const std::size_t j = i * kVars + static_cast<std::size_t>(k);
      rates_on_host_.data()[j] = rate[k] - (subtracts_ ? stationary_on_host_[j] : 0);
    }
  }
  copy_bytes(stream, rates_.data(), rates_on_host_.data(), rates_.size() * sizeof(double));
}

template class DeviceSource<float>;
template class DeviceSource<double>;

}  // namespace weft::flow::detail
