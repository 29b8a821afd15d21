// As random_program_test.cpp, with tasks on a GPU.
#include <gtest/gtest.h>

#include "weft/device/parallel_for.cuh"

#include "support/gpu.hpp"
#include "task/distributed_program.hpp"

namespace weft::task::test::random_program_cuda_test {
namespace {

TEST(CudaRandomProgram, AgreesWithAnInterpreterBitForBit) {
  WEFT_NEEDS_GPU();
  expect_agreement_of_random_programs<space::cuda>(Backend::cuda);
}

TEST(CudaRandomProgram, WithSubsetsAgreesWithAnInterpreterBitForBit) {
  WEFT_NEEDS_GPU();
  expect_agreement_of_random_programs<space::cuda>(Backend::cuda, true);
}

}  // namespace
}  // namespace weft::task::test::random_program_cuda_test
