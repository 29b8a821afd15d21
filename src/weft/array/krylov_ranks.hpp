#pragma once
/// The exchanges of an iterative solver whose matrix and vectors are distributed by rows.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/array/array_transformer.hpp"
#include "weft/kernels/linear/bsr_matrix.hpp"
#include "weft/kernels/linear/krylov.hpp"

namespace weft {

namespace detail {
/// Returns a plan by which each rank of `comm` owns one row and has a copy of the row of every other rank. @collective
[[nodiscard]] GhostPlan plan_of_all_ranks(const Communicator& comm);
}  // namespace detail

/// KrylovRanks by exchanges of arrays: the right factor of products is an ArrayPair<T, B> on the plan of the matrix, and scalar
/// products are exchanged as rows of a second array, so that with the transports peer and nccl a solver on GPUs does not wait for
/// the host. Every rank adds them in the order of the ranks and gets the same digits.
///
///     DistributedVectors<double, 5> ranks(plan, 32, Backend::cuda);      // for restart = 30
///     kernels::Gmres<double, 5> solver(plan.owned_rows(), 30, Backend::cuda, &ranks);
///
/// For BiCgStab two numbers suffice.
template <kernels::LinearScalar T, int B>
  requires kernels::BlockSize<B>
class DistributedVectors final : public kernels::KrylovRanks<T> {
 public:
  /// @param plan  owned rows and ghost rows: the rows and columns of the matrix.  @param numbers  scalar products at a time.
  /// @param backend  of the solver.  @throws as ArrayTransformer and ArrayTransformer::pull(). @collective on plan.comm().
  /// @cost memory for one vector and size() * numbers * 8 bytes; each addition sends size() - 1 messages per rank, so that it is
  /// meant for up to some hundred ranks.
  DistributedVectors(const GhostPlan& plan, int numbers, Backend backend, Transport transport = Transport::automatic)
      : side_(backend == Backend::host ? Side::host : Side::device),
        width_(numbers),
        columns_(plan, Layout::aos, backend, side_),
        numbers_(detail::plan_of_all_ranks(plan.comm()), numbers, Layout::aos, backend, side_),
        pull_columns_(ArrayTransformer{plan, {columns_}, transport}.pull()),
        pull_numbers_(ArrayTransformer{numbers_.plan(), {numbers_}, transport}.pull()) {}

  [[nodiscard]] std::span<T> columns() override {
    return {write_owned<T>(columns_), static_cast<std::size_t>(columns_.rows()) * B};
  }
  void exchange(Stream& stream) override {
    (void)write_owned<T>(columns_);
    pull(pull_columns_, stream);
  }
  [[nodiscard]] kernels::RankNumbers numbers() override {
    const Communicator& comm = numbers_.plan().comm();
    return {write_owned<double>(numbers_), width_, comm.size(), comm.rank().value()};
  }
  void gather(Stream& stream) override {
    (void)write_owned<double>(numbers_);
    pull(pull_numbers_, stream);
  }
  /// Ends the exchanges as Exchange::close(). @collective
  void close() {
    pull_columns_.close();
    pull_numbers_.close();
  }

 private:
  /// Returns the address of the entries, and records that the owned rows are written on the side of the solver.
  template <class Entry, class Pair>
  [[nodiscard]] Entry* write_owned(Pair& pair) {
    return reinterpret_cast<Entry*>(pair.access(side_, pair.space().owned(), true));
  }
  static void pull(Exchange& exchange, Stream& stream) {
    exchange.start(after(stream));
    exchange.finish(stream);
  }

  Side side_;
  int width_;  ///< numbers of a rank
  ArrayPair<T, B> columns_;
  ArrayPair<double, Dynamic> numbers_;
  Exchange pull_columns_, pull_numbers_;
};

}  // namespace weft
