// The class weft.Array and the functions of its files.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "array_files.hpp"
#include "bindings.hpp"
#include "make_array.hpp"

namespace weft::python {
namespace {

constexpr const char* kDoc =
    "Rows of numbers on the ranks of a plan: owned rows, then ghost rows (copies of rows of other ranks, which an Exchange\n"
    "updates), then boundary rows of this rank alone. The element type and the layout are chosen at run time.\n\n"
    "plan: a weft.GhostPlan, such as mesh.plan\n"
    "dtype: float64, float32, int64, int32 or uint8, as numpy.dtype takes it\n"
    "width: entries per row; without it the rows are numbers, shape (rows,) instead of (rows, width)\n"
    "max: rows of up to this number of entries, padded; their sizes are row_sizes\n"
    "kind: \"fixed\", \"max\" or \"csr\", where width and max do not say so; Array.csr creates CSR rows from values\n"
    "layout: \"aos\" (rows contiguous) or \"soa\" (columns contiguous)\n"
    "backend: \"host\", or a kind of memory with a device side: \"cuda\", \"cuda_managed\", \"cuda_mapped\", \"mirror\" (host\n"
    "    memory that behaves as a device, for tests)\n"
    "first: \"host\", or \"device\": memory on the device only, until the host is accessed\n"
    "boundary: number of boundary rows\n"
    "name: for error messages\n\n"
    "Entries are 0, padded and CSR rows empty. Not collective.\n\n"
    "Views (owned, ghosts, all, view(), device()) are numpy arrays and DeviceViews of the array's memory: nothing is copied.\n"
    "The array knows which side is up to date: a writable view marks its rows as written on its side, when it is taken; a\n"
    "view of a side on which rows are out of date raises DeviceError, until to_host() or to_device() copies them. While views\n"
    "exist, the array can be neither resized nor closed (BufferError).\n\n"
    "memoryview(a), and whatever else takes the buffer protocol, is a writable view of all rows of an array without a device\n"
    "side. It raises BufferError for other arrays, for CSR rows and while an exchange is in flight.\n\n"
    "Raises InputError for wrong arguments, DeviceError without a GPU, MemoryError with the bytes that cannot be allocated.";

[[nodiscard]] std::string describe_rows(const AnyArray& array) {
  const ArrayForm form = array.form();
  const std::string width =
      form.rows == Rows::csr ? "" : fmt::format(", {}={}", form.rows == Rows::padded ? "max" : "width", form.width);
  return fmt::format("{}, {}{}, {}, owned={}, ghosts={}", name_in(kScalars, form.scalar), name_in(kRows, form.rows), width,
                     name_in(kBackends, form.backend), array.space().owned_rows(), array.space().ghost_rows());
}

[[nodiscard]] nb::object default_view(nb::handle self) {
  auto& array = nb::cast<PyArray&>(self);
  const bool has_device = array.any().form().backend != Backend::host;
  nb::object view = array.view(self, "all", has_device ? Side::device : Side::host, std::nullopt);
  if (array.any().form().rows == Rows::csr) {
    throw nb::type_error("CSR rows are two arrays; export offsets and values of view() one by one");
  }
  return view;
}

/// Returns the numpy view of all rows for the buffer protocol. @throws weft.BufferError.
[[nodiscard]] nb::object view_for_buffer(nb::handle self) {
  if (!nb::inst_ready(self)) throw_buffer_error("the constructor of the array was not called", "create it with weft.Array(plan)");
  auto& array = *nb::inst_ptr<PyArray>(self);
  try {
    const ArrayForm form = array.any().form();
    if (form.backend != Backend::host) {
      throw_buffer_error("the array has a device side, which the buffer protocol cannot export",
                         "export the host side, a.view(), or the device side with DLPack, a.device()");
    }
    if (form.rows == Rows::csr) throw_buffer_error("CSR rows are two arrays", "export offsets and values of a.view() one by one");
    return array.view(self, "all", Side::host, std::nullopt);
  } catch (const Error& error) {
    throw_buffer_error(error.problem(), error.suggestion());
  }
}

/// The slot Py_bf_getbuffer. It redirects the request to the numpy view of all rows, which becomes the exporter (buffer->obj), so
/// that the array counts a view until the buffer is released.
int get_buffer(PyObject* self, Py_buffer* buffer, int flags) noexcept {
  buffer->obj = nullptr;
  try {
    const nb::object view = view_for_buffer(self);
    if (PyObject_GetBuffer(view.ptr(), buffer, flags) == 0) return 0;
    PyErr_Clear();  // numpy raises ValueError
    throw_buffer_error("the rows are not contiguous in the order that is asked for",
                       "create the array with layout=\"aos\", or copy the rows with numpy.ascontiguousarray(a.all)");
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_BufferError, error.what());
  }
  return -1;
}

void bind_making(nb::class_<PyArray>& type) {
  type.def(
          "__init__",
          [](PyArray* self, const PyGhostPlan& plan, nb::handle dtype, std::optional<std::int64_t> width,
             std::optional<std::int64_t> most, const std::string& kind, const std::string& layout, const std::string& backend,
             const std::string& first, std::int64_t boundary, const std::string& name) {
            new (self) PyArray(make(plan, dtype, width, most, kind, layout, backend, first, boundary, name));
          },
          nb::arg("plan"), nb::arg("dtype") = "float64", nb::kw_only(), nb::arg("width") = nb::none(),
          nb::arg("max") = nb::none(), nb::arg("kind") = "", nb::arg("layout") = "aos", nb::arg("backend") = "host",
          nb::arg("first") = "host", nb::arg("boundary") = 0, nb::arg("name") = "")
      .def_static(
          "csr", &csr, nb::arg("plan"), nb::arg("offsets"), nb::arg("values"), nb::arg("dtype") = nb::none(),
          nb::arg("backend") = "host",
          "Creates CSR rows: owned row i is values[offsets[i]:offsets[i + 1]], copied. Ghost rows get the lengths and values\n"
          "of their owners. Collective.\n\nRaises InputError or ContractError on every rank for offsets that do not fit.")
      .def_static(
          "from_dlpack", &from_dlpack, nb::arg("source"), nb::arg("plan") = nb::none(), nb::arg("comm") = nb::none(),
          nb::arg("backend") = "host", nb::arg("side") = "host",
          "Returns an array of the rows of a numpy array, a tensor, or another object with __dlpack__ or\n"
          "__cuda_array_interface__, shape (rows,) or (rows, width), in the same memory, which the array keeps alive. Memory of "
          "a\n"
          "GPU becomes the device side; work of Weft on it follows that of the producer's stream.\n\n"
          "plan: the rows are its owned and ghost rows; without it they are the owned rows of this rank, and the call is\n"
          "    collective over `comm`\n"
          "backend: as of Array, for memory of the host\n"
          "side: \"device\" for memory of the host that becomes the device side of a mirror\n\n"
          "Raises InputError for other element types, read-only or non-contiguous memory, and another byte order;\n"
          "ContractError for memory that an array wraps already. Without a plan, what one rank cannot import is an error on "
          "every\n"
          "rank.")
      .def(
          "clone",
          [](const PyArray& a) {
            a.expect_idle("clone");
            return PyArray(a.any().clone(), a.flat());
          },
          "Returns a copy on the same plan. Raises DeviceError if the host side is out of date.");
}

void bind_views(nb::class_<PyArray>& type) {
  type.def(
          "view",
          [](nb::handle self, const std::string& rows, const std::string& side, bool writable) {
            return nb::cast<PyArray&>(self).view(self, rows, named(kSides, side), writable);
          },
          nb::arg("rows") = "all", nb::arg("side") = "host", nb::arg("writable") = false,
          "Returns a view of rows: \"all\", \"owned\", \"ghosts\" or \"boundary\", on the \"host\" (numpy) or the \"device\"\n"
          "(DeviceView); of CSR rows (offsets, values). Read-only by default, which marks nothing as written.\n\n"
          "Raises DeviceError if a row is out of date on this side; ContractError while an exchange in flight forbids it.")
      .def(
          "device",
          [](nb::handle self, const std::string& rows, bool writable) {
            return nb::cast<PyArray&>(self).view(self, rows, Side::device, writable);
          },
          nb::arg("rows") = "all", nb::arg("writable") = true, "Returns a DeviceView of rows: view(rows, \"device\", writable).")
      .def_prop_ro(
          "owned", [](nb::handle self) { return nb::cast<PyArray&>(self).view(self, "owned", Side::host, std::nullopt); },
          "The owned rows on the host, a writable numpy view; read-only while a pull is in flight.")
      .def_prop_ro(
          "ghosts", [](nb::handle self) { return nb::cast<PyArray&>(self).view(self, "ghosts", Side::host, std::nullopt); },
          "The ghost rows on the host, a writable numpy view; read-only while a push is in flight.")
      .def_prop_ro(
          "all", [](nb::handle self) { return nb::cast<PyArray&>(self).view(self, "all", Side::host, std::nullopt); },
          "All rows on the host, a writable numpy view.")
      .def_prop_ro(
          "row_sizes", [](nb::handle self) { return nb::cast<PyArray&>(self).row_sizes(self); },
          "Sizes of the rows of kind \"max\", shape (rows,), read-only; set_row_sizes() changes them.")
      .def(
          "__array__",
          [](nb::handle self, nb::handle dtype, nb::handle copy) {
            const nb::object rows = nb::cast<PyArray&>(self).view(self, "all", Side::host, std::nullopt);
            if (nb::isinstance<nb::tuple>(rows)) throw nb::type_error("CSR rows are two arrays: offsets, values = a.all");
            if (dtype.is_none() && copy.is_none()) return rows;
            nb::dict arguments;
            arguments["dtype"] = dtype;
            if (!copy.is_none()) arguments["copy"] = copy;
            return nb::object(nb::module_::import_("numpy").attr(copy.is_none() ? "asarray" : "array")(rows, **arguments));
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(), "Returns all rows on the host, for numpy.asarray().")
      .def(
          "__dlpack__",
          [](nb::handle self, const nb::kwargs& arguments) {
            const nb::object view = default_view(self);
            if (!nb::isinstance<DeviceView>(view)) {
              nb::dict rest;
              for (const auto& [name, value] : arguments) {
                if (nb::cast<std::string>(name) != "stream") rest[name] = value;
              }
              return nb::object(view.attr("__dlpack__")(**rest));
            }
            return nb::object(view.attr("__dlpack__")(**arguments));
          },
          "Exports all rows, on the device where the array has one, otherwise on the host: see DeviceView.")
      .def(
          "__dlpack_device__",
          [](nb::handle self) {
            const auto& array = nb::cast<const PyArray&>(self);
            return array.dlpack_device();
          },
          "Returns (kind, number) of the device of __dlpack__().");
}

void bind_copies(nb::class_<PyArray>& type) {
  type.def(
          "to_device", [](PyArray& a, nb::handle stream) { a.bring(Side::device, stream); }, nb::arg("stream") = nb::none(),
          "Starts copying the rows that are out of date on the device to it, after the work in `stream`; later work in `stream`\n"
          "finds them there.\n\n"
          "stream: None (the default stream of CUDA), a stream of weft, CuPy, PyTorch or Numba, or the address of a\n"
          "    cudaStream_t\n\nRaises DeviceError where some owned (ghost, boundary) rows are out of date on each side.")
      .def(
          "to_host", [](PyArray& a, nb::handle stream) { a.bring(Side::host, stream); }, nb::arg("stream") = nb::none(),
          "Starts copying the rows that are out of date on the host to it, after the work in `stream`; the next view on the "
          "host\n"
          "waits for it.\n\nstream, errors: as of to_device()")
      .def(
          "fresh", [](const PyArray& a, const std::string& side) { return a.any().fresh(named(kSides, side)); }, nb::arg("side"),
          "Returns whether all rows are up to date on a side, \"host\" or \"device\".");
}

void bind_changes(nb::class_<PyArray>& type) {
  type.def("set_row_sizes", &PyArray::set_row_sizes, nb::arg("sizes"),
           "Sets the sizes of the owned rows, or of all rows, of kind \"max\". Entries remain where they are.\n\n"
           "Raises InputError for a size below 0 or above the maximum.")
      .def("resize", &resize, nb::arg("rows"),
           "Changes the number of rows of this rank of an array without ghost rows; new rows are 0 or empty. Collective.\n\n"
           "Raises BufferError on every rank while views exist, ContractError for an array with ghost rows or in an Exchange.")
      .def("resize_width", &resize_width, nb::arg("width"),
           "Changes the entries per row, or their maximum. Raises BufferError while views exist.")
      .def(
          "assign",
          [](PyArray& a, nb::handle offsets, nb::handle values) {
            a.expect_changeable_everywhere("assign()");
            const UseOf use(a, "assign()");
            const ArrayForm form = a.any().form();
            if (form.rows != Rows::csr) throw ContractError("assign() of rows that are not CSR", "write to a view");
            PyArray other = csr({a.any().space().plan(), 0}, offsets, values, nb::str(name_in(kScalars, form.scalar).c_str()),
                                name_in(kBackends, form.backend));
            a.replace(other.take());
          },
          nb::arg("offsets"), nb::arg("values"),
          "Replaces the owned CSR rows, as Array.csr(). Collective. Raises BufferError on every rank while views exist.")
      .def(
          "write",
          [](nb::handle self, nb::handle path, const std::string& name) {
            nb::dict arrays;
            arrays[nb::str(name.c_str())] = self;
            write_arrays(text_of(nb::module_::import_("os").attr("fspath")(path)), arrays);
          },
          nb::arg("path"), nb::arg("name") = "array",
          "Writes the owned rows of all ranks to a new HDF5 file, as write_arrays(). Collective.")
      .def("close", &PyArray::close, "Frees the memory. Raises BufferError while views exist, ContractError in an Exchange.");
}

void bind_properties(nb::class_<PyArray>& type) {
  type.def_prop_ro("closed", &PyArray::closed, "Whether close() was called.")
      .def_prop_ro("views", &PyArray::views, "Number of views that exist.")
      .def_prop_ro(
          "plan",
          [](const PyArray& a) {
            return PyGhostPlan{a.any().space().plan(), 0};
          },
          "The plan of the rows.")
      .def_prop_ro(
          "dtype",
          [](const PyArray& a) { return nb::module_::import_("numpy").attr("dtype")(name_in(kScalars, a.any().form().scalar)); },
          "The element type, a numpy.dtype.")
      .def_prop_ro(
          "kind", [](const PyArray& a) { return name_in(kRows, a.any().form().rows); }, "\"fixed\", \"max\" or \"csr\".")
      .def_prop_ro(
          "layout", [](const PyArray& a) { return name_in(kLayouts, a.any().form().layout); }, "\"aos\" or \"soa\".")
      .def_prop_ro(
          "backend", [](const PyArray& a) { return name_in(kBackends, a.any().form().backend); }, "Kind of memory.")
      .def_prop_ro(
          "width", [](const PyArray& a) { return a.any().form().width; }, "Entries per row, or their maximum; 0 for CSR.")
      .def("__len__", [](const PyArray& a) { return a.any().space().rows(); })
      .def("__repr__", [](const PyArray& a) {
        return a.closed() ? std::string("<weft.Array: closed>") : fmt::format("<weft.Array: {}>", describe_rows(a.any()));
      });
}

}  // namespace

void bind_array(nb::module_& module) {
  PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(&get_buffer)}, {0, nullptr}};
  nb::class_<PyArray> type(module, "Array", nb::type_slots(slots), kDoc);
  bind_making(type);
  bind_views(type);
  bind_copies(type);
  bind_changes(type);
  bind_properties(type);
  module.def("write_arrays", [](const std::string& path, const nb::kwargs& arrays) { write_arrays(path, nb::dict(arrays)); });
  module.def("read_array", &read, nb::arg("path"), nb::arg("name"), nb::arg("plan") = nb::none(), nb::arg("comm") = nb::none(),
             nb::arg("padded") = false, nb::arg("layout") = "aos", nb::arg("backend") = "host");
}

}  // namespace weft::python
