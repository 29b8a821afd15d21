#include "weft/array/transport.hpp"

namespace weft {

const char* to_string(Transport transport) {
  switch (transport) {
    case Transport::automatic:
      return "automatic";
    case Transport::host:
      return "host";
    case Transport::shared:
      return "shared";
    case Transport::staged:
      return "staged";
    case Transport::cuda_aware:
      return "cuda_aware";
    case Transport::nccl:
      return "nccl";
    case Transport::peer:
      return "peer";
  }
  return "?";
}

}  // namespace weft
