#include "weft/array/array_transformer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "weft/array/exchange_body.hpp"
#include "weft/base/error.hpp"
#include "weft/base/mix.hpp"
#include "weft/comm/agreement.hpp"

namespace weft {

void PairRef::expect_unchanged() const {
  if (link_->array == nullptr) {
    throw ContractError("an array of an exchange was destroyed", "keep the arrays as long as their exchanges are used");
  }
  if (link_->shape != shape_) {
    throw ContractError("an array of an exchange was resized", "make a new ArrayTransformer after resizing");
  }
}

std::vector<detail::Field> PairRef::fields(Side side) const {
  expect_unchanged();
  return staging_.fields(link_->array, side);
}

void PairRef::neutralize_ghosts(Reduce op) {
  expect_unchanged();
  if (!staging_.neutralize(link_->array, ghosts(), op)) throw_no_neutral_value();
}

std::unique_ptr<DeviceStorage> PairRef::neutral_ghosts(Reduce op) {
  expect_unchanged();
  auto neutral = sides_.neutral(link_->array, ghosts(), op);
  if (neutral == nullptr) throw_no_neutral_value();
  return neutral;
}

void PairRef::neutralize_ghosts(DeviceStorage& neutral, Stream& stream) { sides_.fill(link_->array, ghosts(), neutral, stream); }

void PairRef::throw_no_neutral_value() const {
  throw ContractError(fmt::format("the ghost rows of an array ({}) have no neutral value", signature_),
                      "reduce numbers by add, min or max");
}

ArrayTransformer::ArrayTransformer(GhostPlan plan, std::vector<PairRef> arrays, Transport transport)
    : plan_(std::move(plan)), arrays_(std::move(arrays)), transport_(transport) {
  const Communicator& comm = plan_.comm();
  agreed(comm, [&] {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const PairRef& array = arrays_[i];
      array.expect_unchanged();
      if (!array.plan_.same_as(plan_)) {
        throw ContractError(fmt::format("array {} ({}) belongs to another plan", i, array.signature_),
                            "exchange it with a transformer of its own plan");
      }
      if (array.rows_ != plan_.rows()) {
        throw ContractError(fmt::format("array {} ({}) has {} rows; its plan has {} owned and {} ghost rows", i, array.signature_,
                                        array.rows_, plan_.owned_rows(), plan_.ghost_rows()));
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (array.link_ == arrays_[j].link_) {
          throw ContractError(fmt::format("arrays {} and {} of a transformer are the same", j, i), "list each array once");
        }
      }
    }
  });

  std::string signatures;
  for (const PairRef& array : arrays_) signatures += array.signature_ + "; ";
  expect_same_on_all_ranks(comm, fmt::format("plan {}, by {}: {}", plan_.serial(), to_string(transport_), signatures));

  expect_csr_rows_as_long_as_their_owners();
}

/// Neighbours compare a hash of the lengths of their common rows; the lengths themselves are sent only if hashes differ.
void ArrayTransformer::expect_csr_rows_as_long_as_their_owners() const {
  const auto csr_arrays = [this](const auto& f) {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      for (const detail::Field& field : arrays_[i].fields_) {
        if (field.csr()) f(i, field);
      }
    }
  };
  bool any = false;
  csr_arrays([&](std::size_t /*i*/, const detail::Field& /*field*/) { any = true; });
  if (!any) return;  // on every rank, because the signatures agree
  const Communicator& comm = plan_.comm();
  const std::span<const GhostPlan::Neighbour> neighbours = plan_.neighbours();
  std::vector<Rank> ranks;
  for (const GhostPlan::Neighbour& n : neighbours) ranks.push_back(n.rank);
  const auto length = [](const detail::Field& field, LocalRow row) {
    return field.offsets[row.index() + 1] - field.offsets[row.index()];
  };
  const auto hash = [&](const detail::Field& field, const detail::RowSet& rows) {
    std::uint64_t h = rows.count;
    for (std::size_t k = 0; k < rows.count; ++k) h = mix_bits(h) + static_cast<std::uint64_t>(length(field, rows[k]));
    return mix_bits(h);
  };
  std::vector<std::vector<std::uint64_t>> owned(neighbours.size()), ghosts(neighbours.size());
  csr_arrays([&](std::size_t /*i*/, const detail::Field& field) {
    for (std::size_t n = 0; n < neighbours.size(); ++n) {
      owned[n].push_back(hash(field, detail::RowSet(neighbours[n].send_rows)));
      ghosts[n].push_back(hash(field, detail::RowSet(neighbours[n].ghosts)));
    }
  });
  if (!comm.any(comm.exchange(std::span<const Rank>(ranks), owned) != ghosts)) return;

  std::vector<std::vector<std::int64_t>> lengths(neighbours.size());
  csr_arrays([&](std::size_t /*i*/, const detail::Field& field) {
    for (std::size_t n = 0; n < neighbours.size(); ++n) {
      for (const LocalRow row : neighbours[n].send_rows) lengths[n].push_back(length(field, row));
    }
  });
  const std::vector<std::vector<std::int64_t>> right = comm.exchange(std::span<const Rank>(ranks), lengths);
  agreed(comm, [&] {
    std::vector<std::size_t> next(neighbours.size(), 0);
    csr_arrays([&](std::size_t i, const detail::Field& field) {
      for (std::size_t n = 0; n < neighbours.size(); ++n) {
        for (const LocalRow row : neighbours[n].ghosts) {
          const std::int64_t there = right[n].at(next[n]++), here = length(field, row);
          if (here == there) continue;
          throw CommError(
              fmt::format(
                  "CSR rows differ in length (array {}, {}): global row {} has {} entries on its owner, rank {}, and {} in the "
                  "ghost rows of rank {}",
                  i, arrays_[i].signature_, plan_.global(row).value(), there, neighbours[n].rank.value(), here,
                  comm.rank().value()),
              "make ghost rows with pull_rows, so that they are as long as their owners' rows");
        }
      }
    });
  });
}

Exchange ArrayTransformer::pull() const { return make(detail::Direction::pull, Reduce::insert); }

Exchange ArrayTransformer::push(Reduce op) const { return make(detail::Direction::push, op); }

Exchange ArrayTransformer::make(detail::Direction direction, Reduce op) const {
  const Communicator& comm = plan_.comm();
  const auto kind = static_cast<int>(direction) * 8 + static_cast<int>(op);
  if (comm.min(kind) != comm.max(kind)) {
    throw CommError("ranks disagree on the kind of an exchange", "call pull() or push() with the same operation on every rank");
  }
  agreed(comm, [&] {
    if (op == Reduce::insert) return;
    for (const PairRef& array : arrays_) {
      if (array.fields_.empty() || array.fields_.front().reducers->get(op) != nullptr) continue;
      throw ContractError(fmt::format("the elements of an array ({}) cannot be reduced this way", array.signature_),
                          "push it with Reduce::insert, or give its element type the operator");
    }
  });
  return Exchange(std::make_unique<Exchange::Body>(plan_, arrays_, direction, op, transport_));
}

}  // namespace weft
