#include "weft/comm/agreement.hpp"

#include <gtest/gtest.h>

#include <new>
#include <system_error>

#include "support/time_limit.hpp"

namespace weft::agreement_test {
namespace {

/// Calls agree() with an error on one rank only; returns the error that this rank caught.
template <class Fail>
std::string thrown_by(const Communicator& comm, int rank, Error::Kind kind, Fail fail) {
  try {
    agreed(comm, [&] {
      if (comm.rank().value() == rank) fail();
    });
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(Agreement, returns_the_result_without_errors) {
  const Communicator comm = Communicator::world();
  EXPECT_EQ(agreed(comm, [&] { return comm.rank(); }), comm.rank());
  agreed(comm, [] {});
  struct NoDefault {
    explicit NoDefault(int v) : value(v) {}
    int value;
  };
  EXPECT_EQ(agreed(comm, [] { return NoDefault(5); }).value, 5);
}

TEST(Agreement, one_rank_throws_and_all_throw_the_same) {
  test::limit_present_test();
  const Communicator comm = Communicator::world();
  for (int r = 0; r < comm.size(); ++r) {
    const Where where{.file = "a.toml", .line = 3, .column = 9, .offset = 77, .key = "flow.cfl", .zone = "wall", .element = 12};
    try {
      agreed(comm, [&] {
        if (comm.rank().value() == r) throw InputError("cfl is negative", "choose a positive number", where);
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const InputError& error) {
      EXPECT_EQ(error.problem(), "cfl is negative");
      EXPECT_EQ(error.suggestion(), "choose a positive number");
      EXPECT_EQ(error.where(), where);
    }
  }
}

TEST(Agreement, the_error_of_the_lowest_rank_is_thrown) {
  const Communicator comm = Communicator::world();
  try {
    agreed(comm, [&] { throw MeshError("rank " + std::to_string(comm.rank().value())); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const MeshError& error) {
    EXPECT_EQ(error.problem(), "rank 0");
  }
}

TEST(Agreement, error_types_are_preserved) {
  const Communicator comm = Communicator::world();
  const int last = comm.size() - 1;
  const auto fail_as = [&](Error::Kind kind) {
    EXPECT_EQ(thrown_by(comm, last, kind, [&] { throw_error(kind, "p", "s", {}); }), "p; s");
  };
  for (const auto kind : {Error::Kind::contract, Error::Kind::limit, Error::Kind::input, Error::Kind::mesh, Error::Kind::io,
                          Error::Kind::comm, Error::Kind::device, Error::Kind::physics, Error::Kind::interrupted}) {
    fail_as(kind);
  }
}

TEST(Agreement, other_exceptions_are_converted) {
  const Communicator comm = Communicator::world();
  const int last = comm.size() - 1;
  EXPECT_NE(thrown_by(comm, last, Error::Kind::limit, [] { throw std::bad_alloc(); }).find("out of memory"), std::string::npos);
  thrown_by(comm, last, Error::Kind::limit, [] { throw std::length_error("vector"); });
  thrown_by(comm, last, Error::Kind::io, [] { throw std::system_error(std::make_error_code(std::errc::no_space_on_device)); });
  EXPECT_NE(thrown_by(comm, last, Error::Kind::contract, [] { throw std::runtime_error("odd"); }).find("odd"), std::string::npos);
  thrown_by(comm, last, Error::Kind::contract, [] { throw 42; });
}

TEST(Agreement, the_communicator_is_usable_after_an_error) {
  const Communicator comm = Communicator::world();
  EXPECT_THROW(agreed(comm, [] { throw IoError("no file"); }), IoError);
  EXPECT_EQ(comm.sum(1), comm.size());
}

}  // namespace
}  // namespace weft::agreement_test
