// Files of arrays of Python.
#include "array_files.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>

#include <memory>
#include <utility>
#include <vector>

#include "weft/comm/agreement.hpp"

#include "arguments.hpp"
#include "bindings.hpp"

namespace weft::python {

void write_arrays(const std::string& path, const nb::dict& arrays) {
  std::vector<std::pair<std::string, PyArray*>> list;
  std::vector<std::unique_ptr<UseOf>> uses;
  for (const auto& [name, array] : arrays) {
    if (!nb::isinstance<PyArray>(array)) {
      throw InputError(fmt::format("{} is a {}, not a weft.Array", text_of(name), text_of(array.type())), "pass name=array");
    }
    list.emplace_back(nb::cast<std::string>(name), &nb::cast<PyArray&>(array));
    uses.push_back(std::make_unique<UseOf>(*list.back().second, "write_arrays"));
  }
  if (list.empty()) throw InputError("no arrays to write", "pass name=array");
  const Computing computing;
  io::Hdf5File file = io::Hdf5File::create(list.front().second->comm(), path);
  for (const auto& [name, array] : list) array->any().write(file, name);
  file.close();
}

PyArray read(const std::string& path, const std::string& name, const std::optional<PyGhostPlan>& plan, nb::handle comm,
             bool padded, const std::string& layout, const std::string& backend) {
  const Communicator ranks = plan ? plan->plan.comm() : communicator_of(comm);
  const Computing computing;
  const auto [order, memory] = agreed(ranks, [&] {
    choose_gpu(named(kBackends, backend));
    return std::pair(named(kLayouts, layout), named(kBackends, backend));
  });
  const io::Hdf5File file = io::Hdf5File::open(ranks, path);
  std::optional<GhostPlan> on;
  if (plan) on = plan->plan;
  auto array = read_array(ranks, file, name, on, padded, order, memory);
  const ArrayForm form = array->form();
  return {std::move(array), form.rows == Rows::fixed && form.width == 1};
}

}  // namespace weft::python
