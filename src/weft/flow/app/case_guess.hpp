#pragma once
/// A proposed case for an existing mesh: the conditions of its zones are guessed from their names and their geometry.
#include <filesystem>
#include <string>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// The geometry of a boundary zone, for guesses.
struct ZoneShape {
  std::string name;
  std::int64_t faces = 0;
  double area = 0;      ///< m^2
  Vec3 normal;          ///< mean unit normal, out of the domain, weighted with the area; zero for a closed zone
  double flatness = 0;  ///< length of the integral of the unit normal over the area: 1 for a plane, 0 for a closed surface
  Vec3 low, high;       ///< box around its nodes
};

/// Placeholder for a kind that could not be guessed; cases with it are rejected.
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
/// @collective
[[nodiscard]] GuessedCase guess_case(const mesh::Mesh& mesh, const std::filesystem::path& mesh_file,
                                     const std::filesystem::path& case_file);

}  // namespace weft::flow
