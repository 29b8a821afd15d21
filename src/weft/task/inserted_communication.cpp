#include "weft/task/inserted_communication.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace weft::task {
namespace {

[[nodiscard]] std::string quoted(const std::string& name) { return "'" + name + "'"; }

}  // namespace

std::vector<DataState> unknown_states(std::span<const DataShape> data) {
  std::vector<DataState> states(data.size());
  for (std::size_t d = 0; d < data.size(); ++d) states[d].where.resize(data[d].parts());
  return states;
}

InsertedCommunication::InsertedCommunication(std::span<const DataShape> data, std::span<const TaskShape> tasks,
                                             std::span<const Operation> operations, std::vector<DataState> states, int ranks)
    : copies_before(operations.size()),
      begin(data.size()),
      data_(data),
      tasks_(tasks),
      operations_(operations),
      states_(std::move(states)),
      ranks_(ranks) {
  for (std::size_t d = 0; d < data.size(); ++d) begin[d].sides.resize(data[d].parts());
  for (DataState& state : states_) {
    state.first_slot = 0;
    state.push.reset();
    for (DataState::Location& location : state.where) {
      location.producer = DataState::kBefore;
      location.copied_every = 0;
    }
  }
  for (int k = 0; k < std::ssize(operations_); ++k) {
    const std::vector<Access>& accesses = operations_[k].accesses;
    for (const Access& access : accesses) complete(k, access);
    for (const Access& access : accesses) refresh(k, access);
    for (const Access& access : accesses) {
      if (access.mode != Mode::write) bring(k, access);
    }
    for (const Access& access : accesses) after(k, access);
  }
  for (int d = 0; d < std::ssize(data_); ++d) combine(std::ssize(operations_), DataId(d), "the iteration ends");
  std::ranges::stable_sort(exchanges, {},
                           [](const PlacedExchange& placed) { return std::pair(placed.slot, !placed.shape.push); });
  std::ranges::stable_sort(reductions, {}, &PlacedReduction::slot);
}

std::string InsertedCommunication::reader(std::ptrdiff_t k) const {
  const Operation& operation = operations_[k];
  return quoted(name_of(tasks_[operation.task], operation.rows));
}

void InsertedCommunication::complete(int k, const Access& access) {
  DataState& s = state(access.data);
  if (access.mode == Mode::reduce && s.partial == access.op) return;
  combine(k, access.data, reader(k) + " accesses " + quoted(shape(access.data).name));
  const DataShape& of = shape(access.data);
  if (access.mode != Mode::reduce || (of.is_array && !has_ghosts(access.data))) return;
  neutral_before.resize(operations_.size());
  neutral_before[k].push_back(access);
  set_location(access.data, of.is_array ? Part::ghost : Part::all, side_of(k), k, "its neutral value");
}

template <class F>
void InsertedCommunication::for_each_part(DataId id, Part part, const F& f) {
  const DataShape& of = shape(id);
  const Part of_data = of.is_array ? without(part, without(Part::all, of.present)) : Part::border;
  for (std::size_t p = 0; p < of.parts(); ++p) {
    if (overlap(of_data, single_part(p))) f(state(id).where[p], single_part(p), p);
  }
}

void InsertedCommunication::set_location(DataId id, Part part, Side side, int producer, const std::string& by) {
  for_each_part(id, part, [&](DataState::Location& location, Part /*part*/, std::size_t /*p*/) {
    location = {.sides = bit(side), .changed_on = side, .producer = producer, .changed_by = by};
  });
}

std::vector<SideCopy> InsertedCommunication::copies_to(Side side, DataId id, Part part, const std::string& reader, int every) {
  std::vector<SideCopy> copies;
  std::vector<std::pair<int, bool>> producers;
  for_each_part(id, part, [&](DataState::Location& location, Part single, std::size_t p) {
    const bool sometimes = every > 1 && is_changed(id, single);  // a copy of other values serves all iterations
    if (location.sides == 0) {
      const Side begins = sometimes ? first_side(id, single).value_or(side) : side;
      begin[id.index()].sides[p] = bit(begins);
      location.sides = bit(begins);
      location.changed_on = begins;
    }
    if ((location.sides & bit(side)) == 0) {
      if (location.copied_every != 0 && every % location.copied_every == 0) return;
      const auto producer = std::pair(location.producer, sometimes);
      const auto same = std::ranges::find(producers, producer);
      if (same != producers.end()) {
        Part& copied = copies[same - producers.begin()].part;
        copied = copied | single;
      } else {
        const std::string changed =
            location.changed_by.empty()
                ? fmt::format("whose values were used on the {}", to_string(location.changed_on))
                : fmt::format("which {} changed on the {}", location.changed_by, to_string(location.changed_on));
        producers.push_back(producer);
        const std::string often = sometimes ? fmt::format("; in one of {} iterations", every) : "";
        copies.push_back({id, single, side,
                          fmt::format("{} needs '{}' on the {}, {}{}", reader, shape(id).name, to_string(side), changed, often),
                          sometimes ? every : 1});
      }
      if (sometimes) {
        location.copied_every = every;
        return;
      }
    }
    location.sides |= bit(side);
  });
  return copies;
}

std::optional<Side> InsertedCommunication::first_side(DataId id, Part part) const {
  for (const Operation& operation : operations_) {
    if (tasks_[operation.task].every > 1) continue;
    for (const Access& access : operation.accesses) {
      if (access.data == id && (!shape(id).is_array || overlap(access.part, part))) return operation.side;
    }
  }
  return std::nullopt;
}

