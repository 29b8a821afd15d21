// Plans of random programs give the same bits as an interpreter.
#include "task/distributed_program.hpp"

#include <gtest/gtest.h>

namespace weft::task::test {
namespace {

TEST(RandomProgram, AgreesWithAnInterpreterBitForBit) { expect_agreement_of_random_programs<space::mirror>(Backend::host); }

TEST(RandomProgram, WithTasksOnAMirrorAgreesWithAnInterpreterBitForBit) {
  expect_agreement_of_random_programs<space::mirror>(Backend::mirror);
}

}  // namespace
}  // namespace weft::task::test
