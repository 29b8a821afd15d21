// Weft's own mesh format: every rank writes and reads its share, and all ranks report errors of a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/mesh/generate/generate.hpp"
#include "weft/mesh/io/read_mesh.hpp"
#include "weft/mesh/io/read_scatter.hpp"
#include "weft/mesh/io/write_mesh.hpp"
#include "weft/mesh/mesh.hpp"

#include "read_samples.hpp"

namespace weft::mesh::weft_file_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class WeftFile : public ::testing::Test {
 public:
  WeftFile() {
    if (comm.is_root()) fs::create_directories(folder);
    comm.barrier();
  }
  ~WeftFile() override {
    comm.barrier();
    if (comm.is_root()) fs::remove_all(folder);
  }

 protected:
  /// Writes a whole mesh that every rank has.
  void write(const MeshBlock& whole) const { write_mesh(comm, detail::scatter_whole(comm, whole), path, MeshFormat::weft); }

  /// Modifies the file through HDF5 on rank 0, and returns the error of reading it.
  std::string message_after(const std::function<void(hid_t)>& change) const {
    if (comm.is_root()) {
      const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
      change(file);
      H5Fclose(file);
    }
    return message();
  }
  std::string message() const {
    comm.barrier();
    try {
      static_cast<void>(read_mesh(comm, path));
    } catch (const Error& error) {
      EXPECT_EQ(error.where().file, path) << error.what();
      EXPECT_FALSE(error.suggestion().empty()) << error.what();
      std::string text = error.what();
      EXPECT_EQ(comm.broadcast(std::hash<std::string>{}(text)), std::hash<std::string>{}(text)) << "ranks differ";
      return text;
    }
    return "read without an error";
  }

  Communicator comm = Communicator::world();
  std::string folder = fs::temp_directory_path() / ("weft-own-" + std::to_string(comm.broadcast(std::int64_t{::getpid()})));
  std::string path = folder + "/m.h5";
};

void drop_checksums(hid_t file) {
  const auto drop = [](hid_t object, const char* name, const H5A_info_t*, void*) -> herr_t {
    if (std::string_view(name).starts_with("Checksum")) H5Adelete(object, name);
    return 0;
  };
  hsize_t at = 0;
  for (herr_t more = 1; more >= 0 && H5Aexists(file, "Checksum") > 0;)
    more = H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_DEC, &at, drop, nullptr), at = 0;
}

/// Sets entry `place` of a dataset to `value`.
template <class T>
void set(hid_t file, const char* name, hsize_t place, T value, hid_t type) {
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
  const hsize_t one = 1;
  H5Sselect_elements(space, H5S_SELECT_SET, 1, &place);
  const hid_t memory = H5Screate_simple(1, &one, nullptr);
  EXPECT_GE(H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, &value), 0);
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(dataset);
}

void set_attribute(hid_t file, const char* name, std::int64_t value) {
  const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
  EXPECT_GE(H5Awrite(attribute, H5T_NATIVE_INT64, &value), 0);
  H5Aclose(attribute);
}

/// Writes text like h5py writes a str.
hid_t text_of_variable_length() {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  return type;
}

template <class T>
void replace_dataset(hid_t file, const char* name, const std::vector<T>& values, hid_t type) {
  H5Ldelete(file, name, H5P_DEFAULT);
  const hsize_t size = values.size();
  const hid_t space = H5Screate_simple(1, &size, nullptr);
  const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Dclose(dataset);
  H5Sclose(space);
}

TEST_F(WeftFile, ReadsTheWrittenMeshOnAnyNumberOfRanks) {
  for (const MeshBlock& whole : {testing::mixed_2d(50), testing::mixed_3d(), testing::mixed_2d(1)}) {
    write(whole);
    const MeshBlock read = read_mesh(comm, path), wanted = detail::scatter_whole(comm, whole);
    EXPECT_EQ(read.source, path);
    testing::expect_same(read, wanted);
    EXPECT_EQ(read.cells.file_id, wanted.cells.file_id);
    EXPECT_EQ(read.boundary.file_id, wanted.boundary.file_id);
    // Written by all ranks, read by one.
    if (comm.is_root()) testing::expect_same(read_mesh(Communicator::self(), path), whole);
    comm.barrier();
  }
}

