#pragma once
/// The errors that Weft throws. Each states the problem, its location and a remedy.
///
/// An error in input that all ranks share (a file, a case, an argument) is agreed between the ranks before it is thrown, so that
/// every rank throws the same error: see comm/agreement.hpp.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace weft {

/// The location of an error. Fields that do not apply retain their defaults and are not printed.
struct Where {
  std::string file{};
  std::int64_t line = 0;      ///< 1-based line; 0: unknown
  std::int64_t column = 0;    ///< 1-based column; 0: unknown
  std::int64_t offset = -1;   ///< byte offset in a binary file; -1: not applicable
  std::string key{};          ///< key of a case file: "numerics.cfl"
  std::string zone{};         ///< boundary or volume zone of a mesh
  std::int64_t element = -1;  ///< number of the element or cell in the file; -1: not applicable
  friend bool operator==(const Where&, const Where&) = default;
};

/// The base class of all errors of Weft. what() is "where: problem; suggestion".
class Error : public std::runtime_error {
 public:
  enum class Kind : int { contract, limit, input, mesh, io, comm, device, physics, interrupted };

  Error(Kind kind, std::string problem, std::string suggestion = {}, Where where = {});

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  [[nodiscard]] const std::string& suggestion() const noexcept { return suggestion_; }
  [[nodiscard]] const Where& where() const noexcept { return where_; }

 private:
  Kind kind_;
  std::string problem_, suggestion_;
  Where where_;
};

namespace detail {
template <Error::Kind K>
class KindError : public Error {
 public:
  static constexpr Kind kKind = K;
  explicit KindError(std::string problem, std::string suggestion = {}, Where where = {})
      : Error(K, std::move(problem), std::move(suggestion), std::move(where)) {}
};
}  // namespace detail

/// A bug: an invariant or a precondition was violated.
using ContractError = detail::KindError<Error::Kind::contract>;
/// A size exceeds the range of the ids or of a file format.
using LimitError = detail::KindError<Error::Kind::limit>;
/// A case file, an argument or an expression is wrong.
using InputError = detail::KindError<Error::Kind::input>;
/// A mesh file or the geometry of a mesh is invalid.
using MeshError = detail::KindError<Error::Kind::mesh>;
/// A file cannot be read or written.
using IoError = detail::KindError<Error::Kind::io>;
/// MPI failed, or ranks disagree where they must agree.
using CommError = detail::KindError<Error::Kind::comm>;
/// The device runtime failed, or a stale side of device data was read.
using DeviceError = detail::KindError<Error::Kind::device>;
/// The state became unphysical for the gas model: negative density, NaN.
using PhysicsError = detail::KindError<Error::Kind::physics>;
/// A signal requested the end of the run.
using InterruptedError = detail::KindError<Error::Kind::interrupted>;

/// Throws the subclass that corresponds to `kind`; it reconstructs errors that were sent from another rank.
[[noreturn]] void throw_error(Error::Kind kind, std::string problem, std::string suggestion, Where where);

/// Returns the candidate with the smallest edit distance to `word`, or an empty string when every distance exceeds half the
/// length of `word`. Used in "did you mean" messages.
template <class Range>
[[nodiscard]] std::string closest_match(std::string_view word, const Range& candidates);

/// Returns the optimal string alignment distance (insertion, deletion, substitution, transposition of neighbours). O(|a| |b|).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

template <class Range>
std::string closest_match(std::string_view word, const Range& candidates) {
  std::string best;
  std::size_t best_distance = 1 + word.size() / 2;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = std::string(candidate);
    }
  }
  return best;
}

}  // namespace weft
