// Calls of the functions of tasks.
#include "task_bodies.hpp"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <utility>

#include "device_view.hpp"

namespace weft::python {
namespace {

[[nodiscard]] std::uintptr_t address_of(Stream& stream) { return reinterpret_cast<std::uintptr_t>(stream.handle()); }

[[nodiscard]] nb::object slice_of(task::Rows rows) {
  const nb::int_ first(rows.first().value()), last(rows.last().value());
  return nb::steal(PySlice_New(first.ptr(), last.ptr(), nullptr));
}

/// Returns the argument of an I/O task for one of its accesses. @param owner  keeps the snapshot alive.
[[nodiscard]] nb::object argument_of(const task::Snapshot& snapshot, const SnapshotForm& form, nb::handle owner) {
  if (form.is_number) return nb::float_(snapshot.entries<double>(form.data)[0]);
  const std::span<const std::byte> bytes = snapshot.entries<std::byte>(form.data);
  const std::size_t entries = bytes.size() / (dlpack_type(form.scalar).bits / 8U);
  Block block;
  block.data = const_cast<std::byte*>(bytes.data());  // read-only in Python
  block.scalar = form.scalar;
  block.dims = form.flat ? 1 : 2;
  block.shape = {form.width == 0 ? 0 : entries / form.width, form.width};
  block.strides = {static_cast<std::int64_t>(form.width), 1};
  if (form.offsets.empty()) return as_numpy(block, owner);
  block.dims = 1;
  block.shape = {entries, 1};
  block.strides = {1, 1};
  return nb::make_tuple(array_of(form.offsets), as_numpy(block, owner));
}

}  // namespace

std::string text_of(const nb::python_error& error) {
  auto type = nb::cast<std::string>(error.type().attr("__name__"));
  try {
    return fmt::format("{}: {}", type, nb::cast<std::string>(nb::str(error.value())));
  } catch (const std::exception&) {  // thrown by __str__ or the conversion to UTF-8
    return type;
  }
}

void Bodies::guarded(const std::function<void()>& call_python) {
  const nb::gil_scoped_acquire acquired;
  const InTask in_task;
  try {
    call_python();
    if (PyErr_Occurred() != nullptr) nb::raise_python_error();
  } catch (nb::python_error& error) {
    const std::string text = text_of(error);
    if (!cause) cause.emplace(std::move(error));
    throw ContractError(text);
  }
}

void Bodies::call(std::size_t task) {
  guarded([&] { functions[task](); });
}

void Bodies::call(std::size_t task, task::Rows rows) {
  guarded([&] { functions[task](slice_of(rows)); });
}

void Bodies::call(std::size_t task, Stream& stream) {
  guarded([&] { in_stream(stream, [&] { functions[task](address_of(stream)); }); });
}

void Bodies::call(std::size_t task, Stream& stream, task::Rows rows) {
  guarded([&] { in_stream(stream, [&] { functions[task](address_of(stream), slice_of(rows)); }); });
}

void Bodies::call(std::size_t task, const task::Snapshot& snapshot, const std::vector<SnapshotForm>& forms) {
  guarded([&] {
    using Kept = std::shared_ptr<const task::Snapshot>;
    const nb::capsule owner(new Kept(snapshot.shared_from_this()), [](void* p) noexcept { delete static_cast<Kept*>(p); });
    nb::list arguments;
    arguments.append(snapshot.iteration());
    for (const SnapshotForm& form : forms) arguments.append(argument_of(snapshot, form, owner));
    functions[task](*arguments);
  });
}

bool Bodies::holds(std::size_t condition, double value) {
  bool result = false;
  guarded([&] { result = PyObject_IsTrue(nb::object(functions[condition](value)).ptr()) == 1; });
  return result;
}

}  // namespace weft::python
