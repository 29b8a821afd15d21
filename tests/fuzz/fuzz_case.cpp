// Any text is a case or an InputError to CaseFile and CaseReader, and an effective case reads back to itself.
#include <cstddef>
#include <cstdint>
#include <string>

#include "weft/base/error.hpp"
#include "weft/io/case/case_reader.hpp"

namespace {

/// Reads keys of every kind, and writes the effective case.
std::string effective(const std::string& text) {
  const weft::io::CaseReader reader(weft::io::CaseFile::from_text(text));
  const weft::io::Section root = reader.root();
  static_cast<void>(root.text("title", {.default_value = "none", .doc = "Title."}));
  const weft::io::Section flow = root.section("flow", {.doc = "Scalars."});
  static_cast<void>(flow.number("cfl", {.default_value = 0.5, .min_exclusive = 0, .doc = "A number."}));
  static_cast<void>(flow.number("end", {.default_value = 1, .min = 0, .unit = "s", .doc = "With a unit."}));
  static_cast<void>(flow.integer("steps", {.default_value = 1, .min = 0, .doc = "An integer."}));
  static_cast<void>(flow.boolean("local", {.default_value = false, .doc = "A switch."}));
  static_cast<void>(flow.vector3("velocity", {.default_value = weft::Vec3{}, .unit = "m/s", .doc = "A vector."}));
  static_cast<void>(flow.numbers("list", {.default_value = std::vector<double>{}, .doc = "Numbers."}));
  static_cast<void>(flow.texts("names", {.default_value = std::vector<std::string>{}, .doc = "Texts."}));
  static_cast<void>(flow.expression("rho", {.default_value = "1", .doc = "A formula."}));
  static_cast<void>(flow.choice("flux", {"hllc", "roe"}, {.default_value = "hllc", .doc = "A choice."}));
  static_cast<void>(flow.optional_number("gamma", {.doc = "May be absent."}));
  for (const auto& zone : root.named_sections("boundary", {.doc = "Named."})) {
    static_cast<void>(zone.text("kind", {.doc = "Required."}));
  }
  for (const auto& probe : root.sections("probe", {.doc = "Listed."})) {
    static_cast<void>(probe.vector3("at", {.doc = "Required."}));
  }
  reader.finish();
  return reader.effective_toml();
}

/// Removes the marks of defaults, which the effective case, read again, does not have.
std::string without_marks(std::string text) {
  const std::string mark = "  # default\n";
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) text.replace(at, mark.size(), "\n");
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string once;
  try {
    once = effective(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const weft::InputError&) {  // expected for a wrong case
    return 0;
  }
  if (without_marks(effective(once)) != without_marks(once))
    throw weft::ContractError("the effective case does not read back to itself");
  return 0;
}
