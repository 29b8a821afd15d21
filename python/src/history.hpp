#pragma once
// Tables that grow by a row at a time.
#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"

namespace weft::python {

/// Columns of numbers that grow by one row at a time, and that another thread may read meanwhile.
class History {
 public:
  explicit History(std::vector<std::string> columns) : columns_(std::move(columns)) {}
  void add(const std::vector<double>& row) {
    const std::lock_guard lock(*mutex_);
    values_.insert(values_.end(), row.begin(), row.end());
  }
  void clear() {
    const std::lock_guard lock(*mutex_);
    values_.clear();
  }
  /// Returns {column: array of its values}.
  [[nodiscard]] nb::dict columns() const {
    std::unique_lock lock(*mutex_);
    const std::vector<double> values = values_;
    lock.unlock();
    nb::dict all;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      std::vector<double> column;
      for (std::size_t i = k; i < values.size(); i += columns_.size()) column.push_back(values[i]);
      all[nb::str(columns_[k].c_str())] = array_of(std::move(column));
    }
    return all;
  }

 private:
  std::vector<std::string> columns_;
  std::vector<double> values_;  ///< row after row
  std::unique_ptr<std::mutex> mutex_ =
      std::make_unique<std::mutex>();  ///< guards values_; taken with and without the lock of Python
};

}  // namespace weft::python
