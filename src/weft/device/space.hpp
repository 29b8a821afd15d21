#pragma once
/// Where data lives and where loops run.
#include <cstdint>
#include <type_traits>

namespace weft {

/// Kinds of memory that an array's device side can live in.
enum class Backend : std::uint8_t {
  host,    ///< no device: the host side is the only one
  mirror,  ///< a second host buffer that behaves as a device, so that every transfer is tested where there is no GPU
};

[[nodiscard]] const char* to_string(Backend backend);

/// Tags for views and loops.
namespace space {
struct host {};
struct mirror {};  ///< data of the device side of a mirror; its loops run on the host
}  // namespace space

template <class S>
concept Space = std::is_same_v<S, space::host> || std::is_same_v<S, space::mirror>;

}  // namespace weft
