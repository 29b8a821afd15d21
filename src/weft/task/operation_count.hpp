#pragma once
/// OperationCount: the work of a task, for its rates.

namespace weft::task {

/// The floating-point operations of a task and the bytes that it must move between memory and processor: each input read once,
/// each result written once.
struct OperationCount {
  double flops = 0;  ///< 0: not known
  double bytes = 0;  ///< 0: not known

  constexpr OperationCount& operator+=(const OperationCount& other) {
    flops += other.flops;
    bytes += other.bytes;
    return *this;
  }
  friend constexpr OperationCount operator+(OperationCount a, const OperationCount& b) { return a += b; }
  friend constexpr OperationCount operator*(double factor, const OperationCount& count) {
    return {factor * count.flops, factor * count.bytes};
  }
  friend constexpr bool operator==(const OperationCount&, const OperationCount&) = default;
};

/// The highest rates of a machine for one rank.
struct MachineRates {
  double flops_per_second = 0;  ///< 0: not known
  double bytes_per_second = 0;  ///< rate of a copy, read plus written; 0: not known

  /// Returns the least time of this work in s, by the roofline model; 0: not known.
  [[nodiscard]] constexpr double seconds(const OperationCount& count) const {
    const double of_flops = flops_per_second > 0 ? count.flops / flops_per_second : 0;
    const double of_bytes = bytes_per_second > 0 ? count.bytes / bytes_per_second : 0;
    return of_flops > of_bytes ? of_flops : of_bytes;
  }
};

}  // namespace weft::task