TEST_F(WeftFile, PreservesNumbersOfElementsAndCellsWithoutZone) {
  MeshBlock whole = testing::mixed_3d();
  for (std::size_t c = 0; c < whole.cells.file_id.size(); ++c) whole.cells.file_id[c] = std::int64_t{1} << (40 + c);
  whole.cells.zone[1] = ZoneId::invalid();
  IdVector<ZoneId, Zone> zones{Zone{"nowhere, \xC3\xBC \"and\" %", 2}};
  for (const Zone& zone : whole.zones) zones.push_back(zone);
  whole.zones = zones;
  for (ZoneId& zone : whole.cells.zone) {
    if (zone.valid()) ++zone;
  }
  for (ZoneId& zone : whole.boundary.zone) ++zone;
  write(whole);
  const MeshBlock read = read_mesh(comm, path), wanted = detail::scatter_whole(comm, whole);
  testing::expect_same(read, wanted);
  EXPECT_EQ(read.cells.file_id, wanted.cells.file_id);
}

TEST_F(WeftFile, APeriodicMeshFromAFileEqualsThatOfItsGenerator) {
  const BoxSpec spec{.nx = 6, .ny = 5, .nz = 4, .elements = CellMix::tetrahedra, .jitter = 0.1};
  const BuildOptions options{.periodic = {{"xmin", "xmax", {1, 0, 0}}, {"zmin", "zmax", {0, 0, 1}}}};
  write_mesh(comm, generate(comm, spec), path, MeshFormat::weft);
  const Mesh direct = build(comm, generate(comm, spec), options), read = build(comm, read_mesh(comm, path), options);
  EXPECT_EQ(read.cell_global, direct.cell_global);
  EXPECT_EQ(read.cell_file_id, direct.cell_file_id);
  EXPECT_EQ(read.node_global, direct.node_global);
  EXPECT_EQ(read.node_coord, direct.node_coord);
  EXPECT_EQ(read.face_normal, direct.face_normal);
  EXPECT_EQ(read.face_left, direct.face_left);
  EXPECT_EQ(read.face_right, direct.face_right);
  ASSERT_EQ(read.boundary.size(), 2U);
  EXPECT_EQ(read.boundary[BoundaryZoneId(0)].name, "ymin");
}

TEST_F(WeftFile, AWriteErrorThrowsOnEveryRankAndPreservesTheOldFile) {
  const MeshBlock mine = detail::scatter_whole(comm, testing::mixed_2d());
  EXPECT_THROW(write_mesh(comm, mine, folder + "/no/such/m.h5", MeshFormat::weft), IoError);
  write(testing::mixed_2d());
  MeshBlock other = detail::scatter_whole(comm, testing::mixed_3d());
  other.zones[ZoneId(0)].name = "two\nlines";
  EXPECT_THROW(write_mesh(comm, other, path, MeshFormat::weft), IoError);
  testing::expect_same(read_mesh(comm, path), mine);
  EXPECT_THROW(static_cast<void>(format_mesh(testing::mixed_2d(), MeshFormat::weft, "m")), InputError);
}

TEST_F(WeftFile, ChecksumsDetectDamage) {
  for (const char* name : {"nodes", "cells/type", "cells/nodes", "cells/zone", "cells/id", "boundary/type", "boundary/nodes",
                           "boundary/zone", "boundary/id"}) {
    SCOPED_TRACE(name);
    const MeshBlock whole = testing::mixed_2d(20);
    write(whole);
    std::uintmax_t offset = 0;
    if (comm.is_root()) {
      const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), dataset = H5Dopen2(file, name, H5P_DEFAULT);
      offset = H5Dget_offset(dataset) + H5Dget_storage_size(dataset) / 2;
      H5Dclose(dataset);
      H5Fclose(file);
      std::fstream bytes(path, std::ios::in | std::ios::out | std::ios::binary);
      bytes.seekg(static_cast<std::streamoff>(offset));
      const char changed = static_cast<char>(bytes.get() ^ 2);
      bytes.seekp(static_cast<std::streamoff>(offset));
      bytes.put(changed);
    }
    const std::string said = message();
    EXPECT_NE(said, "read without an error");
    // A changed type changes the further data that are read, and is detected by these.
    if (std::string_view(name).ends_with("type")) continue;
    EXPECT_THAT(said, HasSubstr(std::string(name) + " are not those that were written"));
  }
}

