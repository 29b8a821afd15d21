#include "arguments.hpp"

#include <fmt/format.h>

#include <optional>

#include "weft/comm/agreement.hpp"
#include "weft/device/device.hpp"

#include "device_view.hpp"

namespace weft::python {

Scalar scalar_of(nb::handle dtype) {
  const nb::object type = nb::module_::import_("numpy").attr("dtype")(dtype);
  if (!nb::cast<bool>(type.attr("isnative"))) {
    throw InputError(
        fmt::format("elements of type {} have the byte order of another machine", nb::cast<std::string>(nb::str(type))),
        "convert them: x.astype(x.dtype.newbyteorder(\"=\"))");
  }
  return named(kScalars, nb::cast<std::string>(type.attr("name")));
}

void choose_gpu(Backend backend) {
  thread_local bool chosen = false;  // as the current GPU of CUDA is one of each thread
  if (!is_cuda(backend) || chosen) return;
  const std::optional<int> local_rank = launched_local_rank();
  if (local_rank && current_device() == 0) set_device(device_of(*local_rank));
  chosen = true;
}

std::vector<std::int64_t> integers(nb::handle values, const std::string& what, std::string& problem) {
  if (values.is_none()) return {};
  try {
    const nb::object numpy = nb::module_::import_("numpy");
    const nb::object array = numpy.attr("asarray")(values);
    const auto kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
    if (nb::cast<int>(array.attr("ndim")) != 1) {
      problem = fmt::format("{} have {} dimensions, not 1", what, nb::cast<int>(array.attr("ndim")));
    } else if (kind != "i" && kind != "u" && nb::cast<std::int64_t>(array.attr("size")) > 0) {
      problem = fmt::format("{} are of type {}, not whole numbers", what, text_of(array.attr("dtype")));
    } else {
      using Integers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
      const auto list = nb::cast<Integers>(numpy.attr("ascontiguousarray")(array, numpy.attr("int64")));
      return {list.data(), list.data() + list.size()};
    }
  } catch (const nb::python_error& error) {
    problem = fmt::format("{}: {}", what, text_of(error.value()));
  }
  return {};
}

void agree_on(const Communicator& comm, const std::string& problem, const std::string& suggestion) {
  agreed(comm, [&] {
    if (!problem.empty()) throw InputError(problem, suggestion);
  });
}

Communicator communicator_of(nb::handle comm) {
  return nb::cast<Communicator>(nb::module_::import_("weft._communicators").attr("communicator")(comm));
}

}  // namespace weft::python
