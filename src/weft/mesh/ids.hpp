#pragma once
/// Ids of the entities of a mesh. Local ids have 32 bits and count from 0 on each rank; global ids have 64 bits and are used
/// only during construction, in files and in messages.
#include <cstdint>

#include "weft/base/id.hpp"

namespace weft::mesh {

struct CellTag;
struct FaceTag;
struct NodeTag;
struct BoundaryZoneTag;

using LocalCellId = Id<CellTag, std::int32_t>;
using LocalFaceId = Id<FaceTag, std::int32_t>;
using LocalNodeId = Id<NodeTag, std::int32_t>;
using GlobalCellId = Id<CellTag, std::int64_t>;
using GlobalNodeId = Id<NodeTag, std::int64_t>;
/// The index of a boundary zone in Mesh::boundary, equal on every rank.
using ZoneIndex = Id<BoundaryZoneTag, std::int32_t>;

}  // namespace weft::mesh
