#pragma once
/// All errors of a case together: those of its keys and those that need the mesh.
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/flow/app/case.hpp"
#include "weft/mesh/mesh.hpp"

namespace weft::flow {

/// All errors of one case, at least one. what() is that of the first.
class CaseErrors : public InputError {
 public:
  explicit CaseErrors(std::vector<Error> all);
  [[nodiscard]] const std::vector<Error>& all() const noexcept { return all_; }

 private:
  std::vector<Error> all_;
};

/// Returns "weft: error: ..." and a newline for an error, and for each of CaseErrors.
[[nodiscard]] std::string error_lines(const std::exception& error);

/// Calls `work` and adds an error that it throws to `errors`, if it is one of the case, the mesh, a file or the flow, which every
/// rank throws alike. Other errors are thrown on. Returns whether there was none.
template <class Work>
bool keep_errors(std::vector<Error>& errors, Work&& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    const Error::Kind kind = error.kind();
    if (kind != Error::Kind::input && kind != Error::Kind::mesh && kind != Error::Kind::io && kind != Error::Kind::physics) throw;
    errors.push_back(error);
    return false;
  }
}

/// Sorts errors by the lines of the case; those without a line come last.
void sort_by_line(std::vector<Error>& errors);

/// Returns all errors of a case that depend on its mesh: conditions, forces, monitors, lines, sections, probes, and directions of
/// inflows; sorted by line. Equal on every rank.  @collective
[[nodiscard]] std::vector<Error> errors_on_mesh(const mesh::Mesh& mesh, const Case& flow_case);

/// Prepares a run by `work`.  @throws CaseErrors with all errors that the mesh shows where `work` throws one.  @collective
template <class Work>
void throw_all_errors(const mesh::Mesh& mesh, const Case& flow_case, Work&& work) {
  try {
    work();
  } catch (const InputError&) {
    std::vector<Error> errors = errors_on_mesh(mesh, flow_case);
    if (errors.empty()) throw;
    throw CaseErrors(std::move(errors));
  }
}

}  // namespace weft::flow
