#include "weft/io/vtk/vtm.hpp"

#include <fmt/format.h>

#include "weft/base/xml_text.hpp"
#include "weft/io/text_file.hpp"

namespace weft::io {
namespace {

std::string data_set(std::size_t index, const VtmBlock& block) {
  return fmt::format("<DataSet index=\"{}\" name=\"{}\" file=\"{}\"/>\n", index, xml_text(block.name), xml_text(block.file));
}

}  // namespace

void write_vtm(const std::filesystem::path& path, const VtmBlock& whole, const std::string& group_name,
               std::span<const VtmBlock> group) {
  std::string text =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"vtkMultiBlockDataSet\" version=\"1.0\" byte_order=\"LittleEndian\">\n<vtkMultiBlockDataSet>\n";
  text += data_set(0, whole);
  text += fmt::format("<Block index=\"1\" name=\"{}\">\n", xml_text(group_name));
  for (std::size_t i = 0; i < group.size(); ++i) text += data_set(i, group[i]);
  text += "</Block>\n</vtkMultiBlockDataSet>\n</VTKFile>\n";
  write_text(path, text);
}

}  // namespace weft::io
