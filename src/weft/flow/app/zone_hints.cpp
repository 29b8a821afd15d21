#include "weft/flow/app/zone_hints.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

namespace weft::flow::detail {
namespace {

/// Lower-case words of a name, apart at everything but letters: "Far_Field-2" has "far" and "field".
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// A word that indicates the kind of a zone: it is a whole word of the name, or, with `inside`, any part of the name.
struct Word {
  std::string_view text;
  bool inside;
  Hint hint;
};

constexpr std::array kWords{Word{"wall", true, Hint::wall},         Word{"periodic", true, Hint::periodic},
                            Word{"cyclic", true, Hint::periodic},   Word{"per", false, Hint::periodic},
                            Word{"symm", true, Hint::symmetry},     Word{"sym", false, Hint::symmetry},
                            Word{"mirror", true, Hint::symmetry},   Word{"farfield", true, Hint::far_field},
                            Word{"far", false, Hint::far_field},    Word{"freestream", true, Hint::far_field},
                            Word{"ambient", true, Hint::far_field}, Word{"infinity", true, Hint::far_field},
                            Word{"outer", false, Hint::far_field},  Word{"inlet", true, Hint::inlet},
                            Word{"inflow", true, Hint::inlet},      Word{"in", false, Hint::inlet},
                            Word{"entry", false, Hint::inlet},      Word{"outlet", true, Hint::outlet},
                            Word{"outflow", true, Hint::outlet},    Word{"out", false, Hint::outlet},
                            Word{"exit", false, Hint::outlet},      Word{"exhaust", true, Hint::outlet},
                            Word{"axis", false, Hint::axis},        Word{"foil", true, Hint::wall},
                            Word{"wing", false, Hint::wall},        Word{"blade", true, Hint::wall},
                            Word{"body", true, Hint::wall},         Word{"fuselage", true, Hint::wall},
                            Word{"cylinder", true, Hint::wall},     Word{"sphere", true, Hint::wall},
                            Word{"hull", true, Hint::wall},         Word{"wedge", true, Hint::wall},
                            Word{"ramp", false, Hint::wall},        Word{"bump", true, Hint::wall},
                            Word{"flap", true, Hint::wall},         Word{"slat", true, Hint::wall},
                            Word{"plate", true, Hint::wall},        Word{"nozzle", true, Hint::wall},
                            Word{"vane", true, Hint::wall},         Word{"hub", false, Hint::wall},
                            Word{"shroud", true, Hint::wall},       Word{"casing", true, Hint::wall},
                            Word{"naca", true, Hint::wall},         Word{"obstacle", true, Hint::wall},
                            Word{"cone", false, Hint::wall},        Word{"nose", true, Hint::wall},
                            Word{"nacelle", true, Hint::wall},      Word{"pylon", true, Hint::wall},
                            Word{"tail", true, Hint::wall},         Word{"step", false, Hint::wall},
                            Word{"floor", false, Hint::wall},       Word{"ground", false, Hint::wall},
                            Word{"ceiling", false, Hint::wall},     Word{"adiabatic", true, Hint::wall},
                            Word{"slip", true, Hint::wall},         Word{"aircraft", true, Hint::wall},
                            Word{"airplane", true, Hint::wall}};

}  // namespace

Hint hint_of(const std::string& name) {
  const std::vector<std::string> words = words_of(name);
  std::string joined;
  for (const std::string& word : words) joined += word;
  for (const Word& known : kWords) {
    if (known.inside ? joined.find(known.text) != std::string::npos
                     : std::find(words.begin(), words.end(), known.text) != words.end())
      return known.hint;
  }
  return Hint::none;
}

std::size_t similarity(const std::string& a, const std::string& b) {
  const auto shorter = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  const auto prefix = std::mismatch(a.begin(), a.begin() + shorter, b.begin()).first - a.begin();
  const auto suffix = std::mismatch(a.rbegin(), a.rbegin() + (shorter - prefix), b.rbegin()).first - a.rbegin();
  return prefix + suffix;
}

}  // namespace weft::flow::detail
