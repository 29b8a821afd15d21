// Evaluates operations on layouts for layout_model.py. Reads lines "operation|argument|argument", with layouts and numbers as
// text, and writes the result of each as a line: a layout, numbers, or "invalid: message".
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/kernels/layout/banks.hpp"
#include "weft/kernels/layout/divide.hpp"
#include "weft/kernels/layout/text.hpp"
#include "weft/kernels/layout/thread_values.hpp"

namespace {

using namespace weft::kernels::layout;
using Arguments = std::vector<std::string>;

Layout layout_at(const Arguments& arguments, std::size_t k) { return parse_layout(arguments.at(k)); }
std::int64_t number_at(const Arguments& arguments, std::size_t k) { return std::stoll(arguments.at(k)); }

std::string values(const Layout& l) {
  std::string text;
  for (std::int64_t i = 0; i < l.size(); ++i) text += std::to_string(l(i)) + " ";
  return text;
}

const std::map<std::string, std::function<std::string(const Arguments&)>>& operations() {
  static const std::map<std::string, std::function<std::string(const Arguments&)>> all = {
      {"values", [](const auto& a) { return values(layout_at(a, 1)); }},
      {"coalesce", [](const auto& a) { return to_text(coalesce(layout_at(a, 1))); }},
      {"composition", [](const auto& a) { return to_text(composition(layout_at(a, 1), layout_at(a, 2))); }},
      {"complement", [](const auto& a) { return to_text(complement(layout_at(a, 1), number_at(a, 2))); }},
      {"right_inverse", [](const auto& a) { return to_text(right_inverse(layout_at(a, 1))); }},
      {"left_inverse", [](const auto& a) { return to_text(left_inverse(layout_at(a, 1))); }},
      {"is_bijective", [](const auto& a) { return std::string(is_bijective(layout_at(a, 1)) ? "1" : "0"); }},
      {"logical_divide", [](const auto& a) { return to_text(logical_divide(layout_at(a, 1), layout_at(a, 2))); }},
      {"zipped_divide", [](const auto& a) { return to_text(zipped_divide(layout_at(a, 1), layout_at(a, 2))); }},
      {"blocked_product", [](const auto& a) { return to_text(blocked_product(layout_at(a, 1), layout_at(a, 2))); }},
      {"raked_product", [](const auto& a) { return to_text(raked_product(layout_at(a, 1), layout_at(a, 2))); }},
      {"thread_values", [](const auto& a) { return to_text(thread_values(layout_at(a, 1), layout_at(a, 2))); }},
      {"wavefronts",
       [](const auto& a) {
         const auto element_bytes = static_cast<int>(number_at(a, 2)), bytes = static_cast<int>(number_at(a, 3));
         return std::to_string(bank_conflicts(layout_at(a, 1), element_bytes, bytes).wavefronts);
       }},
  };
  return all;
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    Arguments arguments;
    for (std::size_t at = 0; at != std::string::npos;) {
      const std::size_t end = line.find('|', at);
      arguments.push_back(line.substr(at, end == std::string::npos ? end : end - at));
      at = end == std::string::npos ? end : end + 1;
    }
    try {
      std::printf("%s\n", operations().at(arguments.at(0))(arguments).c_str());
    } catch (const weft::InputError& error) {
      std::printf("invalid: %s\n", error.what());
    }
  }
}
