#pragma once
// Tables that grow by a row at a time.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"

namespace weft::python {

/// Columns of numbers that grow by one row at a time.
class History {
 public:
  explicit History(std::vector<std::string> columns) : columns_(std::move(columns)) {}
  void add(const std::vector<double>& row) { values_.insert(values_.end(), row.begin(), row.end()); }
  void clear() { values_.clear(); }
  /// Returns {column: array of its values}.
  [[nodiscard]] nb::dict columns() const {
    nb::dict all;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      std::vector<double> column;
      for (std::size_t i = k; i < values_.size(); i += columns_.size()) column.push_back(values_[i]);
      all[nb::str(columns_[k].c_str())] = array_of(std::move(column));
    }
    return all;
  }

 private:
  std::vector<std::string> columns_;
  std::vector<double> values_;  ///< row after row
};

}  // namespace weft::python
