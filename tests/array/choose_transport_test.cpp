#include "weft/array/transport/choose_transport.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"

#include "support/time_limit.hpp"

namespace weft::detail::choose_transport_test {
namespace {

/// Stands in for a transport.
struct FakeTransport final : TransportBody {
  void start(const After& /*after*/) override {}
  void finish(Stream& /*stream*/) override {}
  [[nodiscard]] bool arrived() override { return true; }
};

/// Creates a stand-in; on one rank some transports fail, as in a container.
struct Maker {
  Communicator comm = Communicator::world();
  std::vector<Transport> impossible, tried;
  std::unique_ptr<TransportBody> operator()(Transport transport) {
    tried.push_back(transport);
    agreed(comm, [&] {
      if (comm.rank().value() != comm.size() - 1) return;
      for (const Transport no : impossible) {
        if (no == transport) throw DeviceError("the memory of another rank's GPU cannot be mapped");
      }
    });
    return std::make_unique<FakeTransport>();
  }
};

TEST(MakeFirst, FailureOnOneRankSelectsTheNextOnEveryRank) {
  test::limit_present_test();
  Maker maker{.impossible = {Transport::peer, Transport::nccl}, .tried = {}};
  std::vector<Transport> candidates{Transport::peer, Transport::nccl, Transport::cuda_aware, Transport::staged};
  EXPECT_NE(make_first(candidates, std::ref(maker)), nullptr);
  EXPECT_EQ(maker.tried, (std::vector{Transport::peer, Transport::nccl, Transport::cuda_aware}));
  EXPECT_EQ(candidates.front(), Transport::cuda_aware);
}

TEST(MakeFirst, SingleCandidateFailsOnEveryRank) {
  Maker maker{.impossible = {Transport::peer}, .tried = {}};
  std::vector<Transport> candidates{Transport::peer};
  EXPECT_THROW((void)make_first(candidates, std::ref(maker)), DeviceError);
  EXPECT_EQ(maker.tried.size(), 1U);
}

TEST(MakeFirst, OtherErrorsAreThrownImmediately) {
  std::vector<Transport> candidates{Transport::peer, Transport::staged};
  const auto make = [](Transport /*transport*/) -> std::unique_ptr<TransportBody> { throw LimitError("out of memory"); };
  EXPECT_THROW((void)make_first(candidates, make), LimitError);
  EXPECT_EQ(candidates.size(), 2U);
}

}  // namespace
}  // namespace weft::detail::choose_transport_test
