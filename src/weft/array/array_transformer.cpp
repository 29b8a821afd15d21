#include "weft/array/array_transformer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "weft/array/detail/exchange_body.hpp"
#include "weft/base/error.hpp"
#include "weft/comm/agreement.hpp"

namespace weft {

void PairRef::expect_unchanged() const {
  if (!link_) return;
  if (link_->array == nullptr) {
    throw ContractError("an array of an exchange was destroyed", "keep the arrays as long as their exchanges are used");
  }
  if (link_->shape != shape_) {
    throw ContractError("an array of an exchange was resized", "make a new ArrayTransformer after resizing");
  }
}

ArrayTransformer::ArrayTransformer(GhostPlan plan, std::vector<PairRef> arrays, Transport transport)
    : plan_(std::move(plan)), arrays_(std::move(arrays)), transport_(transport) {
  const Communicator& comm = plan_.comm();
  agreed(comm, [&] {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const PairRef& array = arrays_[i];
      array.expect_unchanged();
      if (array.plan_ && !array.plan_->same_as(plan_)) {
        throw ContractError(fmt::format("array {} ({}) belongs to another plan", i, array.signature_),
                            "exchange it with a transformer of its own plan");
      }
      if (array.footprint_.rows != plan_.rows()) {
        throw ContractError(fmt::format("array {} ({}) has {} rows; its plan has {} owned and {} ghost rows", i, array.signature_,
                                        array.footprint_.rows, plan_.owned_rows(), plan_.ghost_rows()));
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (array.footprint_.data != nullptr && array.footprint_.data == arrays_[j].footprint_.data) {
          throw ContractError(fmt::format("arrays {} and {} of a transformer are the same", j, i), "list each array once");
        }
      }
    }
  });

  std::string signatures;
  for (const PairRef& array : arrays_) signatures += array.signature_ + "; ";
  expect_same_on_all_ranks(comm, fmt::format("plan {}, by {}: {}", plan_.serial(), to_string(transport_), signatures));

  std::vector<std::vector<std::int64_t>> outgoing(static_cast<std::size_t>(comm.size()));
  for (const GhostPlan::Neighbour& n : plan_.neighbours()) {
    for (const PairRef& array : arrays_) {
      for (const detail::Field& field : array.fields_) {
        if (field.csr()) {
          outgoing[n.rank.index()].push_back(static_cast<std::int64_t>(message_bytes(field, detail::RowSet(n.send_rows))));
        }
      }
    }
  }
  const std::vector<std::vector<std::int64_t>> incoming = comm.all_to_all(outgoing);
  agreed(comm, [&] {
    for (const GhostPlan::Neighbour& n : plan_.neighbours()) {
      std::size_t next = 0;
      for (const PairRef& array : arrays_) {
        for (const detail::Field& field : array.fields_) {
          if (!field.csr()) continue;
          const auto here = static_cast<std::int64_t>(message_bytes(field, detail::RowSet(n.ghosts)));
          if (const std::int64_t there = incoming[n.rank.index()].at(next++); here != there) {
            throw CommError(
                fmt::format("CSR rows differ in length: rank {} owns {} bytes of them where rank {} has {} in ghost rows",
                            n.rank.value(), there, comm.rank().value(), here),
                "make ghost rows with pull_rows, so that they are as long as their owners' rows");
          }
        }
      }
    }
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
