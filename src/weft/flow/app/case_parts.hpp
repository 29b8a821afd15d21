#pragma once
/// The parts of a case that read_case() combines, each with the file that reads it.
#include <string>

#include "weft/flow/app/case.hpp"
#include "weft/flow/app/case_states.hpp"

namespace weft::flow::detail {

// case_mesh.cpp

/// Reads [mesh]. @throws InputError: no mesh or two, a wrong parameter of a generator. No communication.
[[nodiscard]] MeshChoice read_mesh_choice(const io::Section& s);

// case_numerics.cpp

/// Reads [numerics]; the key `stencil` goes to `build`. @throws InputError. No communication.
[[nodiscard]] Numerics read_numerics(const io::Section& s, mesh::BuildOptions& build);
/// Reads [stop]. @throws InputError where no criterion is given. No communication.
[[nodiscard]] StopCriteria read_stop(const io::Section& s);
/// Reads the keys of the device: `device`, `transport`, `threads` and `bind`.
/// @pre c.numerics and c.scalars have been read. @throws InputError where they do not go together. No communication.
void read_device(const io::Section& root, Case& c);

// case_output.cpp

/// Returns the name of a section that is part of the names of columns. @throws InputError where it is empty or holds a comma, a
/// quote or a line end, which tables of comma-separated values cannot have in names. No communication.
[[nodiscard]] std::string column_word(const io::Section& s);
/// Reads [output]. @throws InputError. No communication.
[[nodiscard]] OutputChoice read_output(const io::Section& s);
/// Reads [forces.<name>], whose default reference and directions are those of `stream`.
/// @throws InputError. No communication.
[[nodiscard]] ForceSpec read_force(const io::Section& s, const FreeStream& stream, bool has_stream);
/// Reads [monitors.<name>]. @throws InputError. No communication.
[[nodiscard]] MonitorSpec read_monitor(const io::Section& s);
/// Reads [lines.<name>]. @throws InputError. No communication.
[[nodiscard]] LineChoice read_line(const io::Section& s);
/// Reads [sections.<name>]. @throws InputError. No communication.
[[nodiscard]] SectionChoice read_section(const io::Section& s);

// case_together.cpp

/// Sets the centre of the vortex of each far field to the moment centre of its force. @throws InputError
void place_vortices(Case& c);
/// Rejects fields that the case cannot compute, or that have the name of a scalar. @throws InputError
void check_fields(const Case& c);
/// Rejects incompatible choices in several sections: each is an error of its own at `root`.
void check_together(const io::Section& root, const Case& c);
/// Adds warnings of doubtful combinations of several sections to c.warnings.
void warn_of(Case& c);
/// Adds warnings of openings whose pressures can hardly be meant to c.warnings: an outflow pressure above every total pressure of
/// the inflows, and one a thousandth of the largest of these or less.
void warn_of_openings(Case& c);
/// Adds a warning of a run that an earlier version stored at another place for the same relative output.directory: below the
/// current directory.
void warn_of_former_place(const io::CaseReader& reader, const io::Section& output, Case& c);

}  // namespace weft::flow::detail
