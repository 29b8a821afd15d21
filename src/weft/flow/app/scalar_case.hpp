#pragma once
/// The passive scalars of a case: [scalars.<name>], and their values in the gas that enters through boundary zones.
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

/// Reads the scalars. @throws InputError: a name that is no word, or that of a field of the flow; more than kMostScalars; a
/// formula that cannot be parsed. No communication.
[[nodiscard]] std::vector<ScalarChoice> read_scalars(const io::Section& root);

/// Reads the values of the scalars in the gas that enters through a zone, from its section: [boundary.<zone>.scalars].
/// @param brings  the gas that enters has scalar values of its own; otherwise the result is empty.
/// @throws InputError: a formula that cannot be parsed; values without scalars, or where no gas enters. No communication.
[[nodiscard]] std::vector<ExpressionText> read_scalar_inflow(const io::Section& zone, const std::vector<ScalarChoice>& scalars,
                                                             bool brings);

/// Returns scalars for a solver. Their functions throw InputError, on this rank alone, if a formula is not finite.
[[nodiscard]] std::vector<Scalar> make_scalars(const std::vector<ScalarChoice>& choices);

/// Returns values of scalars for a solver. @param faces  centroids of this rank's faces of the zone, where the formulas are
/// evaluated at time 0.
/// @throws InputError on this rank if one is not finite: ranks must agree on the error.
[[nodiscard]] std::vector<ScalarInflow> make_scalar_inflow(const std::vector<ExpressionText>& formulas,
                                                           std::span<const Vec3> faces);

}  // namespace weft::flow
