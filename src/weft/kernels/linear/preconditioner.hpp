#pragma once
/// The interface of preconditioners of iterative solvers.
#include <span>

#include "weft/device/space.hpp"
#include "weft/device/stream.hpp"
#include "weft/kernels/primitives/threads.hpp"

namespace weft::kernels {

/// An approximation M of a matrix with which systems are solved. Implementations have the same digits on hosts and GPUs.
template <class T>
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;

  /// Computes z = M^-1 r for the owned rows of this rank, without communication. @pre r and z have one entry for each scalar row
  /// and do not overlap; they are in memory that the machine can access.
  virtual void apply(std::span<const T> r, std::span<T> z, Team& team) = 0;
  /// Enqueues the kernels in a stream; they can be captured in a Graph.
  virtual void apply(space::cuda, Stream& stream, std::span<const T> r, std::span<T> z) = 0;
};

}  // namespace weft::kernels
