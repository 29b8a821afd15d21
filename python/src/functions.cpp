#include "functions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "weft/base/contracts.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/flow/physics/evaluate_on_gpu.hpp"

#include "device_view.hpp"

namespace weft::python {
namespace {

constexpr std::size_t kVars = flow::IdealGas::kVars;
static_assert(sizeof(flow::Primitive) == kVars * sizeof(double) && sizeof(flow::Conserved) == sizeof(flow::Primitive));

/// Returns whether a function takes arrays on a GPU.
[[nodiscard]] bool on_device(const nb::object& function) { return nb::cast<bool>(function.attr("on_device")); }

}  // namespace

Functions::Functions(nb::object initial, nb::dict boundary, nb::object source)
    : initial_(std::move(initial)), source_(std::move(source)) {
  for (const auto& [zone, function] : boundary) {
    const nb::tuple pair = nb::cast<nb::tuple>(function);
    boundary_[nb::cast<std::string>(zone)] = {nb::object(pair[0]), nb::cast<bool>(pair[1])};
  }
}

nb::object Functions::array_of_points(std::span<const Vec3> points) {
  nb::object& known = points_[{points.data(), points.size()}];
  if (!known.is_valid()) {
    std::vector<double> values(3 * points.size());
    std::memcpy(values.data(), points.data(), points.size_bytes());
    known = weft::python::array_of(std::move(values), 3);
    known.attr("setflags")(nb::arg("write") = false);
  }
  return known;
}

nb::object Functions::array_of_states(std::span<const flow::Primitive> states) {
  // Fresh memory costs more than the copy. The function may have kept the array of its last call.
  if (!states_.is_valid() || Py_REFCNT(states_.ptr()) > 1) {
    states_ = weft::python::array_of(std::vector<double>(kVars * states.size()), kVars);
  }
  std::memcpy(nb::cast<nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(states_).data(), states.data(),
              states.size_bytes());
  return states_;
}

void Functions::store(nb::python_error& error) {
  text_ = nb::cast<std::string>(nb::str(error.value()));
  error_.emplace(std::move(error));
  reported_ = false;
}

std::optional<Functions::Rows> Functions::call(const nb::object& function, std::span<const Vec3> points, double time,
                                               const nb::object& state) {
  try {
    const nb::object array = function(array_of_points(points), time, state);
    auto rows = nb::cast<Rows>(array);
    WEFT_EXPECTS(rows.shape(0) == points.size() && rows.shape(1) >= kVars);  // as _functions.py returns them
    return rows;
  } catch (nb::python_error& error) {
    store(error);
    return std::nullopt;
  }
}

void Functions::call_there(const nb::object& function, const flow::DeviceArguments& arguments) {
  if (error_) return;
  const nb::gil_scoped_acquire acquired;
  static constexpr Columns kState[] = {{"density", 0, 1}, {"velocity", 1, 3}, {"pressure", 4, 1}};
  static constexpr Columns kSource[] = {{"density", 0, 1}, {"momentum", 1, 3}, {"energy", 4, 1}};
  using Memory = std::shared_ptr<void>;
  const nb::capsule memory(new Memory(arguments.memory), [](void* owner) noexcept { delete static_cast<Memory*>(owner); });
  try {
    const bool source = arguments.states != nullptr;
    nb::object state = nb::none();
    if (source) state = columns_on_device(&arguments.states->density, arguments.points, kState, memory);
    const nb::dict results = columns_on_device(arguments.results, arguments.points, source ? kSource : kState, memory);
    const nb::object x = points_on_device(arguments.x, arguments.points, memory);
    in_stream(arguments.stream,
              [&] { function(x, arguments.time, state, results, reinterpret_cast<std::uintptr_t>(arguments.stream.handle())); });
  } catch (nb::python_error& error) {
    store(error);
  }
}

template <class Row>
bool Functions::copy_rows(const nb::object& function, std::span<const Vec3> points, double time, const Rows& rows,
                          std::span<Row> results) {
  const std::size_t columns = rows.shape(1);
  bool good = true;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const double* const row = rows.data() + i * columns;
    for (int k = 0; k < static_cast<int>(kVars); ++k) results[i][k] = row[k];
    good = good && std::isfinite(row[0] + row[1] + row[2] + row[3] + row[4]);
    if constexpr (std::is_same_v<Row, flow::Primitive>) good = good && row[0] > 0 && row[4] > 0;
  }
  if (good) return true;
  try {
    function.attr("check")(array_of_points(points), time, rows);  // the sum of finite numbers may overflow
    return true;
  } catch (nb::python_error& error) {
    store(error);
    return false;
  }
}

