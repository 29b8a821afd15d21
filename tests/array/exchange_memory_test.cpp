#include "weft/array/exchange_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"

#include "array/exchange_support.hpp"

namespace weft::exchange_memory_test {
namespace {

TEST(ExchangeMemory, CoversTheMessagesOfEachArray) {
  const Communicator comm = Communicator::world();
  const GhostPlan plan = test::make_plan(comm, test::Pattern::random);
  ArrayPair<double, 5> q(plan, Layout::aos, Backend::mirror);
  ArrayPair<float, 3> g(plan, Layout::aos, Backend::mirror);
  const ArrayTransformer both(plan, {q, g}, Transport::staged);
  std::size_t messages = 0;  // to and from other ranks
  for (const Exchange& exchange : {both.pull(), both.push(Reduce::add)}) {
    for (const Exchange::Message& message : exchange.messages()) messages += static_cast<std::size_t>(message.bytes);
  }
  const std::size_t most = most_exchange_bytes(plan, 5 * sizeof(double)) + most_exchange_bytes(plan, 3 * sizeof(float));
  EXPECT_GE(most, messages);
  std::size_t of_this_rank = 0;  // periodic images
  std::size_t neighbours = 0;
  for (const GhostPlan::Neighbour& n : plan.neighbours()) {
    ++neighbours;
    if (n.rank == comm.rank()) of_this_rank += 2 * n.send_rows.size() * (5 * sizeof(double) + 3 * sizeof(float));
  }
  EXPECT_LE(most, 2 * (messages + of_this_rank) + 512 * neighbours) << "it is no wild guess";
}

TEST(ExchangeMemory, NothingIsTakenWithoutNeighbours) {
  EXPECT_EQ(most_exchange_bytes(GhostPlan::build(Communicator::self(), 10, std::vector<GlobalRow>{}), 40), 0U);
}

}  // namespace
}  // namespace weft::exchange_memory_test