TEST_F(WeftFile, InvalidContentThrowsWithoutChecksums) {
  const auto spoil = [&](const std::function<void(hid_t)>& change) {
    write(testing::mixed_3d());
    return message_after([&](hid_t file) {
      drop_checksums(file);
      change(file);
    });
  };
  EXPECT_EQ(spoil([](hid_t) {}), "read without an error");
  EXPECT_THAT(spoil([](hid_t file) { set<std::int64_t>(file, "cells/nodes", 3, 12, H5T_NATIVE_INT64); }),
              HasSubstr("element 0: node 12 of the hexahedron does not exist; the mesh has 12 nodes, numbered from 0"));
  EXPECT_THAT(spoil([](hid_t file) { set<std::int64_t>(file, "cells/nodes", 3, -1, H5T_NATIVE_INT64); }),
              HasSubstr("element 0: node -1 of the hexahedron does not exist"));
  EXPECT_THAT(spoil([](hid_t file) { set<std::int64_t>(file, "boundary/nodes", 0, std::int64_t{1} << 40, H5T_NATIVE_INT64); }),
              HasSubstr("node 1099511627776 of the quad does not exist"));
  EXPECT_THAT(spoil([](hid_t file) { set<std::int32_t>(file, "cells/zone", 1, 4, H5T_NATIVE_INT32); }),
              HasSubstr("the cell is in zone 4, which does not exist; the mesh has 4 zones, numbered from 0"));
  EXPECT_THAT(spoil([](hid_t file) { set<std::int32_t>(file, "cells/zone", 1, -21, H5T_NATIVE_INT32); }),
              HasSubstr("the cell is in zone -21, which does not exist"));
  EXPECT_THAT(spoil([](hid_t file) { set<std::int32_t>(file, "cells/zone", 1, 0, H5T_NATIVE_INT32); }),
              HasSubstr("the cell is in a zone of dimension 2, not 3"));
  EXPECT_THAT(spoil([](hid_t file) { set<std::uint8_t>(file, "cells/type", 1, 18, H5T_NATIVE_UINT8); }),
              HasSubstr("element 1: unknown element type 18 in cells/type"));
  EXPECT_THAT(spoil([](hid_t file) { set<std::uint8_t>(file, "cells/type", 1, 10, H5T_NATIVE_UINT8); }),
              HasSubstr("cells/nodes has 23 entries, and the elements' types ask for 21"));
  EXPECT_THAT(spoil([](hid_t file) { replace_dataset(file, "cells/zone", std::vector<std::int32_t>{2}, H5T_NATIVE_INT32); }),
              HasSubstr("cells/zone has 1 entries for 4 elements"));
  EXPECT_THAT(spoil([](hid_t file) { replace_dataset(file, "cells/id", std::vector<double>(4), H5T_NATIVE_DOUBLE); }),
              HasSubstr("cells/id holds rows of 1 float64, not of 1 int64"));
  EXPECT_THAT(spoil([](hid_t file) { replace_dataset(file, "nodes", std::vector<double>(12), H5T_NATIVE_DOUBLE); }),
              HasSubstr("nodes holds rows of 1 float64, not of 3 float64"));
  EXPECT_THAT(spoil([](hid_t file) { H5Ldelete(file, "boundary", H5P_DEFAULT); }), HasSubstr("there is no boundary/type in it"));
  EXPECT_THAT(spoil([](hid_t file) { set_attribute(file, "Dimension", 4); }), HasSubstr("the mesh has 4 dimensions"));
  EXPECT_THAT(spoil([](hid_t file) { set_attribute(file, "Dimension", 2); }), HasSubstr("cannot be a cell of a 2-D mesh"));
  EXPECT_THAT(spoil([](hid_t file) { set_attribute(file, "Version", 9); }),
              HasSubstr("is a Weft mesh of format 9, and this program reads format 1; use the version of Weft that wrote it"));
  EXPECT_THAT(spoil([](hid_t file) { H5Adelete(file, "Version"); }), HasSubstr("Version"));
  EXPECT_THAT(
      spoil([](hid_t file) {
        H5Adelete(file, "Format");
        const hid_t type = text_of_variable_length(), space = H5Screate(H5S_SCALAR);
        const hid_t attribute = H5Acreate2(file, "Format", type, space, H5P_DEFAULT, H5P_DEFAULT);
        const char* text = "weft mesh";
        EXPECT_GE(H5Awrite(attribute, type, &text), 0);
        H5Aclose(attribute);
        H5Sclose(space);
        H5Tclose(type);
      }),
      HasSubstr("attribute Format of / is a text of variable length, which HDF5 does not read safely; write it with a fixed "
                "length; in Python, numpy.bytes_(text)"));
  EXPECT_THAT(spoil([](hid_t file) {
                const hid_t type = text_of_variable_length();
                replace_dataset(file, "zones/names", std::vector<const char*>{"a\nb\nc\nd\n"}, type);
                H5Tclose(type);
              }),
              HasSubstr("zones/names is a text of variable length"));
  EXPECT_THAT(
      spoil([](hid_t file) { replace_dataset(file, "zones/dimensions", std::vector<std::int32_t>(5), H5T_NATIVE_INT32); }),
      HasSubstr("zones/names has fewer lines than zones/dimensions has numbers"));
  EXPECT_THAT(
      spoil([](hid_t file) { replace_dataset(file, "zones/dimensions", std::vector<std::int32_t>(3), H5T_NATIVE_INT32); }),
      HasSubstr("zones/names has more lines"));
}

