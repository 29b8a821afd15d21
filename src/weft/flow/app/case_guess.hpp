#pragma once
/// A proposed case for an existing mesh: the conditions of its zones are guessed from their names and their geometry.
#include <filesystem>
#include <string>
#include <vector>

#include "weft/flow/app/zone_shapes.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// Placeholder for a kind that could not be guessed. A case that contains it is refused.
inline constexpr const char* kToChoose = "CHOOSE";

struct ZoneGuess {
  ZoneShape shape;
  std::string kind;     ///< "slip_wall", ...; kToChoose; empty for a zone of a periodic pair
  std::string why;      ///< a reason, for users
  std::string partner;  ///< other zone of a periodic pair
};

/// Guesses the condition of every boundary zone of a mesh that was built without periodic zones: by its name; if that has no
/// meaning, by its geometry if that is unambiguous; otherwise it is kToChoose. Zones with a name of a periodic zone are matched
/// face by face; those without exactly one translated counterpart are kToChoose.
/// @collective  @cost the faces of zones with periodic names on every rank.
[[nodiscard]] std::vector<ZoneGuess> guess_zones(const mesh::Mesh& mesh);

/// The text of a case, and the choices that remain.
struct GuessedCase {
  std::string text;
  std::vector<std::string> to_choose;  ///< zones whose kind is kToChoose
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
