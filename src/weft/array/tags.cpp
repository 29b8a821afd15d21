#include "weft/array/tags.hpp"

#include <fmt/format.h>

#include <vector>

#include "weft/base/error.hpp"

namespace weft::detail {
namespace {

// Numbered from the last tag downwards; the first ones are free for other uses. Never destroyed: exchanges may outlive other
// static objects.
std::vector<bool>& used() {
  static auto& list = *new std::vector<bool>(Communicator::kTags, false);
  return list;
}

int first_free(int from) {
  while (from < Communicator::kTags && used()[from]) ++from;
  return from;
}

}  // namespace

Tag::Tag(const Communicator& comm) {
  // Ranks may have released different tags: the number increases until all ranks agree.
  int proposal = 0;
  for (bool free = false; !free;) {
    proposal = comm.max(first_free(proposal));
    if (proposal == Communicator::kTags) {
      throw LimitError(fmt::format("{} exchanges exist at the same time", Communicator::kTags),
                       "reuse exchanges, or destroy unused ones");
    }
    free = comm.all(!used()[proposal]);
    if (!free) ++proposal;
  }
  slot_ = proposal;
  used()[slot_] = true;
}

Tag::~Tag() { used()[slot_] = false; }

}  // namespace weft::detail
