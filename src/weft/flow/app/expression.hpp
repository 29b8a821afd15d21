#pragma once
/// A formula in x, y, z and t that a user wrote.
#include <memory>
#include <string>

#include "weft/base/error.hpp"
#include "weft/base/vec3.hpp"

namespace weft::flow {

/// "1 + 0.2*sin(2*pi*x)": + - * / ^, comparisons, && || and ?:, the usual functions (sin, exp, sqrt, abs, min, max, ...), pi.
/// Not to be evaluated from two threads at once.
class Expression {
 public:
  /// What a formula may name: x, y and z, or t, too.
  enum class Variables { place, place_and_time };
  /// @param where  of the text in its case: its key and line go into every error.
  /// @throws InputError with the position in the text: an unknown name (with the closest known one), a missing bracket, an
  ///   assignment, several values.
  explicit Expression(std::string text, Where where = {}, Variables variables = Variables::place_and_time);
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  /// May be infinite or NaN where the formula is.
  [[nodiscard]] double operator()(Vec3 x, double t = 0) const;
  /// Whether the formula names t.
  [[nodiscard]] bool depends_on_time() const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] const Where& where() const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace weft::flow
