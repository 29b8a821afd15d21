#include "make_array.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <vector>

#include "weft/comm/agreement.hpp"
#include "weft/device/device.hpp"

#include "arguments.hpp"
#include "bindings.hpp"

namespace weft::python {

namespace {

/// Returns the memory of an object with __cuda_array_interface__.
[[nodiscard]] Imported import_cuda_array(nb::handle source) {
  const nb::object interface = source.attr("__cuda_array_interface__");
  const nb::object stream = interface.attr("get")("stream");
  if (!stream.is_none()) wait_for_theirs(runtime_stream(Backend::cuda), stream);
  const nb::object shape = interface["shape"], strides = interface.attr("get")("strides");
  const nb::dlpack::dtype type = dlpack_type(scalar_of(interface["typestr"]));
  std::vector<std::size_t> extent;
  std::vector<std::int64_t> steps;
  for (std::size_t i = 0; i < nb::len(shape); ++i) {
    extent.push_back(nb::cast<std::size_t>(shape[i]));
    if (!strides.is_none()) steps.push_back(nb::cast<std::int64_t>(strides[i]) * 8 / type.bits);
  }
  if (nb::cast<bool>(interface["data"][1])) throw InputError("the memory is read-only", "pass a copy that can be written");
  void* const data =
      reinterpret_cast<void*>(nb::cast<std::uintptr_t>(interface["data"][0]));  // NOLINT(performance-no-int-to-ptr)
  return Imported(data, extent.size(), extent.data(), source, steps.empty() ? nullptr : steps.data(), type,
                  nb::device::cuda::value, current_device());
}

/// Imports an object by DLPack, otherwise by the CUDA array interface. Work of the producer precedes later work of
/// runtime_stream().
[[nodiscard]] Imported import_array(nb::handle source) {
  if (!nb::hasattr(source, "__dlpack__")) {
    if (nb::hasattr(source, "__cuda_array_interface__")) return import_cuda_array(source);
    throw InputError(fmt::format("{} has neither __dlpack__ nor __cuda_array_interface__", text_of(source.type())),
                     "pass an array of numpy, CuPy, PyTorch or another library with DLPack");
  }
  try {
    const nb::object device = source.attr("__dlpack_device__")();
    const auto kind = nb::cast<int>(nb::int_(nb::object(device[0])));
    nb::dict arguments;
    if (kind == nb::device::cuda::value || kind == nb::device::cuda_managed::value) {
      arguments["stream"] = reinterpret_cast<std::uintptr_t>(runtime_stream(Backend::cuda).handle());
    }
    const nb::object capsule = source.attr("__dlpack__")(**arguments);
    return nb::cast<Imported>(capsule);
  } catch (const nb::python_error& error) {
    throw InputError(fmt::format("the array cannot be imported by DLPack: {}", text_of(error.value())),
                     "pass an array that can be written, with elements in the byte order of this machine");
  }
}

/// Returns the form of an imported array. @throws InputError for other elements, dimensions or strides.
[[nodiscard]] ArrayForm form_of(const Imported& imported) {
  ArrayForm form;
  const nb::dlpack::dtype type = imported.dtype();
  const auto* const row = std::find_if(kScalars.rows.begin(), kScalars.rows.end(),
                                       [&](const auto& candidate) { return dlpack_type(candidate.value) == type; });
  if (row == kScalars.rows.end()) {
    throw InputError(fmt::format("elements of {} bits of kind {} of DLPack are not among those of arrays", type.bits, type.code),
                     "use float64, float32, int64, int32 or uint8");
  }
  form.scalar = row->value;
  if (imported.ndim() != 1 && imported.ndim() != 2) {
    throw InputError(fmt::format("an array of {} dimensions has no rows and columns", imported.ndim()),
                     "pass (rows,) or (rows, width)");
  }
  const auto rows = static_cast<std::int64_t>(imported.shape(0));
  const std::int64_t width = imported.ndim() == 2 ? static_cast<std::int64_t>(imported.shape(1)) : 1;
  const std::int64_t row_step = imported.stride(0), step = imported.ndim() == 2 ? imported.stride(1) : 1;
  form.width = static_cast<int>(width);
  const bool by_rows = (rows <= 1 || row_step == width) && (width <= 1 || step == 1);
  const bool by_columns = (rows <= 1 || row_step == 1) && (width <= 1 || step == rows);
  if (!by_rows && !by_columns) {
    throw InputError("the array is not contiguous", "pass numpy.ascontiguousarray(x), or what the other library calls it");
  }
  form.layout = by_rows ? Layout::aos : Layout::soa;
  return form;
}

/// Returns a number of entries per row. @param name  of the argument.
[[nodiscard]] int checked_width(std::int64_t width, const char* name) {
  constexpr int kMost = std::numeric_limits<int>::max();
  if (width < 0 || width > kMost) {
    throw InputError(fmt::format("rows cannot have {}={} entries", name, width),
                     fmt::format("pass a number from 0 to {}", kMost));
  }
  return static_cast<int>(width);
}

/// Calls `allocate` and returns its result. @throws nb::python_error with MemoryError where memory of this size is exhausted.
template <class Allocate>
auto allocating(std::int64_t rows, const ArrayForm& form, const Allocate& allocate) {
  const double bytes = static_cast<double>(rows) * form.width * (dlpack_type(form.scalar).bits / 8);
  try {
    if (bytes > static_cast<double>(std::numeric_limits<std::ptrdiff_t>::max())) throw std::bad_alloc();
    return allocate();
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError, fmt::format("an array of {} rows of {} entries of type {} takes {:.0f} bytes of memory, "
                                                   "which cannot be allocated; pass a smaller width, or use more ranks",
                                                   rows, form.width, name_in(kScalars, form.scalar), bytes)
                                           .c_str());
    throw nb::python_error();
  }
}

}  // namespace

