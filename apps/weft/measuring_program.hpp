#pragma once
/// The programs that measure kernels on the GPU (bench/kernels/primitives) and on the host (bench/kernels/primitives_host).
/// They are separate from weft because nvcc compiles the former together with all of CUB that it compares with, and because
/// builds of weft alone need neither.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "json_output.hpp"

namespace weft::app {

/// The machine of which kernels are measured.
enum class MeasuredOn : std::uint8_t { gpu, host };

class MeasuringProgram {
 public:
  /// Finds the program relative to the location of this one.
  /// @throws DeviceError: for a GPU, weft was built without CUDA, or there is no GPU; IoError: the program is not there.
  explicit MeasuringProgram(MeasuredOn machine);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Runs the program and calls `each` for every line that it prints, a JSON object. Its errors go to standard error.
  /// @return false if its exit code is not 0; then it has printed the reason.
  /// @throws IoError: it cannot be started, was ended by a signal, or printed nothing or something else. A Json::exception of
  /// `each` counts as the latter; other exceptions are passed on. The program has ended in any case.
  [[nodiscard]] bool run(std::vector<std::string> arguments, const std::function<void(const Json&)>& each) const;

 private:
  std::filesystem::path path_;
};

}  // namespace weft::app
