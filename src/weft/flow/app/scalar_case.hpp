#pragma once
/// The passive scalars of a case: [scalars.<name>], and what boundary zones bring of them.
#include <span>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/flow/app/initial.hpp"
#include "weft/flow/physics/scalar.hpp"
#include "weft/io/case/case_reader.hpp"

namespace weft::flow {

struct ScalarChoice {
  std::string name;
  ExpressionText initial;
};

/// @throws InputError: a name that is no word, or that of a field of the flow; more than kMostScalars; a formula that cannot be
/// understood. No communication.
[[nodiscard]] std::vector<ScalarChoice> read_scalars(const io::Section& root);

/// What a zone brings of each scalar, from its section: [boundary.<zone>.scalars].
/// @param brings  whether gas that comes in through it has scalars of its own; else nothing is returned.
/// @throws InputError: a formula that cannot be understood; values where there are no scalars, or none come in. No communication.
[[nodiscard]] std::vector<ExpressionText> read_scalar_inflow(const io::Section& zone, const std::vector<ScalarChoice>& scalars,
                                                             bool brings);

/// As a solver takes them. What they give throws InputError, on this rank alone, where a formula is not finite.
[[nodiscard]] std::vector<Scalar> make_scalars(const std::vector<ScalarChoice>& choices);

/// @param faces  centroids of this rank's faces of the zone, where the formulas are tried at time 0.
/// @throws InputError on this rank where one is not finite: agree before going on.
[[nodiscard]] std::vector<ScalarInflow> make_scalar_inflow(const std::vector<ExpressionText>& formulas,
                                                           std::span<const Vec3> faces);

}  // namespace weft::flow