PyArray make(const PyGhostPlan& plan, nb::handle dtype, std::optional<std::int64_t> width, std::optional<std::int64_t> most,
             const std::string& kind, const std::string& layout, const std::string& backend, const std::string& first,
             std::int64_t boundary, const std::string& name) {
  ArrayForm form;
  form.scalar = scalar_of(dtype);
  form.layout = named(kLayouts, layout);
  form.backend = named(kBackends, backend);
  form.first = named(kSides, first);
  form.rows = most ? Rows::padded : Rows::fixed;
  if (!kind.empty()) form.rows = named(kRows, kind);
  form.width = most ? checked_width(*most, "max") : checked_width(width.value_or(1), "width");
  if (width && most) throw InputError("an array has a width or a maximum, not both", "pass width=... or max=...");
  if (form.rows == Rows::padded && !most) throw InputError("rows of kind \"max\" need their maximum", "pass max=...");
  if (form.rows != Rows::padded && most) throw InputError(fmt::format("rows of kind \"{}\" have no maximum", kind), "omit max");
  if (form.rows == Rows::csr && width) throw InputError("CSR rows have no width", "omit width");
  if (form.first == Side::device && (form.rows != Rows::fixed || form.backend == Backend::host)) {
    throw InputError("only rows of equal width of a backend with a device can be created on the device side",
                     "omit first=\"device\"");
  }
  choose_gpu(form.backend);
  const IndexSpace space(plan.plan, boundary);
  auto array = allocating(space.rows(), form, [&] { return make_array(space, form); });
  if (!name.empty()) array->set_name(name);
  return {std::move(array), form.rows == Rows::fixed && !width};
}

