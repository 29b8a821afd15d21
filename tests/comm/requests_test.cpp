#include "weft/comm/requests.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numeric>
#include <optional>

#include "weft/base/error.hpp"

#include "support/time_limit.hpp"

namespace weft::requests_test {
namespace {
int g_cancelled = 0, g_freed = 0;
}  // namespace

// Replace functions of MPI in the test executable by ones that count their calls.
extern "C" int MPI_Cancel(MPI_Request* request) {
  ++g_cancelled;
  return PMPI_Cancel(request);
}
extern "C" int MPI_Request_free(MPI_Request* request) {
  ++g_freed;
  return PMPI_Request_free(request);
}

namespace {

/// Sends `count` numbers to the right neighbour and receives from the left one (the rank itself, on one rank).
struct Ring {
  explicit Ring(std::size_t count, std::int64_t piece_bytes = 1 << 30) : border(count), ghosts(count, -1) {
    comm.set_piece_bytes(piece_bytes);
    messages.emplace(comm);
    messages->add_receive(left, 5, std::as_writable_bytes(std::span(ghosts)));
    messages->add_send(right, 5, std::as_bytes(std::span(border)));
  }
  void fill(int step) {
    for (std::size_t i = 0; i < border.size(); ++i) border[i] = value(comm.rank(), step, i);
  }
  void expect(int step) const {
    for (std::size_t i = 0; i < ghosts.size(); ++i) EXPECT_EQ(ghosts[i], value(left, step, i));
  }
  static int value(Rank rank, int step, std::size_t i) { return rank.value() * 10000 + step * 100 + static_cast<int>(i); }

