#include "weft/array/transport/link_group.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "weft/base/waiting.hpp"
#include "weft/comm/requests.hpp"

namespace weft::detail::link_group_test {
namespace {

/// A link that records its calls, and has received as soon as `ready()` is true.
template <class Ready>
class FakeLink final : public Link {
 public:
  FakeLink(char name, bool by_mpi, std::string& log, Ready ready) : name_(name), by_mpi_(by_mpi), log_(log), ready_(ready) {}
  void send(bool may_put) override { log_ += may_put ? name_ : '-'; }
  [[nodiscard]] bool receive() override {
    ++asked;
    if (done_) return true;
    done_ = ready_();
    if (done_) log_ += name_;
    return done_;
  }
  [[nodiscard]] bool sent() override { return true; }
  [[nodiscard]] bool by_mpi() const override { return by_mpi_; }
  int asked = 0;

 private:
  char name_;
  bool by_mpi_, done_ = false;
  std::string& log_;
  Ready ready_;
};

struct Group {
  std::string log;
  LinkGroup links;
  explicit Group(bool in_order) : links(Communicator::self(), in_order) {}
  template <class Ready>
  FakeLink<Ready>& add(char name, bool by_mpi, Ready ready) {
    auto link = std::make_unique<FakeLink<Ready>>(name, by_mpi, log, ready);
    FakeLink<Ready>& added = *link;
    links.add(Rank(name - 'a'), std::move(link));
    return added;
  }
};

constexpr double kPatienceSeconds = 60;  ///< time limit of the watchdog, which ends a hanging test

TEST(LinkGroup, NoLinkWaitsForAnother) {
  // Each link receives only after its successor: waiting for one after the other would never end.
  const Watchdog watchdog(kPatienceSeconds, "NoLinkWaitsForAnother");
  for (const bool by_mpi : {false, true}) {
    Group group(/*in_order=*/false);
    auto& a = group.add('a', false, [&] { return group.log.find('b') != std::string::npos; });
    group.add('b', by_mpi, [&] { return group.log.find('c') != std::string::npos; });
    auto& c = group.add('c', by_mpi, [&] { return a.asked > 100; });
    group.links.wait();
    EXPECT_EQ(group.log, "cba") << "links by MPI: " << by_mpi;
    // A poll of MPI takes longer than one of memory.
    if (by_mpi) {
      EXPECT_LT(10 * c.asked, a.asked);
    } else {
      EXPECT_GE(c.asked, 100);
    }
  }
}

TEST(LinkGroup, CombinesInTheOrderOfRanks) {
  const Watchdog watchdog(kPatienceSeconds, "WhatIsCombinedComesInOrder");
  Group group(/*in_order=*/true);
  auto& a = group.add('a', false, [&, n = 0]() mutable { return ++n > 500; });
  auto& b = group.add('b', true, [&] {
    EXPECT_GT(a.asked, 500);
    return true;
  });
  group.add('c', false, [&] {
    EXPECT_GT(b.asked, 0);
    return true;
  });
  group.links.start();
  EXPECT_EQ(group.log, "a--");
  EXPECT_FALSE(group.links.arrived());
  group.links.wait();
  EXPECT_EQ(group.log, "a--abc");
}

TEST(LinkGroup, MpiMakesProgressWhileMemoryIsPolled) {
  // The link has received once a long message of the test has, for which both ranks must call MPI several times. No link of
  // the group uses MPI.
  const Communicator comm = Communicator::world();
  const Watchdog watchdog(kPatienceSeconds, "MpiMovesOnWhileMemoryIsLookedAt");
  for (const bool in_order : {false, true}) {
    std::vector<std::byte> sent(4 << 20, std::byte{7}), received(sent.size());
    PersistentMessages messages(comm);
    const int size = comm.size(), me = comm.rank().value();
    messages.add_receive(Rank((me + 1) % size), 5, received);
    messages.add_send(Rank((me + size - 1) % size), 5, sent);
    messages.start();
    Group group(in_order);
    int looks = 0, looks_until_there = 0;
    group.add('a', false, [&] {
      ++looks;
      if (looks_until_there == 0 && received.back() == std::byte{7}) looks_until_there = looks;
      return looks_until_there > 0;
    });
    group.links.wait();
    messages.wait();
    EXPECT_GT(looks_until_there, 0);
  }
}

}  // namespace
}  // namespace weft::detail::link_group_test