// Errors that no rank can detect in its share alone, and for which files of other formats are rejected when read.
TEST_F(WeftFile, InvalidMeshesThrow) {
  const auto untouched = [](hid_t) {};
  MeshBlock mesh = testing::mixed_3d();
  mesh.zones[ZoneId(1)].name = mesh.zones[ZoneId(0)].name;
  write(mesh);
  EXPECT_THAT(message_after(untouched), HasSubstr("two zones have this name; give each zone a name of its own, or join them"));
  mesh = testing::mixed_2d();
  for (Vec3& x : mesh.coords) x.z = x.x;
  write(mesh);
  EXPECT_THAT(message_after(untouched), HasSubstr("the mesh is 2-D, but has nodes off the plane z = 0"));
}

TEST_F(WeftFile, ADatasetLargerThanTheFileThrowsBeforeTheAllocation) {
  write(testing::mixed_2d());
  const std::string said = message_after([](hid_t file) {
    H5Ldelete(file, "cells/type", H5P_DEFAULT);
    const hsize_t size = hsize_t{1} << 45;
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    // The data are never written, so that the file remains small.
    H5Dclose(H5Dcreate2(file, "cells/type", H5T_NATIVE_UINT8, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
  });
  EXPECT_THAT(said, HasSubstr("cells/type is larger than the file that holds it"));
}

TEST_F(WeftFile, OtherHdf5FilesAreReported) {
  const auto other = [&](const std::function<void(hid_t)>& fill) {
    if (comm.is_root()) {
      const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
      fill(file);
      H5Fclose(file);
    }
    return message();
  };
  EXPECT_THAT(other([](hid_t) {}), HasSubstr("not a CGNS mesh"));
  EXPECT_THAT(other([](hid_t file) { H5Gclose(H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); }),
              HasSubstr("these are results (VTKHDF), not a mesh"));
}

/// Files of every length and many flipped bits yield a clear error or the written mesh; no rank waits forever.
TEST_F(WeftFile, TruncatedAndFlippedFilesAreReadOrThrow) {
  write(testing::mixed_2d(1));
  std::string bytes;
  if (comm.is_root()) {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto size = comm.broadcast(bytes.size());
  const auto try_it = [&](const std::string& changed) {
    if (comm.is_root()) std::ofstream(path, std::ios::binary | std::ios::trunc) << changed;
    return message();
  };
  for (std::size_t part = 0; part < size; part += 97) {
    EXPECT_NE(try_it(bytes.substr(0, comm.is_root() ? part : 0)), "read without an error") << part;
  }
#ifdef __SANITIZE_ADDRESS__
  return;  // HDF5 reads out of bounds for some of these
#endif
  for (std::size_t i = 0; i < size; i += 41) {
    std::string changed = bytes;
    if (comm.is_root()) changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 8)));
    static_cast<void>(try_it(changed));
  }
}

}  // namespace
}  // namespace weft::mesh::weft_file_test
