#pragma once
/// The dimension of a mesh as a compile-time constant.
#include <type_traits>

namespace weft::mesh {

/// Calls f with the dimension, 2 or 3, as a compile-time constant, and returns its result:
///     with_dim(mesh.dim, [&](auto dim) { loop<dim()>(cells); });
template <class F>
decltype(auto) with_dim(int dim, const F& f) {
  return dim == 2 ? f(std::integral_constant<int, 2>{}) : f(std::integral_constant<int, 3>{});
}

}  // namespace weft::mesh
