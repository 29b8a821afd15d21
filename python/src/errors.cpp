// Weft's errors as Python exceptions: the classes of python/weft/errors.py.

#include <array>
#include <exception>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/flow/app/case_errors.hpp"

#include "bindings.hpp"

namespace weft::python {
namespace {

[[nodiscard]] const char* class_of(Error::Kind kind) {
  switch (kind) {
    case Error::Kind::contract:
      return "ContractError";
    case Error::Kind::limit:
      return "LimitError";
    case Error::Kind::input:
      return "InputError";
    case Error::Kind::mesh:
      return "MeshError";
    case Error::Kind::io:
      return "IoError";
    case Error::Kind::comm:
      return "CommError";
    case Error::Kind::device:
      return "DeviceError";
    case Error::Kind::physics:
      return "PhysicsError";
    case Error::Kind::interrupted:
      return "InterruptedError";
  }
  return "Error";
}

/// Returns the exception object of an error.
nb::object exception_of(const Error& error) {
  const Where& where = error.where();
  const nb::object none = nb::none();
  const auto number = [&](std::int64_t value, std::int64_t absent) { return value == absent ? none : nb::cast(value); };
  const auto text = [&](const std::string& value) { return value.empty() ? none : nb::cast(value); };
  nb::object object = nb::module_::import_("weft.errors").attr(class_of(error.kind()))(nb::cast(std::string(error.what())));
  object.attr("problem") = error.problem();
  object.attr("suggestion") = error.suggestion();
  object.attr("file") = text(where.file);
  object.attr("line") = number(where.line, 0);
  object.attr("column") = number(where.column, 0);
  object.attr("offset") = number(where.offset, -1);
  object.attr("key") = text(where.key);
  object.attr("zone") = text(where.zone);
  object.attr("element") = number(where.element, -1);
  return object;
}

void translate(const std::exception_ptr& thrown, void* /*data*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const flow::CaseErrors& errors) {
    nb::object object = exception_of(errors);
    nb::list all;
    for (const Error& error : errors.all()) all.append(exception_of(error));
    object.attr("all") = all;
    PyErr_SetObject(object.type().ptr(), object.ptr());
  } catch (const Error& error) {
    const nb::object object = exception_of(error);
    PyErr_SetObject(object.type().ptr(), object.ptr());
  }
}

}  // namespace

void bind_errors(nb::module_& /*module*/) { nb::register_exception_translator(translate); }

}  // namespace weft::python
