#pragma once
// Declarations that the sources of the extension module share. Each bind_* function adds its classes and functions to the module.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "weft/base/vec3.hpp"
#include "weft/comm/communicator.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::python {

namespace nb = nanobind;

void bind_errors(nb::module_& module);
void bind_communicator(nb::module_& module);
void bind_mesh(nb::module_& module);
void bind_mesh_arrays(nb::module_& module);
void bind_simulation(nb::module_& module);
void bind_device_view(nb::module_& module);
void bind_plan(nb::module_& module);
void bind_array(nb::module_& module);
void bind_exchange(nb::module_& module);
void bind_task_number(nb::module_& module);
void bind_task_trace(nb::module_& module);
void bind_task_plan(nb::module_& module);
void bind_task_dry_plan(nb::module_& module);
void bind_task_graph(nb::module_& module);

// Starts MPI unless it runs already.  @collective over all ranks at its first call.
void start_mpi();

// Throws a ContractError where MPI cannot be used: after its end, or in a forked process.
void expect_mpi();

// Marks that this thread executes the body of a task: Computing is refused meanwhile, because the thread that runs the plan
// computes, and another one would wait for it without end.
class InTask {
 public:
  InTask();
  ~InTask();
  InTask(const InTask&) = delete;
  InTask& operator=(const InTask&) = delete;
};

// Releases the GIL for a computation or an exchange. One thread of the process computes at a time, because HDF5 does not allow
// more; the others wait. @throws as expect_mpi(), and in the body of a task.
class Computing {
 public:
  Computing();

 private:
  nb::gil_scoped_release released_;
  std::unique_lock<std::recursive_mutex> one_thread_;
};

// Returns the fields of a field file in the owned cells of a mesh, {name: array}. Collective.
[[nodiscard]] nb::dict read_fields(const mesh::Mesh& mesh, const std::string& file);

// The mesh of a Python object; arrays that are views of it keep that object, and so the mesh, alive.
struct PyMesh {
  mesh::Mesh mesh;
};

// Read-only numpy views of `rows` values or rows of 3 coordinates, kept alive by `owner`.
template <class T>
[[nodiscard]] nb::object view(const T* data, std::size_t rows, nb::handle owner) {
  return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig>(data, {rows}, owner));
}
[[nodiscard]] inline nb::object view(const Vec3* data, std::size_t rows, nb::handle owner) {
  static_assert(sizeof(Vec3) == 3 * sizeof(double));
  return nb::cast(nb::ndarray<nb::numpy, const double, nb::shape<-1, 3>, nb::c_contig>(&data->x, {rows, 3}, owner));
}
template <class T>
[[nodiscard]] nb::object view(const T* data, std::size_t rows, std::size_t columns, nb::handle owner) {
  return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<2>, nb::c_contig>(data, {rows, columns}, owner));
}

// Moves values into a numpy array that owns them.
template <class T>
[[nodiscard]] nb::object array_of(std::vector<T> values, std::size_t columns = 0) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = kept->data();
  const std::size_t size = kept->size();
  const nb::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  if (columns == 0) return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>(data, {size}, owner));
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>(data, {size / columns, columns}, owner));
}

}  // namespace weft::python
