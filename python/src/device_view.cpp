#include "device_view.hpp"

#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "weft/device/device.hpp"

#include "arguments.hpp"

namespace weft::python {

nb::dlpack::dtype dlpack_type(Scalar scalar) {
  switch (scalar) {
    case Scalar::float32:
      return nb::dtype<float>();
    case Scalar::int64:
      return nb::dtype<std::int64_t>();
    case Scalar::int32:
      return nb::dtype<std::int32_t>();
    case Scalar::uint8:
      return nb::dtype<std::uint8_t>();
    default:
      return nb::dtype<double>();
  }
}

namespace {

template <class Kind>
[[nodiscard]] nb::object export_as(const Block& block, nb::handle owner) {
  return nb::cast(Kind(block.data, block.dims, block.shape.data(), owner, block.strides.data(), dlpack_type(block.scalar),
                       block.device_type, block.device));
}

// Values of `stream` in DLPack and the CUDA array interface.
constexpr std::uintptr_t kLegacyDefault = 1;

/// Returns the address of a cudaStream_t; 0: the default stream.
[[nodiscard]] std::uintptr_t address_of(nb::handle stream) {
  if (stream.is_none()) return 0;
  nb::object value = nb::borrow(stream);
  if (nb::hasattr(value, "__cuda_stream__")) {
    value = value.attr("__cuda_stream__");
    if (PyCallable_Check(value.ptr()) != 0) value = value();
    value = value[1];
  } else if (nb::hasattr(value, "cuda_stream")) {
    value = value.attr("cuda_stream");  // PyTorch
  } else if (nb::hasattr(value, "ptr")) {
    value = value.attr("ptr");  // CuPy
  } else if (nb::hasattr(value, "handle")) {
    value = value.attr("handle").attr("value");  // Numba
    if (value.is_none()) return 0;
  }
  std::uintptr_t address = 0;
  if (!nb::try_cast(value, address)) {
    throw InputError("stream is not a stream",
                     "pass None, a stream of CuPy, PyTorch or Numba, or the address of a cudaStream_t as a whole number");
  }
  return address == kLegacyDefault ? 0 : address;
}

[[nodiscard]] Stream stream_at(std::uintptr_t address) {
  return Stream::of_others(reinterpret_cast<void*>(address));  // NOLINT(performance-no-int-to-ptr)
}

/// The stream of in_stream() on this thread, or null.
thread_local Stream* current_stream = nullptr;

/// A stream as other libraries take it.
class StreamHandle {
 public:
  /// Refers to the stream of this process's GPU, or to that of in_stream(), which may end before this object.
  StreamHandle()
      : lasting_(current_stream == nullptr ? &runtime_stream(Backend::cuda) : nullptr),
        address_(reinterpret_cast<std::uintptr_t>((lasting_ != nullptr ? lasting_ : current_stream)->handle())) {}
  [[nodiscard]] std::uintptr_t address() const { return address_; }
  void wait() const {
    if (lasting_ == nullptr) throw ContractError("the host waits for the stream of a task or function", "let it return");
    const nb::gil_scoped_release released;
    lasting_->wait();
  }

