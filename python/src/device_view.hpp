#pragma once
// Blocks of memory as Python objects: numpy arrays of the host, DeviceView of a device. Streams of other libraries.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "weft/device/stream.hpp"
#include "weft/flow/scheme/stepper.hpp"

#include "any_array.hpp"
#include "bindings.hpp"

namespace weft::python {

/// A table in memory of the host or of a device.
struct Block {
  void* data = nullptr;
  std::size_t dims = 1;
  std::array<std::size_t, 2> shape{};
  std::array<std::int64_t, 2> strides{};  ///< in elements
  Scalar scalar = Scalar::float64;
  bool read_only = true;
  int device_type = nb::device::cpu::value;  ///< number in DLPack
  int device = 0;
};

/// Returns the element type as DLPack has it.
[[nodiscard]] nb::dlpack::dtype dlpack_type(Scalar scalar);
/// Returns a numpy array of the block, without a copy. @param owner  kept alive by the array.
[[nodiscard]] nb::object as_numpy(const Block& block, nb::handle owner);

/// How work on a block by other libraries follows the work of Weft: the consumer of the block waits for the stream of Weft, or
/// the caller of the function that gets the block has ordered the streams.
enum class Order : std::uint8_t { by_consumer, by_caller };

/// A block of a device side, for other libraries: DLPack and the CUDA array interface.
class DeviceView {
 public:
  /// @param stream  stream of the work of Weft on the block; null for a mirror.
  DeviceView(const Block& block, nb::object owner, Stream* stream, Order order)
      : block_(block), owner_(std::move(owner)), stream_(stream), order_(order) {}

  [[nodiscard]] const Block& block() const { return block_; }
  /// Returns a capsule; the consumer's stream waits for the work of Weft.
  [[nodiscard]] nb::object dlpack(nb::handle self, nb::handle stream, nb::handle max_version, nb::handle dl_device,
                                  nb::handle copy) const;
  /// Returns __cuda_array_interface__, with the stream that the consumer has to wait for.
  [[nodiscard]] nb::dict cuda_array_interface() const;

 private:
  Block block_;
  nb::object owner_;
  Stream* stream_;
  Order order_;
};

/// Returns the stream of the arrays of Python on a device with this backend: one of the GPU, or that of the host.
[[nodiscard]] Stream& runtime_stream(Backend backend);
/// Calls `work`, a function of the user that enqueues work in a stream: weft.stream() is that stream meanwhile, and the default
/// stream of CUDA follows it before and precedes it afterwards, except in a capture.  @pre the GIL
void in_stream(Stream& stream, const std::function<void()>& work);
/// Makes later work of `ours` wait for the present work of `theirs`: None (the default stream of CUDA), the address of a
/// cudaStream_t, or a stream of Weft, CuPy, PyTorch or Numba. Nothing for a stream of the host.
void wait_for_theirs(Stream& ours, nb::handle theirs);
/// Makes later work of `theirs` wait for the present work of `ours`.
void make_theirs_wait(Stream& ours, nb::handle theirs);

/// Returns a view of a field of a flow that is computed on a GPU: conserved, density, momentum, energy, velocity or pressure.
/// @throws InputError for another name; DeviceError on the host.
[[nodiscard]] nb::object field_on_device(const flow::DeviceRows& rows, std::size_t cells, const std::string& name, bool read_only,
                                         nb::handle owner);

/// Columns of a table of rows of numbers.
struct Columns {
  std::string_view name;
  std::size_t first, count;
};
/// Returns {name: DeviceView} of columns of a table with 5 of them, in the memory of the current GPU, for a function that the
/// solver calls in the order of its stream. @param owner  kept alive by the views.
[[nodiscard]] nb::dict columns_on_device(const double* table, std::size_t rows, std::span<const Columns> columns,
                                         nb::handle owner);
/// Returns a DeviceView of points, as columns_on_device().
[[nodiscard]] nb::object points_on_device(const Vec3* points, std::size_t rows, nb::handle owner);

/// Returns str(value).
[[nodiscard]] inline std::string text_of(nb::handle value) { return nb::cast<std::string>(nb::str(value)); }
/// Throws weft.BufferError.
[[noreturn]] void throw_buffer_error(const std::string& problem, const std::string& suggestion);

}  // namespace weft::python
