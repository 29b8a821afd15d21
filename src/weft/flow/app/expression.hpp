#pragma once
/// A formula in x, y, z and t from a case.
#include <memory>
#include <string>

#include "weft/base/error.hpp"
#include "weft/base/vec3.hpp"

namespace weft::flow {

/// "1 + 0.2*sin(2*pi*x)": + - * / ^, comparisons, && || and ?:, the usual functions (sin, exp, sqrt, abs, min, max, ...), pi.
/// Must not be evaluated by two threads at the same time.
class Expression {
 public:
  /// The variables of a formula: x, y and z, or also t.
  enum class Variables { place, place_and_time };
  /// @param where  of the text in its case: every error contains its key and line.
  /// @throws InputError with the position in the text: an unknown name (with the closest known one), a missing bracket, an
  ///   assignment, several values.
  explicit Expression(std::string text, Where where = {}, Variables variables = Variables::place_and_time);
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  /// Evaluates the formula. The result may be infinite or NaN.
  [[nodiscard]] double operator()(Vec3 x, double t = 0) const;
  /// Returns whether the formula contains t.
  [[nodiscard]] bool depends_on_time() const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] const Where& where() const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace weft::flow