bool Functions::evaluate(const nb::object& function, std::span<const Vec3> points, double time,
                         std::span<flow::Primitive> results) {
  const std::optional<Rows> rows = call(function, points, time, nb::none());
  if (!rows || !copy_rows(function, points, time, *rows, results)) return false;
  const std::size_t columns = rows->shape(1);
  scalars_.clear();
  for (std::size_t i = 0; i < results.size() && columns > kVars; ++i) {
    const double* const row = rows->data() + i * columns;
    scalars_.insert(scalars_.end(), row + kVars, row + columns);
  }
  return true;
}

bool Functions::evaluate_there(const nb::object& function, std::span<const Vec3> points, double time,
                               std::span<flow::Primitive> results) {
  std::vector<flow::Primitive> values(results.size());
  flow::evaluate_on_gpu([&](const flow::DeviceArguments& arguments) { call_there(function, arguments); }, points, time, values);
  if (error_) return false;
  std::vector<double> table(kVars * values.size());
  std::memcpy(table.data(), values.data(), values.size() * sizeof(flow::Primitive));
  const auto rows = nb::cast<Rows>(weft::python::array_of(std::move(table), kVars));
  return copy_rows(function, points, time, rows, results);
}

flow::FieldFunction<flow::Primitive> Functions::state_of(const nb::object& function) {
  const bool there = on_device(function);
  const flow::FieldFunction<flow::Primitive>::OfPoints of_points =
      [this, there, &function](std::span<const Vec3> points, double time, std::span<flow::Primitive> results) {
        // States are valid ones where a function has failed, so that nothing but its exception ends the step.
        std::fill(results.begin(), results.end(), flow::Primitive{1, {}, 1});
        if (points.empty() || error_) return;
        const nb::gil_scoped_acquire acquired;
        there ? evaluate_there(function, points, time, results) : evaluate(function, points, time, results);
      };
  if (!there) return of_points;
  return {of_points, [this, &function](const flow::DeviceArguments& arguments) { call_there(function, arguments); }};
}

flow::SourceTerm::Function Functions::source_function() {
  const flow::SourceTerm::Function::OfPoints of_points = [this](std::span<const Vec3> points, double time,
                                                                std::span<const flow::Primitive> of_cells,
                                                                std::span<flow::Conserved> results) {
    if (!points.empty() && !error_) {
      const nb::gil_scoped_acquire acquired;
      const std::optional<Rows> rows = call(source_, points, time, array_of_states(of_cells));
      if (rows && copy_rows(source_, points, time, *rows, results)) return;
    }
    std::fill(results.begin(), results.end(), flow::Conserved{});
  };
  if (!on_device(source_)) return of_points;
  return {of_points, [this](const flow::DeviceArguments& arguments) { call_there(source_, arguments); }};
}

void Functions::apply(flow::Case& flow_case) {
  if (!any()) return;
  const nb::gil_scoped_acquire acquired;
  const auto expect_gpu = [&flow_case](const nb::object& function) {
    if (!on_device(function) || flow_case.device != Backend::host) return;
    throw InputError("this function was marked by on_device(), and the flow is computed on the host",
                     "choose device = \"cuda\", or pass a function of numpy arrays",
                     {.file = flow_case.file, .key = text_of(function.attr("key"))});
  };
  if (!initial_.is_none()) {
    expect_gpu(initial_);
    flow_case.initial.function = state_of(initial_);
    flow_case.function_scalars = [this] { return std::exchange(scalars_, {}); };
    nb::list names;
    for (const flow::ScalarChoice& scalar : flow_case.scalars) names.append(nb::str(scalar.name.c_str()));
    initial_.attr("scalars") = names;
  }
  for (flow::ZoneCondition& condition : flow_case.boundary) {
    const auto found = boundary_.find(condition.zone);
    if (found == boundary_.end() || !condition.prescribed) continue;
    expect_gpu(found->second.first);
    condition.prescribed->function = state_of(found->second.first);
    condition.prescribed->function_depends_on_time = found->second.second;
  }
  if (!source_.is_none()) {
    expect_gpu(source_);
    flow_case.source_function = source_function();
  }
  flow_case.take_error = [this]() -> std::optional<InputError> {
    if (!error_ || reported_) return std::nullopt;
    reported_ = true;
    return InputError(text_);
  };
}

void Functions::agree(const Communicator& comm) {
  if (!failed(comm)) return;
  try {
    agreed(comm, [&] {
      if (error_) throw InputError(text_);
    });
  } catch (const Error&) {
    if (!error_) throw;
    nb::python_error own = std::move(*error_);
    error_.reset();
    throw own;
  }
}

int Functions::traverse(visitproc visit, void* arg) const {
  Py_VISIT(initial_.ptr());
  Py_VISIT(source_.ptr());
  for (const auto& [zone, function] : boundary_) Py_VISIT(function.first.ptr());
  if (error_) Py_VISIT(error_->value().ptr());  // its traceback refers to the frames of its cause
  return 0;
}

void Functions::forget() {
  initial_ = nb::none(), source_ = nb::none();
  error_.reset();
  for (auto& [zone, function] : boundary_) function.first = nb::none();
}

}  // namespace weft::python