  Communicator comm = Communicator::world();
  Rank left{(comm.rank().value() + comm.size() - 1) % comm.size()}, right{(comm.rank().value() + 1) % comm.size()};
  std::vector<int> border, ghosts;
  std::optional<PersistentMessages> messages;
};

TEST(PersistentMessages, every_start_sends_new_values) {
  Ring ring(7);
  for (int step = 0; step < 4; ++step) {
    ring.fill(step);
    ring.messages->start();
    EXPECT_TRUE(ring.messages->active());
    if (step % 2 == 0) {
      ring.messages->wait();
    } else {
      while (!ring.messages->test()) {
      }
    }
    EXPECT_FALSE(ring.messages->active());
    ring.expect(step);
  }
  EXPECT_TRUE(ring.messages->test());
  ring.messages->wait();  // returns at once
}

TEST(PersistentMessages, long_messages_are_sent_in_pieces_and_empty_ones_arrive) {
  for (const std::size_t count : {0U, 1U, 5U, 33U}) {
    Ring ring(count, 12);
    ring.fill(1);
    ring.messages->start();
    ring.messages->wait();
    ring.expect(1);
  }
}

TEST(PersistentMessages, messages_of_one_pair_and_tag_match_in_order) {
  const Communicator comm = Communicator::world();
  const Rank left((comm.rank().value() + comm.size() - 1) % comm.size()), right((comm.rank().value() + 1) % comm.size());
  std::vector<int> out{1, 2, 3}, in(3);
  PersistentMessages messages(comm);
  for (std::size_t i = 0; i < 3; ++i) {
    messages.add_send(right, 0, std::as_bytes(std::span(&out[i], 1)));
    messages.add_receive(left, 0, std::as_writable_bytes(std::span(&in[i], 1)));
  }
  messages.start();
  messages.wait();
  EXPECT_EQ(in, out);
}

TEST(PersistentMessages, may_be_moved_while_active) {
  Ring ring(3);
  ring.fill(2);
  ring.messages->start();
  PersistentMessages moved = std::move(*ring.messages);
  EXPECT_TRUE(moved.active());
  ring.messages->wait();  // empty after the move
  PersistentMessages assigned;
  assigned = std::move(moved);
  assigned.wait();
  ring.expect(2);
  ring.fill(3);
  assigned.start();
  assigned.wait();
  ring.expect(3);
}

TEST(PersistentMessages, misuse_throws) {
  Ring ring(2);
  EXPECT_THROW(ring.messages->add_send(Rank(ring.comm.size()), 0, {}), ContractError);
  EXPECT_THROW(ring.messages->add_send(Rank(), 0, {}), ContractError);
  EXPECT_THROW(ring.messages->add_receive(ring.left, -1, {}), ContractError);
  EXPECT_THROW(ring.messages->add_receive(ring.left, Communicator::kTags, {}), ContractError);
  ring.fill(0);
  ring.messages->start();
  EXPECT_THROW(ring.messages->start(), ContractError);
  EXPECT_THROW(ring.messages->add_send(ring.right, 0, {}), ContractError);
  ring.messages->wait();
  ring.expect(0);
  EXPECT_THROW(PersistentMessages().add_send(Rank(0), 0, {}), ContractError);
}

TEST(PersistentMessages, a_length_that_differs_is_an_error) {
  const Communicator comm = Communicator::world();
  const Rank left((comm.rank().value() + comm.size() - 1) % comm.size()), right((comm.rank().value() + 1) % comm.size());
  for (const std::size_t sent : {1U, 3U}) {
    if (comm.size() == 1 && sent == 3) continue;  // Open MPI 4.1 does not report a truncated message of a rank to itself
    std::vector<int> out(sent, 1), in(2);
    PersistentMessages messages(comm);
    messages.add_receive(left, 1, std::as_writable_bytes(std::span(in)));
    messages.add_send(right, 1, std::as_bytes(std::span(out)));
    messages.start();
    EXPECT_THROW(messages.wait(), CommError) << sent;
    comm.barrier();
  }
}

TEST(PersistentMessages, destroyed_while_active_does_not_wait) {
  const Communicator comm = Communicator::world();
  int never = 0;
  {
    PersistentMessages messages(comm);
    messages.add_receive(Rank((comm.rank().value() + 1) % comm.size()), 9, std::as_writable_bytes(std::span(&never, 1)));
    messages.start();
    EXPECT_FALSE(messages.test());
  }
  EXPECT_EQ(comm.sum(1), comm.size());
}

TEST(PersistentMessages, receives_that_have_completed_are_not_cancelled) {
  test::limit_present_test();
  const Communicator comm = Communicator::world();
  const int sent = 7;
  int received = 0, never = 0;
  const int before = g_cancelled;
  {
    PersistentMessages messages(comm);
    messages.add_receive(comm.rank(), 8, std::as_writable_bytes(std::span(&received, 1)));
    messages.add_send(comm.rank(), 8, std::as_bytes(std::span(&sent, 1)));
    messages.add_receive(comm.rank(), 9, std::as_writable_bytes(std::span(&never, 1)));
    messages.start();
    while (received != sent) EXPECT_FALSE(messages.test());
  }
  EXPECT_EQ(g_cancelled - before, 1);
}

TEST(PersistentMessages, a_forked_process_does_not_call_mpi) {
  test::limit_present_test();
  const Communicator comm = Communicator::world();
  int never = 0;
  std::optional<PersistentMessages> messages(std::in_place, comm);
  messages->add_receive(comm.rank(), 9, std::as_writable_bytes(std::span(&never, 1)));
  messages->start();
  std::optional<PersistentMessages> moved(std::move(messages));
  const int before = g_cancelled + g_freed;
  const pid_t child = fork();
  if (child == 0) {
    moved.reset();
    _exit(g_cancelled + g_freed == before ? 0 : 1);
  }
  ASSERT_GT(child, 0);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  moved.reset();
  EXPECT_EQ(g_cancelled + g_freed, before + 2) << "the process itself does";
}

// Destroyed after main has ended MPI; an error there makes the process fail.
Communicator outliving_comm;
PersistentMessages outliving_messages;

TEST(PersistentMessages, may_outlive_mpi) {
  outliving_comm = Communicator::world();
  static int value = 0;
  outliving_messages = PersistentMessages(outliving_comm);
  outliving_messages.add_receive(outliving_comm.rank(), 0, std::as_writable_bytes(std::span(&value, 1)));
  EXPECT_FALSE(outliving_messages.active());
}

}  // namespace
}  // namespace weft::requests_test
