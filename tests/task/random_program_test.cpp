// Plans of random programs give the same bits as an interpreter.
#include <gtest/gtest.h>

#include "task/distributed_program.hpp"

namespace weft::task::test::random_program_test {
namespace {

TEST(RandomProgram, AgreesWithAnInterpreterBitForBit) { expect_agreement_of_random_programs<space::mirror>(Backend::host); }

TEST(RandomProgram, WithTasksOnAMirrorAgreesWithAnInterpreterBitForBit) {
  expect_agreement_of_random_programs<space::mirror>(Backend::mirror);
}

TEST(RandomProgram, WithSubsetsAgreesWithAnInterpreterBitForBit) {
  expect_agreement_of_random_programs<space::mirror>(Backend::host, true);
}

TEST(RandomProgram, WithSubsetsOnAMirrorAgreesWithAnInterpreterBitForBit) {
  expect_agreement_of_random_programs<space::mirror>(Backend::mirror, true);
}

}  // namespace
}  // namespace weft::task::test::random_program_test
