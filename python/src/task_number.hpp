#pragma once
// Numbers of task graphs.
#include <memory>
#include <string>

#include "any_array.hpp"
#include "bindings.hpp"

namespace weft::python {

/// A number of a graph, on one or both sides.
class PyNumber {
 public:
  PyNumber(double value, const std::string& backend);
  [[nodiscard]] double get() const;
  void set(double value) { vector_->write(Side::host)[0] = value; }
  [[nodiscard]] HostDeviceVector<double>& vector() const { return *vector_; }
  /// Returns a view for a task, of shape (1,), which marks nothing.  @throws ContractError if there is no device side.
  [[nodiscard]] nb::object view_of_task(nb::handle self, Side side, bool writable) const;

 private:
  std::shared_ptr<HostDeviceVector<double>> vector_;
};

}  // namespace weft::python
