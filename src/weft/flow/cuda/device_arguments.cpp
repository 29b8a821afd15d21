#include "weft/flow/cuda/device_arguments.hpp"

#include "weft/device/buffers.hpp"
#include "weft/flow/physics/evaluate_on_gpu.hpp"

namespace weft::flow {
namespace {

constexpr std::size_t kNumbers = Primitive::kVars;
static_assert(sizeof(Primitive) == kNumbers * sizeof(double));

}  // namespace

namespace detail {

DeviceTables::DeviceTables(std::span<const Vec3> points_on_host, bool with_states)
    : points(Backend::cuda, points_on_host),
      states(Backend::cuda, with_states ? points_on_host.size() : 0),
      results(Backend::cuda, kNumbers * points_on_host.size()) {}

std::size_t DeviceTables::bytes(std::size_t points, bool with_states) {
  return points * (sizeof(Vec3) + (with_states ? 2 : 1) * sizeof(Primitive));
}

void DeviceTables::call(const std::shared_ptr<DeviceTables>& tables, const DeviceFunction& function, Stream& stream,
                        double time) {
  const std::size_t count = tables->points.size();
  if (count == 0) return;
  set_bytes(stream, tables->results.data(), 0, tables->results.bytes());
  function({.stream = stream,
            .time = time,
            .points = count,
            .x = tables->points.data(),
            .states = tables->states.data(),
            .results = tables->results.data(),
            .memory = tables});
}

}  // namespace detail

void evaluate_on_gpu(const DeviceFunction& function, std::span<const Vec3> points, double time, std::span<Primitive> results) {
  if (points.empty()) return;
  Stream stream;
  const auto tables = std::make_shared<detail::DeviceTables>(points, false);
  detail::DeviceTables::call(tables, function, stream, time);
  std::span<double> values(&results.front().density, kNumbers * results.size());
  tables->results.get(0, values, after(stream));
}

}  // namespace weft::flow