bool InsertedCommunication::is_changed(DataId id, Part part) const {
  const DataShape& of = shape(id);
  const bool ghosts = of.is_array && overlap(part, of.refined(Part::ghost));  // by an exchange, if other rows are changed
  return std::ranges::any_of(operations_, [&](const Operation& operation) {
    return std::ranges::any_of(operation.accesses, [&](const Access& access) {
      return access.data == id && changes(access.mode) && (!of.is_array || ghosts || overlap(access.part, part));
    });
  });
}

void InsertedCommunication::bring(int k, const Access& access) {
  std::vector<SideCopy>& list = copies_before[k];
  const int every = tasks_[operations_[k].task].every;
  const std::vector<SideCopy> needed = copies_to(side_of(k), access.data, access.part, reader(k), every);
  list.insert(list.end(), needed.begin(), needed.end());
}

void InsertedCommunication::refresh(int k, const Access& access) {
  DataState& s = state(access.data);
  const bool reads = access.mode == Mode::read || access.mode == Mode::read_write;
  if (!has_ghosts(access.data) || !reads || !overlap(access.part, Part::ghost) || s.fresh) return;
  if (s.push) {  // the push that precedes must not be merged with a later one any more
    exchanges[*s.push].fixed = true;
    s.first_slot = std::max(s.first_slot, exchanges[*s.push].slot);
  }
  const std::string changed = s.last_change.empty() ? "may have changed before" : "was changed by " + quoted(s.last_change);
  std::uint8_t changed_on = 0;
  for_each_part(access.data, shape(access.data).sent, [&](const DataState::Location& location, Part /*part*/, std::size_t /*p*/) {
    if (location.sides != 0) changed_on |= bit(location.changed_on);
  });
  const bool sometimes = tasks_[operations_[k].task].every > 1;
  const Side unknown = sometimes ? first_side(access.data, shape(access.data).sent).value_or(side_of(k)) : side_of(k);
  const Side side = changed_on == 0 ? unknown : (changed_on == bit(Side::host) ? Side::host : Side::device);
  const int slot = changed_on == kBothSides ? k : s.first_slot;  // rows of both sides: some are copied first
  const std::vector<SideCopy> copies = copies_to(side, access.data, shape(access.data).sent, "the pull");
  const std::size_t placed =
      place({.push = false, .op = Reduce::insert, .arrays = {access.data}, .side = side}, slot, k,
            fmt::format("{} reads ghost rows of '{}', which {}", reader(k), shape(access.data).name, changed));
  exchanges[placed].copies.insert(exchanges[placed].copies.end(), copies.begin(), copies.end());
  set_location(access.data, Part::ghost, side, DataState::kPull, "the pull");
  s.fresh = true;
}

void InsertedCommunication::after(int k, const Access& access) {
  DataState& s = state(access.data);
  const DataShape& of = shape(access.data);
  if (changes(access.mode)) {
    set_location(access.data, access.part, side_of(k), k, quoted(task_of(k)));
  }
  const bool sent = overlap(access.part, of.sent);
  if (access.mode == Mode::reduce) {
    s.partial = access.op;
  } else if (changes(access.mode) && contains(access.part, Part::ghost)) {
    s.fresh = true;
  }
  if (changes(access.mode) && sent) {
    if (!overlap(access.part, Part::ghost) || access.mode == Mode::reduce) s.fresh = false;
    s.last_change = task_of(k);
  }
  if ((changes(access.mode) && sent) || overlap(access.part, Part::ghost)) s.first_slot = k + 1;
}

void InsertedCommunication::combine(std::ptrdiff_t k, DataId id, const std::string& why) {
  DataState& s = state(id);
  if (!s.partial) return;
  const Reduce op = *std::exchange(s.partial, std::nullopt);
  Side side = Side::host;  // the one that has the contributions
  for_each_part(id, shape(id).refined(Part::owned | Part::ghost),
                [&](const DataState::Location& location, Part /*part*/, std::size_t /*p*/) { side = location.changed_on; });
  if (shape(id).is_array && !has_ghosts(id)) return;
  if (!shape(id).is_array) {
    if (side == Side::device && ranks_ == 1) return;
    reductions.push_back({id, op, s.first_slot, why, copies_to(Side::host, id, Part::all, "the reduction over ranks")});
    set_location(id, Part::all, Side::host, DataState::kPull, "the reduction over ranks");
    return;
  }
  s.push = place({.push = true, .op = op, .arrays = {id}, .side = side}, s.first_slot, static_cast<int>(k), why);
  set_location(id, shape(id).refined(Part::owned), side, DataState::kPull, "the push");
}

std::size_t InsertedCommunication::place(ExchangeShape exchange, int slot, int latest, std::string reason) {
  const int space = shape(exchange.arrays.front()).space;
  for (std::size_t g = 0; g < exchanges.size(); ++g) {
    PlacedExchange& placed = exchanges[g];
    if (placed.fixed && slot > placed.slot) continue;
    if (placed.space != space || placed.shape.push != exchange.push || placed.shape.op != exchange.op ||
        placed.shape.side != exchange.side || slot > placed.latest)
      continue;
    if (std::ranges::find(placed.shape.arrays, exchange.arrays.front()) != placed.shape.arrays.end()) continue;
    placed.shape.arrays.push_back(exchange.arrays.front());
    placed.slot = std::max(placed.slot, slot);
    placed.reason += "; " + reason;
    return g;
  }
  exchanges.push_back({std::move(exchange), space, slot, latest, false, std::move(reason), {}});
  return exchanges.size() - 1;
}

}  // namespace weft::task
