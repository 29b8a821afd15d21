#pragma once
// The classes weft.Array and weft.GhostPlan.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/device/registered_memory.hpp"

#include "any_array.hpp"
#include "device_view.hpp"

namespace weft::python {

/// A plan, and the number of ids that it was built from.
struct PyGhostPlan {
  GhostPlan plan;
  std::size_t requests = 0;
};

/// Memory of another library.
using Imported = nb::ndarray<>;

/// An array of Python. Views count themselves, so that no call frees memory under them.
class PyArray {
 public:
  /// The accesses under way.
  enum class Use : std::uint8_t { idle, pulled, pushed, busy };

  /// @param flat  rows of one entry are shown as (rows,).
  PyArray(std::unique_ptr<AnyArray> array, bool flat);
  /// Wraps memory of `owner`.
  PyArray(std::unique_ptr<AnyArray> array, bool flat, std::optional<RegisteredMemory> memory, Imported owner);

  PyArray(PyArray&&) = default;
  PyArray& operator=(PyArray&&) = delete;
  PyArray(const PyArray&) = delete;
  ~PyArray() { free(); }

  /// @throws ContractError after close().
  [[nodiscard]] AnyArray& any() const;
  [[nodiscard]] bool closed() const { return array_ == nullptr; }
  [[nodiscard]] Use use() const { return use_; }
  [[nodiscard]] int views() const { return views_; }
  [[nodiscard]] bool flat() const { return flat_; }
  [[nodiscard]] bool borrowed() const { return owner_.is_valid(); }
  [[nodiscard]] const Communicator& comm() const { return any().space().plan().comm(); }
  [[nodiscard]] Stream& stream() const { return runtime_stream(any().form().backend); }

  /// Returns a view of a range of rows: numpy on the host, DeviceView on the device; for CSR a tuple of offsets and entries.
  /// @param writable  None: where no exchange reads the rows at present.
  [[nodiscard]] nb::object view(nb::handle self, const std::string& rows, Side side, std::optional<bool> writable);
  /// Returns a view for a task of a graph, which knows where rows are fresh: it marks nothing. On the device it is writable,
  /// because PyTorch imports no other memory.  @throws ContractError if the side has no memory.
  [[nodiscard]] nb::object view_of_task(nb::handle self, const std::string& rows, Side side, bool writable);
  /// Returns the sizes of padded rows, read-only.
  [[nodiscard]] nb::object row_sizes(nb::handle self);
  void set_row_sizes(const nb::object& sizes);

  /// Starts copying rows that are stale on one side to it, after the work in `stream`, see wait_for_theirs().
  void bring(Side to, nb::handle stream);
  /// Returns (kind, number) of the device of __dlpack__(), as DLPack numbers them.
  [[nodiscard]] std::pair<int, int> dlpack_device() const;
  /// Returns the array for another object.
  [[nodiscard]] std::unique_ptr<AnyArray> take() { return std::move(array_); }
  /// Frees the memory. @throws BufferError under a view; ContractError in an exchange.
  void close();
  /// Replaces the array. @pre can_change().
  void replace(std::unique_ptr<AnyArray> array);
  void resize_width(int width);
  /// Throws unless the memory may be freed: BufferError under a view, ContractError in an exchange.
  void expect_changeable(const char* what) const;
  /// As expect_changeable() on every rank. @collective
  void expect_changeable_everywhere(const char* what) const;
  /// Throws ContractError while an exchange or another thread works on the array.
  void expect_idle(const char* what) const;

 private:
  friend class UseOf;
  friend class Attachment;
  friend struct Lease;
  /// Frees the array, and gives up memory of others when the work on it has completed.
  void free() noexcept;
  [[nodiscard]] nb::object lease(nb::handle self);
  [[nodiscard]] nb::object show(const Block& block, Side side, Order order, nb::handle owner);
  [[nodiscard]] nb::object view_of(nb::handle self, IdRange<LocalRow> ids, Side side, bool write, Order order);

  Imported owner_;  ///< owner of wrapped memory; destroyed last
  std::optional<RegisteredMemory> memory_;
  std::unique_ptr<AnyArray> array_;
  bool flat_;
  Use use_ = Use::idle;
  int views_ = 0;
  int attachments_ = 0;  ///< exchanges that list the array
  int device_ = 0;
};

/// Sets the use of an array for a scope in which other threads may run.
class UseOf {
 public:
  UseOf(PyArray& array, const char* what) : array_(array) {
    array.expect_idle(what);
    array_.use_ = PyArray::Use::busy;
  }
  ~UseOf() { array_.use_ = PyArray::Use::idle; }
  UseOf(const UseOf&) = delete;
  UseOf& operator=(const UseOf&) = delete;

 private:
  PyArray& array_;
};

/// The part of an exchange in one of its arrays.
class Attachment {
 public:
  explicit Attachment(nb::object array) : object_(std::move(array)), array_(&nb::cast<PyArray&>(object_)) {
    ++array_->attachments_;
  }
  Attachment(Attachment&& other) noexcept : object_(std::move(other.object_)), array_(std::exchange(other.array_, nullptr)) {}
  Attachment& operator=(Attachment&&) = delete;
  ~Attachment() {
    if (array_ != nullptr) --array_->attachments_;
  }
  [[nodiscard]] PyArray& array() const { return *array_; }
  [[nodiscard]] const nb::object& object() const { return object_; }
  void set_use(PyArray::Use use) const { array_->use_ = use; }
  /// Keeps the array for ever, because other processes map its memory.
  void leak() { (void)object_.release(); }

 private:
  nb::object object_;
  PyArray* array_;
};

}  // namespace weft::python
