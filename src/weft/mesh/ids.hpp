#pragma once
/// Ids of the entities of a mesh. Local ids have 32 bits and count from 0 on each rank; global ids have 64 bits and are used
/// only during construction, in files and in messages.
#include <cstdint>

#include "weft/base/id.hpp"

namespace weft::mesh {

struct CellTag;
struct FaceTag;
struct NodeTag;
struct ZoneTag;
struct BoundaryZoneTag;

using LocalCellId = Id<CellTag, std::int32_t>;
using LocalFaceId = Id<FaceTag, std::int32_t>;
using LocalNodeId = Id<NodeTag, std::int32_t>;
using GlobalCellId = Id<CellTag, std::int64_t>;
using GlobalNodeId = Id<NodeTag, std::int64_t>;
/// The position of a boundary or volume zone in MeshBlock::zones and Mesh::zones, equal on every rank.
using ZoneId = Id<ZoneTag, std::int32_t>;
/// The position of a boundary zone in Mesh::boundary, which lacks volume zones and periodic zones; equal on every rank.
using BoundaryZoneId = Id<BoundaryZoneTag, std::int32_t>;

}  // namespace weft::mesh
