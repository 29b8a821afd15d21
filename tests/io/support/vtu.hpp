#pragma once
// Reader of the .vtu files of weft for tests: raw appended data, 64-bit sizes.
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "weft/io/text_file.hpp"

namespace weft::io {

class VtuContent {
 public:
  explicit VtuContent(const std::filesystem::path& path) : text_(read_text(path)), data_(text_.find("\n_") + 2) {}

  // Returns the numbers of an array of any type.
  [[nodiscard]] std::vector<double> array(const std::string& name) const {
    const std::string element = element_of("Name=\"" + name + "\"");
    const std::string type = attribute(element, "type");
    if (type == "Float64") return numbers<double>(element);
    if (type == "Float32") return numbers<float>(element);
    if (type == "Int64") return numbers<std::int64_t>(element);
    return numbers<std::uint8_t>(element);
  }
  [[nodiscard]] std::string type_of(const std::string& name) const {
    return attribute(element_of("Name=\"" + name + "\""), "type");
  }
  [[nodiscard]] bool has(const std::string& name) const { return text_.find("Name=\"" + name + "\"") < data_; }
  [[nodiscard]] std::size_t cells() const { return std::stoul(attribute(element_of("NumberOfCells"), "NumberOfCells")); }
  [[nodiscard]] std::size_t points() const { return std::stoul(attribute(element_of("NumberOfPoints"), "NumberOfPoints")); }

 private:
  [[nodiscard]] std::string element_of(const std::string& what) const {
    const std::size_t at = text_.find(what);
    if (at >= data_) throw std::runtime_error("there is no " + what);
    const std::size_t begin = text_.rfind('<', at);
    return text_.substr(begin, text_.find('>', at) - begin);
  }
  [[nodiscard]] static std::string attribute(const std::string& element, const std::string& name) {
    const std::size_t begin = element.find(" " + name + "=\"") + name.size() + 3;
    return element.substr(begin, element.find('"', begin) - begin);
  }
  template <class T>
  [[nodiscard]] std::vector<double> numbers(const std::string& element) const {
    const std::size_t at = data_ + std::stoul(attribute(element, "offset"));
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, &text_.at(at), sizeof bytes);
    std::vector<T> values(bytes / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), &text_.at(at + sizeof bytes + bytes - 1) - (bytes - 1), bytes);
    return {values.begin(), values.end()};
  }

  std::string text_;
  std::size_t data_;
};

}  // namespace weft::io
