#pragma once
/// A proposed case for an existing mesh: the conditions of its zones are guessed from their names and their geometry.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "weft/flow/app/zone_shapes.hpp"
#include "weft/flow/physics/boundary.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// Placeholder in the text of a case for a kind that could not be guessed. A case that contains it is refused.
inline constexpr const char* kToChoose = "CHOOSE";

struct ZoneGuess {
  ZoneShape shape;
  std::optional<BoundaryKind> kind;  ///< absent for a zone of a periodic pair, and for a kind that remains to be chosen
  std::string why;                   ///< a reason, for users
  std::string partner;               ///< other zone of a periodic pair; otherwise empty

  /// Returns whether the user has to choose the kind.
  [[nodiscard]] bool to_choose() const { return !kind && partner.empty(); }
};

/// Guesses the condition of every boundary zone of a mesh that was built without periodic zones: by its name; if that has no
/// meaning, by its geometry if that is unambiguous; otherwise it remains to be chosen. Zones with a name of a periodic zone are
/// matched face by face; those without exactly one translated counterpart remain to be chosen.
/// @collective  @cost the faces of zones with periodic names on every rank.
[[nodiscard]] std::vector<ZoneGuess> guess_zones(const mesh::Mesh& mesh);

/// The text of a case, and the choices that remain.
struct GuessedCase {
  std::string text;
  std::vector<std::string> to_choose;  ///< zones whose kind is kToChoose in the text
};

/// Returns a commented case for a mesh: its zones, a free stream along x, forces on its walls with reference values from the box
/// around them, and a results folder named after the case.
/// @param mesh_file, case_file  as given by the user; the case refers to the mesh relative to its own folder, or by the absolute
///   path if the user gave one.
/// @param scale  the factor by which the coordinates of `mesh` have been multiplied: mesh.scale of the case. Lengths of the case
///   are those of the scaled mesh.
/// @collective
[[nodiscard]] GuessedCase guess_case(const mesh::Mesh& mesh, const std::filesystem::path& mesh_file,
                                     const std::filesystem::path& case_file, double scale = 1);

}  // namespace weft::flow