PyArray from_dlpack(nb::handle source, const std::optional<PyGhostPlan>& plan, nb::handle comm, const std::string& backend,
                    const std::string& side) {
  Imported imported;
  ArrayForm form;
  std::string problem, suggestion;
  try {
    imported = import_array(source);
    form = form_of(imported);
  } catch (const InputError& error) {
    if (plan) throw;
    problem = error.problem();
    suggestion = error.suggestion();
  }
  if (!plan) {
    const Communicator ranks = communicator_of(comm);
    const Computing computing;
    agree_on(ranks, problem, suggestion);
  }
  const bool flat = imported.ndim() == 1;
  const auto rows = static_cast<std::int64_t>(imported.shape(0));
  GhostPlan space;
  if (plan) {
    space = plan->plan;
  } else {
    const Communicator ranks = communicator_of(comm);
    const Computing computing;
    space = GhostPlan::build(ranks, checked_local(rows, "rows of an array"), std::span<const GlobalRow>());
  }
  if (rows != space.rows()) {
    throw InputError(fmt::format("the array has {} rows; the plan has {} owned and {} ghost rows", rows, space.owned_rows(),
                                 space.ghost_rows()),
                     "pass all rows of the plan");
  }
  form.backend = named(kBackends, backend);
  const Side wanted = named(kSides, side);
  const std::size_t bytes = imported.size() * static_cast<std::size_t>(dlpack_type(form.scalar).bits / 8);
  const bool on_host = imported.device_type() == nb::device::cpu::value || imported.device_type() == nb::device::cuda_host::value;
  if (on_host && wanted == Side::device && form.backend != Backend::mirror) {
    throw InputError("memory of the host is the device side of a mirror only", "omit side, or pass backend=\"mirror\"");
  }
  if (!on_host) form.backend = Backend::cuda;
  choose_gpu(form.backend);
  if (!on_host && imported.device_id() != current_device()) {
    throw InputError(fmt::format("the array is on GPU {}; this process works on GPU {}", imported.device_id(), current_device()),
                     "copy it to that GPU");
  }
  if (bytes == 0) return {make_array(space, form), flat};
  if (on_host && wanted == Side::host) {
    RegisteredMemory memory{std::span(static_cast<std::byte*>(imported.data()), bytes)};
    auto array = wrap_memory(space, form, memory);
    return {std::move(array), flat, std::move(memory), imported};
  }
  return {wrap_device_memory(space, form, imported.data()), flat, std::nullopt, imported};
}

PyArray csr(const PyGhostPlan& plan, nb::handle offsets, nb::handle values, nb::handle dtype, const std::string& backend) {
  const Communicator& comm = plan.plan.comm();
  std::string problem;
  Scalar scalar{};
  Backend memory{};
  nb::object list;
  const std::vector<std::int64_t> starts = integers(offsets, "offsets", problem);
  try {
    const nb::object numpy = nb::module_::import_("numpy");
    list = numpy.attr("ascontiguousarray")(values);
    scalar = scalar_of(dtype.is_none() ? nb::object(list.attr("dtype")) : nb::borrow(dtype));
    list = numpy.attr("ascontiguousarray")(list, name_in(kScalars, scalar));
    memory = named(kBackends, backend);
    const auto count = nb::cast<std::int64_t>(list.attr("size"));
    if (problem.empty() && (starts.empty() || starts.back() != count)) {
      problem = fmt::format("the last offset is {}, and there are {} values", starts.empty() ? -1 : starts.back(), count);
    }
  } catch (const nb::python_error& error) {
    problem = text_of(error.value());
  } catch (const Error& error) {
    problem = error.problem();
  }
  const auto values_of = [&]() -> const void* { return problem.empty() ? nb::cast<nb::ndarray<nb::ro>>(list).data() : nullptr; };
  const void* const entries = values_of();
  const Computing computing;
  agree_on(comm, problem, "row i is values[offsets[i]:offsets[i + 1]]; pass an offset more than rows");
  agreed(comm, [&] { choose_gpu(memory); });
  return {make_csr(plan.plan, scalar, starts, entries, memory), false};
}

void resize_width(PyArray& array, std::int64_t width) {
  ArrayForm form = array.any().form();
  if (form.rows != Rows::csr) form.width = checked_width(width, "width");
  allocating(array.any().space().rows(), form, [&] { array.resize_width(form.width); });
}

void resize(PyArray& array, std::int64_t rows) {
  array.expect_changeable_everywhere("resize()");
  const UseOf use(array, "resize");
  const Computing computing;
  const AnyArray& old = array.any();
  const Communicator comm = array.comm();
  agreed(comm, [&] {
    if (array.borrowed()) throw ContractError("memory of others cannot be resized", "clone() the array first");
    if (old.space().rows() != old.space().owned_rows()) {
      throw ContractError("resize() of an array with ghost rows", "create an array of another plan");
    }
    if (rows < 0) throw InputError(fmt::format("an array of {} rows", rows), "pass a number of at least 0");
  });
  const auto count = static_cast<std::int32_t>(agreed(comm, [&] { return checked_local(rows, "rows of an array"); }));
  const GhostPlan plan = GhostPlan::build(comm, count, std::span<const GlobalRow>());
  array.replace(agreed(comm, [&] { return old.resized(plan); }));
}

}  // namespace weft::python
