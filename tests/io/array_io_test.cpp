#include "weft/io/array_io.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <span>
#include <vector>

#include "weft/base/vec3.hpp"
#include "weft/device/registered_memory.hpp"

#include "io/support/scratch.hpp"
#include "support/time_limit.hpp"

namespace weft::io::array_io_test {
namespace {

using ::testing::HasSubstr;

struct KeyTag;
using Key = Id<KeyTag, std::int32_t>;
enum class Colour : std::uint8_t { red, green, blue };
struct Opaque {
  std::int32_t a = 0;
  float b = 0;
  friend bool operator==(const Opaque&, const Opaque&) = default;
};

// Value of entry k of global row g in any type.
template <class T>
T entry(std::int64_t g, int k) {
  const std::int64_t n = 10 * g + k;
  if constexpr (std::is_same_v<T, Vec3>) {
    return {static_cast<double>(n), 0.1 * static_cast<double>(n), -1};
  } else if constexpr (std::is_same_v<T, Opaque>) {
    return {static_cast<std::int32_t>(n), static_cast<float>(n) / 3};
  } else if constexpr (std::is_same_v<T, Colour>) {
    return static_cast<Colour>(n % 3);
  } else if constexpr (is_id_v<T>) {
    return T(n);
  } else {
    return static_cast<T>(n) / static_cast<T>(3);
  }
}

int ragged_size(std::int64_t g) { return static_cast<int>(g * 7 % 5); }

template <class A>
constexpr bool kRagged = A::kKind == RowKind::static_max || A::kKind == RowKind::max || A::kKind == RowKind::csr;

// Creates `rows` rows on this rank, numbered after those of the lower ranks.
template <class A>
A filled(const Communicator& comm, std::int64_t rows, Layout layout = Layout::aos) {
  const std::int64_t first = comm.exclusive_sum(rows);
  A array = [&] {
    if constexpr (A::kKind == RowKind::csr) {
      return A();
    } else if constexpr (A::kKind == RowKind::fixed || A::kKind == RowKind::max) {
      return A(rows, A::kKind == RowKind::fixed ? 3 : 6, layout);
    } else {
      return A(rows, layout);
    }
  }();
  using T = typename A::value_type;
  for (std::int64_t i = 0; i < rows; ++i) {
    if constexpr (A::kKind == RowKind::csr) {
      std::vector<T> row;
      for (int k = 0; k < ragged_size(first + i); ++k) row.push_back(entry<T>(first + i, k));
      array.push_row(row);
    } else {
      if constexpr (kRagged<A>) array.resize_row(i, ragged_size(first + i));
      for (int k = 0; k < array.row_size(i); ++k) array(i, k) = entry<T>(first + i, k);
    }
  }
  return array;
}

template <class A>
void expect_rows(const A& array, std::int64_t first, std::int64_t rows) {
  ASSERT_EQ(array.rows(), rows);
  for (std::int64_t i = 0; i < rows; ++i) {
    if constexpr (kRagged<A>) {
      ASSERT_EQ(array.row_size(i), ragged_size(first + i));
    }
    for (int k = 0; k < array.row_size(i); ++k) {
      ASSERT_TRUE(array(i, k) == (entry<typename A::value_type>(first + i, k))) << "row " << first + i << " entry " << k;
    }
  }
}

template <class A>
class ArrayIo : public ::testing::Test {};

using Arrays =
    ::testing::Types<Array<double, 5>, Array<double, 1>, Array<double, 5, 5, 64>, Array<float, Dynamic>,
                     Array<Key, NonUniform, 8>, Array<std::int64_t, NonUniform, Dynamic>, Array<Key, NonUniform>, Array<Vec3, 2>,
                     Array<Vec3, NonUniform>, Array<Colour, Dynamic>, Array<Opaque, 3>, Array<Opaque, NonUniform>>;
TYPED_TEST_SUITE(ArrayIo, Arrays);

TYPED_TEST(ArrayIo, RoundTripOnTheSameRanksWithAnEmptyOne) {
  const Communicator comm = Communicator::world();
  const Scratch scratch(comm);
  const std::int64_t rows = comm.size() == 1 ? 7 : 4 * comm.rank().value();
  const TypeParam array = filled<TypeParam>(comm, rows);
  Hdf5File file = Hdf5File::create(comm, scratch / "a.h5");
  write_array(file, "group/u", array);
  file.close();
  const Hdf5File in = Hdf5File::open(comm, scratch / "a.h5");
  TypeParam read;
  read_array(in, "group/u", read);
  expect_rows(read, comm.exclusive_sum(rows), rows);
}

TYPED_TEST(ArrayIo, ReadEvenlyOrAsRequestedByMoreRanks) {
  const Communicator comm = Communicator::world();
  const Scratch scratch(comm);
  constexpr std::int64_t kRows = 11;
  // Rank 0 writes alone: the other ranks did not write.
  if (comm.is_root()) {
    Hdf5File file = Hdf5File::create(Communicator::self(), scratch / "a.h5");
    write_array(file, "u", filled<TypeParam>(Communicator::self(), kRows));
    file.close();
  }
  comm.barrier();
  const Hdf5File in = Hdf5File::open(comm, scratch / "a.h5");
  TypeParam read;
  read_array(in, "u", read);
  const std::int64_t first = kRows * comm.rank().value() / comm.size();
  expect_rows(read, first, kRows * (comm.rank().value() + 1) / comm.size() - first);
  // The last rank reads all rows.
  const bool takes = comm.rank().value() == comm.size() - 1;
  read_array(in, "u", read, takes ? kRows : 0);
  expect_rows(read, 0, takes ? kRows : 0);
}

TYPED_TEST(ArrayIo, NoRowsOnAnyRank) {
  const Communicator comm = Communicator::world();
  const Scratch scratch(comm);
  Hdf5File file = Hdf5File::create(comm, scratch / "a.h5");
  write_array(file, "u", filled<TypeParam>(comm, 0));
  file.close();
  TypeParam read = filled<TypeParam>(comm, 2);
  read_array(Hdf5File::open(comm, scratch / "a.h5"), "u", read);
  EXPECT_EQ(read.rows(), 0);
}

class ArrayIoFile : public ::testing::Test {
 protected:
  Communicator comm = Communicator::world();
  Scratch scratch{comm};
  std::filesystem::path path = scratch / "a.h5";
};

TEST_F(ArrayIoFile, FilesDoNotDependOnTheLayout) {
  Hdf5File file = Hdf5File::create(comm, path);
  write_array(file, "soa", filled<Array<double, 5>>(comm, 3, Layout::soa));
  file.close();
  const Hdf5File in = Hdf5File::open(comm, path);
  Array<double, Dynamic> dynamic;
  read_array(in, "soa", dynamic);
  EXPECT_EQ(dynamic.width(), 5);
  expect_rows(dynamic, 3 * comm.rank().value(), 3);
  Array<double, 5> soa(0, Layout::soa);
  read_array(in, "soa", soa);
  EXPECT_EQ(soa.layout(), Layout::soa);
  expect_rows(soa, 3 * comm.rank().value(), 3);
}

TEST_F(ArrayIoFile, DecompressedRowsAreWritten) {
  auto csr = filled<Array<Key, NonUniform>>(comm, 4);
  csr.decompress();
  Hdf5File file = Hdf5File::create(comm, path);
  write_array(file, "csr", csr);
  file.close();
  Array<Key, NonUniform, 8> padded;
  read_array(Hdf5File::open(comm, path), "csr", padded);
  expect_rows(padded, 4 * comm.rank().value(), 4);
}

TEST_F(ArrayIoFile, AStaleSideIsAnErrorOnEveryRank) {
  test::limit_present_test();
  Array<double, 5> array(3, Layout::aos, Backend::mirror);
  array(0, 0) = 1;
  Hdf5File file = Hdf5File::create(comm, path);
  write_array(file, "fresh", array);
  array.to_device(After());
  if (comm.is_root()) (void)array.view<Aos, space::mirror>();  // like a kernel that writes
  EXPECT_THROW(write_array(file, "stale", array), DeviceError);
  file.close();
  Array<double, 5> read(0, Layout::soa, Backend::mirror);
  read_array(Hdf5File::open(comm, path), "fresh", read);
  EXPECT_EQ(read(0, 0), 1);
}

TEST_F(ArrayIoFile, ParArraysGetTheirOffsets) {
  ParArray<double, 5> array(comm, filled<Array<double, 5>>(comm, comm.rank().value()));
  Hdf5File file = Hdf5File::create(comm, path);
  write_array(file, "u", array);
  file.close();
  ParArray<double, 5> read(comm);
  read_array(Hdf5File::open(comm, path), "u", read);
  EXPECT_EQ(read.global_rows(), array.global_rows());
  EXPECT_EQ(read.row_offsets().first(), array.row_offsets().first());
  expect_rows(read.local(), read.row_offsets().first().value(), comm.rank().value());
}

/// Makes the host side stale, like a kernel that writes.
template <class A>
void write_on_device(A& array) {
  array.to_device(After()).wait();
  if (array.layout() == Layout::aos) {
    (void)array.template view<Aos, space::mirror>();
  } else {
    (void)array.template view<Soa, space::mirror>();
  }
}

TEST_F(ArrayIoFile, StaleArraysAreReplaced) {
  test::limit_present_test();
  const std::int64_t rows = comm.rank().value();  // rank 0 has none
  const std::int64_t first = comm.exclusive_sum(rows);
  Hdf5File file = Hdf5File::create(comm, path);
  write_array(file, "u", filled<Array<double, 5>>(comm, rows));
  write_array(file, "csr", filled<Array<Key, NonUniform>>(comm, rows));
  file.close();
  const Hdf5File in = Hdf5File::open(comm, path);
  for (const Layout layout : {Layout::aos, Layout::soa}) {
    Array<double, 5> u(rows, layout, Backend::mirror, Side::device);
    ParArray<double, 5> of_all(comm, Array<double, 5>(rows, layout, Backend::mirror, Side::device));
    u.set_name("u");
    read_array(in, "u", u);
    read_array(in, "u", of_all);
    expect_rows(u, first, rows);
    expect_rows(of_all.local(), first, rows);
    EXPECT_EQ(u.layout(), layout);
    EXPECT_EQ(u.backend(), Backend::mirror);
    EXPECT_EQ(of_all.backend(), Backend::mirror);
    write_on_device(u);
    if (rows == 0) continue;
    EXPECT_THAT(error_of<DeviceError>([&] { (void)u(0, 0); }), HasSubstr("\"u\"")) << "the name remains";
  }
  Array<Key, NonUniform> csr({0, 1}, {Key(1)}, Backend::mirror);
  write_on_device(csr);
  read_array(in, "csr", csr);
  expect_rows(csr, first, rows);
}

TEST_F(ArrayIoFile, MemoryOfOthersIsFilledInItsPlace) {
  test::limit_present_test();
  Hdf5File file = Hdf5File::create(comm, path);
  write_array(file, "u", filled<Array<double, 5>>(comm, 3));
  file.close();
  const Hdf5File in = Hdf5File::open(comm, path);
  for (const Layout layout : {Layout::aos, Layout::soa}) {
    std::vector<double> values(15), fewer(10);
    const RegisteredMemory memory{std::span(values)}, of_fewer{std::span(fewer)};
    Array<double, 5> u(memory, layout, Backend::mirror);
    write_on_device(u);
    read_array(in, "u", u);
    expect_rows(u, 3 * comm.rank().value(), 3);
    EXPECT_EQ(u.data(), values.data());
    Array<double, 5> small(of_fewer, layout, Backend::mirror);
    EXPECT_THAT(error_of<ContractError>([&] { read_array(in, "u", small); }), HasSubstr("memory of others"));
  }
}

// Only the last rank reads the damaged rows; every rank throws, and none waits.
TEST_F(ArrayIoFile, DamagedRowLengthsOfOneRankAreAnErrorOnEveryRank) {
  test::limit_present_test();
  Hdf5File file = Hdf5File::create(comm, path);
  write_array(file, "padded", filled<Array<Key, NonUniform, 8>>(comm, 5));
  file.close();
  const std::int64_t last = 5 * std::int64_t{comm.size()} - 1;
  if (comm.is_root()) {  // the last three rows start at that of the preceding row, and the last one contains their entries
    const hid_t whole = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t starts = H5Dopen2(whole, "padded/row_start", H5P_DEFAULT), space = H5Dget_space(starts);
    std::vector<std::int64_t> values(static_cast<std::size_t>(last) + 1);
    H5Dread(starts, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    std::fill(values.end() - 3, values.end(), values[values.size() - 4]);
    H5Dwrite(starts, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Sclose(space);
    H5Dclose(starts);
    H5Fclose(whole);
  }
  comm.barrier();
  const Hdf5File in = Hdf5File::open(comm, path);
  Array<Key, NonUniform, 8> padded;
  EXPECT_THAT(error_of<IoError>([&] { read_array(in, "padded", padded); }),
              HasSubstr("array padded: row " + std::to_string(last) + " has "));
  Array<Key, NonUniform> csr;
  EXPECT_THAT(error_of<IoError>([&] { read_array(in, "padded", csr); }), HasSubstr("and no row may have more than 4"));
}

TEST_F(ArrayIoFile, DamagedNumbersOfRowsAreAnErrorOnEveryRank) {
  test::limit_present_test();
  Hdf5File file = Hdf5File::create(comm, path);
  write_array(file, "u", filled<Array<double, 5>>(comm, 3));
  write_array(file, "csr", filled<Array<Key, NonUniform>>(comm, 3));
  file.close();
  const auto set_counts = [&](std::int64_t value) {
    comm.barrier();
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.size()), value);
    for (const char* name : {"u/rows_of_rank", "csr/rows_of_rank"}) {
      if (!comm.is_root()) continue;
      const hid_t whole = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(whole, name, H5P_DEFAULT);
      H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts.data());
      H5Dclose(dataset);
      H5Fclose(whole);
    }
    comm.barrier();
  };
  const auto error = [&](const std::string& name, auto array) {
    const Hdf5File in = Hdf5File::open(comm, path);
    return error_of<IoError>([&] { read_array(in, name, array); });
  };
  // The sum of the numbers of two ranks exceeds 64 bits.
  set_counts(std::int64_t{1} << 62);
  const std::string damage = comm.size() == 1 ? "and its writers say 4611686018427387904" : "are out of range";
  EXPECT_THAT(error("u", Array<double, 5>()), HasSubstr(damage));
  EXPECT_THAT(error("csr", Array<Key, NonUniform>()), HasSubstr(damage));
  for (const std::int64_t wrong : {2, 4}) {
    set_counts(wrong);
    EXPECT_THAT(error("u", Array<double, 5>()), HasSubstr("and its writers say"));
    EXPECT_THAT(error("csr", Array<Key, NonUniform>()), HasSubstr("and its writers say"));
  }
}

TEST_F(ArrayIoFile, WrongTypeWidthShapeAndNameThrow) {
  Hdf5File file = Hdf5File::create(comm, path);
  write_array(file, "u", filled<Array<double, 5>>(comm, 3));
  write_array(file, "csr", filled<Array<Key, NonUniform>>(comm, 6));
  EXPECT_THAT(error_of<IoError>([&] { write_array(file, "u", filled<Array<double, 5>>(comm, 3)); }),
              HasSubstr("cannot make group u"));
  file.close();
  const Hdf5File in = Hdf5File::open(comm, path);
  const auto error = [&](const std::string& name, auto array) { return error_of<IoError>([&] { read_array(in, name, array); }); };
  EXPECT_EQ(error("u", Array<float, 5>()),
            path.string() + ": array u has rows of 5 float64, not rows of 5 float32; read it into an array of its own type");
  EXPECT_THAT(error("u", Array<double, 4>()), HasSubstr("rows of 5 float64, not rows of 4 float64"));
  EXPECT_THAT(error("u", Array<Vec3, 5>()), HasSubstr("not rows of 5 float64x3"));
  EXPECT_THAT(error("u", Array<double, NonUniform>()), HasSubstr("not rows of up to"));
  EXPECT_THAT(error("csr", Array<Key, NonUniform, 3>()), HasSubstr("rows of up to 4 int32, not rows of up to 3 int32"));
  EXPECT_THAT(error("v", Array<double, 5>()), HasSubstr("has no array v"));
  EXPECT_THAT(error("u/entries", Array<double, 5>()), HasSubstr("has no array u/entries"));
  Array<double, 5> u;
  EXPECT_THAT(error_of<IoError>([&] { read_array(in, "u", u, comm.is_root() ? 1 : 0); }), HasSubstr("and the ranks ask for 1"));
}

}  // namespace
}  // namespace weft::io::array_io_test
