#pragma once
/// Ids of the mesh's entities. Local ids are 32-bit and count from 0 on each rank; global ids are 64-bit and used only while
/// building, in files and in messages to people.
#include <cstdint>

#include "weft/base/id.hpp"

namespace weft::mesh {

struct CellTag;
struct FaceTag;
struct NodeTag;

using LocalCellId = Id<CellTag, std::int32_t>;
using LocalFaceId = Id<FaceTag, std::int32_t>;
using LocalNodeId = Id<NodeTag, std::int32_t>;
using GlobalCellId = Id<CellTag, std::int64_t>;
using GlobalNodeId = Id<NodeTag, std::int64_t>;

}  // namespace weft::mesh
