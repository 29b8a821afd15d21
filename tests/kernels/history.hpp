#pragma once
/// The history of an iterative solver, for the messages of failed tests.
#include <cstdio>
#include <string>

#include "weft/kernels/linear/krylov.hpp"

namespace weft::kernels::test {

/// Returns the state, the iterations and the norms as text.
inline std::string text_of(const KrylovStatus& status) {
  const char* const states[] = {"running", "converged", "broken"};
  char line[160];
  std::snprintf(line, sizeof line, "%s after %d iterations, residual %.17g of %.17g", states[static_cast<int>(status.state)],
                static_cast<int>(status.iterations), status.residual, status.right_side);
  return line;
}

/// The status after each iteration up to the last one that changed it.
class History {
 public:
  void add(const KrylovStatus& status) {
    if (!text_.empty() && status == last_) return;
    last_ = status;
    text_ += "  " + text_of(status) + "\n";
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  KrylovStatus last_;
  std::string text_;
};

}  // namespace weft::kernels::test
