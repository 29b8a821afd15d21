#include "weft/flow/app/case_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "weft/base/contracts.hpp"
#include "weft/flow/app/inflow_checks.hpp"
#include "weft/flow/app/run.hpp"
#include "weft/flow/app/sampling.hpp"
#include "weft/flow/app/zone_conditions.hpp"

namespace weft::flow {
namespace {

const Error& first_of(const std::vector<Error>& errors) {
  WEFT_EXPECTS(!errors.empty());
  return errors.front();
}

}  // namespace

CaseErrors::CaseErrors(std::vector<Error> all)
    : InputError(first_of(all).problem(), all.front().suggestion(), all.front().where()), all_(std::move(all)) {}

std::string error_lines(const std::exception& error) {
  const auto* const several = dynamic_cast<const CaseErrors*>(&error);
  if (several == nullptr) return fmt::format("weft: error: {}\n", error.what());
  std::string lines;
  for (const Error& each : several->all()) lines += fmt::format("weft: error: {}\n", each.what());
  return lines;
}

void sort_by_line(std::vector<Error>& errors) {
  std::stable_sort(errors.begin(), errors.end(), [](const Error& a, const Error& b) {
    const auto place = [](const Where& w) { return std::make_tuple(w.line == 0, w.line, w.column); };
    return place(a.where()) < place(b.where());
  });
}

std::vector<Error> errors_on_mesh(const mesh::Mesh& mesh, const Case& flow_case) {
  std::vector<Error> errors;
  for (const InputError& error : check_conditions(mesh, flow_case)) errors.push_back(error);
  keep_errors(errors, [&] { check_outputs(mesh, flow_case); });
  for (const LineChoice& line : flow_case.lines) keep_errors(errors, [&] { (void)Line(mesh, line); });
  for (const SectionChoice& section : flow_case.sections) keep_errors(errors, [&] { check_section(mesh, section); });
  for (const ProbeChoice& probe : flow_case.probes)
    keep_errors(errors, [&] { (void)Probe(mesh, probe.at, probe.name, probe.where); });
  keep_errors(errors, [&] { (void)check_inflows(mesh, flow_case); });
  sort_by_line(errors);
  return errors;
}

}  // namespace weft::flow