 private:
  Stream* lasting_;
  std::uintptr_t address_;
};

[[nodiscard]] nb::tuple shape_of(const Block& block) {
  if (block.dims == 1) return nb::make_tuple(block.shape[0]);
  return nb::make_tuple(block.shape[0], block.shape[1]);
}

[[nodiscard]] const char* type_string(Scalar scalar) {
  switch (scalar) {
    case Scalar::float32:
      return "<f4";
    case Scalar::int64:
      return "<i8";
    case Scalar::int32:
      return "<i4";
    case Scalar::uint8:
      return "|u1";
    default:
      return "<f8";
  }
}

}  // namespace

nb::object as_numpy(const Block& block, nb::handle owner) {
  using ReadOnly = nb::ndarray<nb::numpy, nb::ro>;
  return block.read_only ? export_as<ReadOnly>(block, owner) : export_as<nb::ndarray<nb::numpy>>(block, owner);
}

Stream& runtime_stream(Backend backend) {
  if (!is_cuda(backend)) return host_stream();
  choose_gpu(backend);
  static Stream& stream = *new Stream;  // never destroyed, because CUDA may be unloaded first
  return stream;
}

void in_stream(Stream& stream, const std::function<void()>& work) {
  std::optional<Stream> by_default;
  if (!stream.is_host() && !stream.capturing()) {
    by_default.emplace(stream_at(0));
    by_default->wait_for(after(stream));
  }
  Stream* const before = std::exchange(current_stream, &stream);
  std::exception_ptr error;
  try {
    work();
  } catch (...) {
    error = std::current_exception();
  }
  current_stream = before;
  if (by_default) stream.wait_for(after(*by_default));
  if (error) std::rethrow_exception(error);
}

void wait_for_theirs(Stream& ours, nb::handle theirs) {
  const std::uintptr_t address = address_of(theirs);
  if (ours.is_host() || reinterpret_cast<std::uintptr_t>(ours.handle()) == address) return;
  Stream stream = stream_at(address);
  ours.wait_for(after(stream));
}

void make_theirs_wait(Stream& ours, nb::handle theirs) {
  const std::uintptr_t address = address_of(theirs);
  if (ours.is_host() || reinterpret_cast<std::uintptr_t>(ours.handle()) == address) return;
  stream_at(address).wait_for(after(ours));
}

nb::object DeviceView::dlpack(nb::handle self, nb::handle stream, nb::handle max_version, nb::handle dl_device,
                              nb::handle copy) const {
  const bool versioned = !max_version.is_none() && nb::cast<int>(max_version[0]) >= 1;
  if (block_.read_only && !versioned) {
    throw_buffer_error("a read-only view cannot be exported by a DLPack before 1.0, which cannot say so",
                       "take a writable view, or a newer version of the library that imports it");
  }
  std::int64_t number = 0;
  const bool no_wait = nb::try_cast(stream, number) && number == -1;
  if (!no_wait && order_ == Order::by_consumer && stream_ != nullptr) make_theirs_wait(*stream_, stream);
  using ReadOnly = nb::ndarray<nb::array_api, nb::ro>;
  const nb::object exported =
      block_.read_only ? export_as<ReadOnly>(block_, self) : export_as<nb::ndarray<nb::array_api>>(block_, self);
  return exported.attr("__dlpack__")(nb::arg("max_version") = max_version, nb::arg("dl_device") = dl_device,
                                     nb::arg("copy") = copy);
}

nb::dict DeviceView::cuda_array_interface() const {
  if (stream_ == nullptr) {
    throw nb::attribute_error("the view is not of memory that a GPU accesses, so it has no __cuda_array_interface__");
  }
  const auto bytes = static_cast<std::int64_t>(dlpack_type(block_.scalar).bits / 8);
  nb::dict result;
  result["shape"] = shape_of(block_);
  result["typestr"] = type_string(block_.scalar);
  result["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(block_.data), block_.read_only);
  result["strides"] = block_.dims == 1 ? nb::make_tuple(block_.strides[0] * bytes)
                                       : nb::make_tuple(block_.strides[0] * bytes, block_.strides[1] * bytes);
  result["version"] = 3;
  result["stream"] = nb::none();
  if (order_ == Order::by_consumer) result["stream"] = reinterpret_cast<std::uintptr_t>(stream_->handle());
  return result;
}

nb::object field_on_device(const flow::DeviceRows& rows, std::size_t cells, const std::string& name, bool read_only,
                           nb::handle owner) {
  static constexpr std::size_t kConserved = 4;  // the first are of the conserved variables
  static constexpr Columns kColumns[] = {{"conserved", 0, 5}, {"density", 0, 1},  {"momentum", 1, 3},
                                         {"energy", 4, 1},    {"velocity", 1, 3}, {"pressure", 4, 1}};
  std::vector<std::string_view> names;
  for (const Columns& columns : kColumns) names.push_back(columns.name);
  const std::size_t number = detail::index_of_name(name, names, "field on the device", {.key = "field"});
  const Columns& columns = kColumns[number];
  const bool conserved = number < kConserved;
  if (rows.stream == nullptr) {
    throw DeviceError("the flow is computed on the host, so it has no fields on a device",
                      "take sim[name] and sim.conserved, or choose a GPU with device=\"cuda\"");
  }
  const bool single = conserved ? rows.conserved_in_single : rows.primitive_in_single;
  const auto* const first = static_cast<const std::byte*>(conserved ? rows.conserved : rows.primitive);
  constexpr std::size_t kVars = flow::Stepper::kVars;
  Block block;
  block.data = const_cast<std::byte*>(first) + columns.first * (single ? sizeof(float) : sizeof(double));
  block.dims = columns.count == 1 ? 1 : 2;
  block.shape = {cells, columns.count};
  block.strides = {kVars, 1};
  block.read_only = read_only;
  block.scalar = single ? Scalar::float32 : Scalar::float64;
  block.device_type = nb::device::cuda::value;
  block.device = rows.stream->device();
  return nb::cast(DeviceView(block, nb::borrow(owner), rows.stream, Order::by_consumer));
}

namespace {

[[nodiscard]] nb::object view_of_table(const double* table, std::size_t rows, std::size_t width, const Columns& columns,
                                       nb::handle owner) {
  Stream& stream = runtime_stream(Backend::cuda);
  Block block;
  block.data = const_cast<double*>(table) + columns.first;
  block.dims = columns.count == 1 ? 1 : 2;
  block.shape = {rows, columns.count};
  block.strides = {static_cast<std::int64_t>(width), 1};
  block.read_only = false;  // PyTorch imports no read-only memory
  block.device_type = nb::device::cuda::value;
  block.device = stream.device();
  return nb::cast(DeviceView(block, nb::borrow(owner), &stream, Order::by_caller));
}

}  // namespace

nb::dict columns_on_device(const double* table, std::size_t rows, std::span<const Columns> columns, nb::handle owner) {
  nb::dict views;
  for (const Columns& each : columns) {
    views[nb::str(each.name.data(), each.name.size())] = view_of_table(table, rows, flow::Stepper::kVars, each, owner);
  }
  return views;
}

nb::object points_on_device(const Vec3* points, std::size_t rows, nb::handle owner) {
  static_assert(sizeof(Vec3) == 3 * sizeof(double));
  return view_of_table(&points->x, rows, 3, {"x", 0, 3}, owner);
}

void throw_buffer_error(const std::string& problem, const std::string& suggestion) {
  const nb::object type = nb::module_::import_("weft.errors").attr("BufferError");
  nb::object error = type(problem + "; " + suggestion);
  error.attr("problem") = problem;
  error.attr("suggestion") = suggestion;
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

void bind_device_view(nb::module_& module) {
  nb::class_<StreamHandle>(
      module, "Stream",
      "A stream of a GPU in which Weft works. CuPy takes it as cupy.cuda.ExternalStream(stream.ptr), PyTorch\n"
      "as torch.cuda.ExternalStream(stream.ptr), Numba as numba.cuda.external_stream(stream.ptr).")
      .def_prop_ro("ptr", &StreamHandle::address, "The address of the cudaStream_t; 0 in a task on the mirror.")
      .def(
          "__cuda_stream__", [](const StreamHandle& s) { return nb::make_tuple(0, s.address()); },
          "Returns (version, address) of the CUDA stream protocol.")
      .def("wait", &StreamHandle::wait,
           "Returns when the work in the stream has completed. Raises DeviceError for its errors, ContractError for the stream "
           "of\n"
           "a task.")
      .def("__repr__", [](const StreamHandle& s) { return nb::str("weft.Stream({:#x})").format(s.address()); });
  module.def("stream", [] { return StreamHandle(); });

  nb::class_<DeviceView>(module, "DeviceView",
                         "A view of rows in the memory of a device, without a copy, for CuPy, PyTorch, Numba, JAX and others:\n"
                         "cupy.asarray(view), torch.from_dlpack(view). It keeps its owner alive. The importing stream waits\n"
                         "for the work of Weft on the rows.")
      .def_prop_ro(
          "shape", [](const DeviceView& v) { return shape_of(v.block()); }, "Shape: (rows,) or (rows, entries per row).")
      .def_prop_ro(
          "dtype", [](const DeviceView& v) { return name_in(kScalars, v.block().scalar); }, "Name of the element type.")
      .def_prop_ro(
          "readonly", [](const DeviceView& v) { return v.block().read_only; }, "Whether the rows may only be read.")
      .def_prop_ro(
          "ptr", [](const DeviceView& v) { return reinterpret_cast<std::uintptr_t>(v.block().data); },
          "Address of the first element.")
      .def_prop_ro("__cuda_array_interface__", &DeviceView::cuda_array_interface,
                   "Version 3 of the CUDA array interface, with the stream that the consumer waits for.")
      .def(
          "__dlpack__",
          [](nb::handle self, nb::handle stream, nb::handle max_version, nb::handle dl_device, nb::handle copy) {
            return nb::cast<const DeviceView&>(self).dlpack(self, stream, max_version, dl_device, copy);
          },
          nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("max_version") = nb::none(), nb::arg("dl_device") = nb::none(),
          nb::arg("copy") = nb::none(),
          "Exports the rows by DLPack. `stream` waits for the work of Weft; -1: no stream waits. Raises BufferError for a copy,\n"
          "another device, or a read-only view where the consumer does not know these.")
      .def(
          "__dlpack_device__", [](const DeviceView& v) { return nb::make_tuple(v.block().device_type, v.block().device); },
          "Returns (kind, number) of the device.")
      .def("__repr__", [](const DeviceView& v) {
        return nb::str("weft.DeviceView(shape={}, dtype={}, readonly={})")
            .format(shape_of(v.block()), name_in(kScalars, v.block().scalar), v.block().read_only);
      });
}

}  // namespace weft::python
