#pragma once
// Random programs as graphs on the rows of each rank, compared with the interpreter. For tests on the host, a mirror and GPUs;
// those for GPUs include weft/device/parallel_for.cuh first.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/base/macros.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/host_device_vector.hpp"
#include "weft/device/parallel_for.hpp"
#include "weft/task/graph.hpp"

#include "task/random_program.hpp"

namespace weft::task::test {

using ValueField = ArrayPair<Value>;

/// Memory that the body of a step accesses on one side.
struct Operands {
  const Value* a;
  Value* b;
  double* number;
  const std::int32_t *offsets, *columns;  ///< local rows of the neighbours of each owned row
  Step step;
  std::int32_t first;
  const std::int32_t *rows, *source;  ///< rows of a step on a selection of rows
  std::int32_t count, sources;        ///< numbers of rows of this rank that the step computes, and of source rows

  [[nodiscard]] WEFT_HD std::int32_t row(std::int32_t i) const { return step.selection.subset < 0 ? first + i : rows[i]; }
};

struct Stencil : Operands {
  WEFT_HD void operator()(std::int32_t i) const {
    const std::int32_t row = this->row(i);
    Value sum = mixed(a[row], step.constant);
    for (std::int32_t n = offsets[row]; n < offsets[row + 1]; ++n) sum = mixed(sum, a[columns[n]]);
    b[row] = sum;
  }
};
struct Update : Operands {
  WEFT_HD void operator()(std::int32_t i) const {
    const std::int32_t row = this->row(i);
    b[row] = mixed(b[row], step.a == step.b ? step.constant : a[row]);
  }
};
/// Computes all rows in one call.
struct Scatter : Operands {
  WEFT_HD void operator()(std::int32_t /*i*/) const {
    for (std::int32_t i = 0; i < count; ++i) {
      const std::int32_t row = this->row(i);
      for (std::int32_t n = offsets[row]; n < offsets[row + 1]; ++n) {
        const Value x = mixed(a[row], step.constant) % 1000;
        Value& to = b[columns[n]];
        to = step.op == Reduce::add ? to + x : combine(step.op, to, x);
      }
    }
  }
};
/// Computes all rows in one call.
struct Measure : Operands {
  WEFT_HD void operator()(std::int32_t /*i*/) const {
    for (std::int32_t i = 0; i < count; ++i) Interpreter::contribute(*number, step.op, a[row(i)] % 1000);
  }
};
struct Use : Operands {
  WEFT_HD void operator()(std::int32_t i) const { b[row(i)] = mixed(b[row(i)], Interpreter::as_value(*number)); }
};
/// Computes all rows in one call.
struct Transfer : Operands {
  WEFT_HD void operator()(std::int32_t /*i*/) const {
    Value sum = 0;
    for (std::int32_t i = 0; i < sources; ++i) sum = combine(Reduce::add, sum, a[step.source.subset < 0 ? i : source[i]]);
    for (std::int32_t i = 0; i < count; ++i) b[row(i)] = mixed(b[row(i)], sum);
  }
};

/// The program as a graph on the rows of this rank. @tparam DeviceSpace  where steps on a device execute.
template <class DeviceSpace>
class Distributed {
 public:
  Distributed(const Communicator& comm, const Program& program, Backend backend)
      : program_(program), graph_comm_(comm), graph_(comm) {
    const auto rank = comm.rank().index();
    for (const Space& space : program.spaces) {
      std::vector<GlobalRow> wanted;
      for (int row = space.first[rank]; row < space.first[rank + 1]; ++row) {
        for (const int n : space.neighbours[row]) wanted.emplace_back(n);
      }
      plans_.push_back(GhostPlan::build(comm, space.first[rank + 1] - space.first[rank], wanted));
      std::vector<std::int32_t> offsets{0}, columns;
      for (int row = space.first[rank]; row < space.first[rank + 1]; ++row) {
        for (const int n : space.neighbours[row]) columns.push_back(plans_.back().find(GlobalRow(n)).value());
        offsets.push_back(static_cast<std::int32_t>(columns.size()));
      }
      for (const Backend of : {Backend::host, backend}) {
        offsets_.emplace_back(of, std::span<const std::int32_t>(offsets));
        columns_.emplace_back(of, std::span<const std::int32_t>(columns));
      }
    }
    for (std::size_t a = 0; a < program.space_of.size(); ++a) {
      const std::size_t s = program.space_of[a];
      fields.push_back(
          std::make_unique<ValueField>(plans_[s], Layout::aos, program.array_on_device[a] ? backend : Backend::host));
      ValueField& field = *fields.back();
      for (int row = 0; row < plans_[s].rows(); ++row)
        field(row, 0) = row < plans_[s].owned_rows() ? initial(a, program.spaces[s].first[rank] + row) : -1;
      ids_.push_back(graph_.add_array("a" + std::to_string(a), field, program.spaces[s].inner[rank]));
      add_subsets(ids_.back(), program.spaces[s]);
    }
    for (std::size_t n = 0; n < program.numbers; ++n) {
      numbers.push_back(
          std::make_unique<HostDeviceVector<double>>(1, program.number_on_device[n] ? backend : Backend::host, "number"));
      (*numbers.back())[0] = 1.0;
      number_ids_.push_back(graph_.add_number("n" + std::to_string(n), *numbers.back()));
    }
    for (std::size_t s = 0; s < program.spaces.size(); ++s) list_selections(s, backend);
    for (const Step& step : program.steps) record(step);
    const bool with_costs = program.steps.front().constant % 3 == 0;
    for (std::size_t t = 0; with_costs && t < names_.size(); ++t) {
      graph_.set_cost(names_[t], 1e-6 * static_cast<double>(1 + program.steps[t].constant));
    }
  }
  [[nodiscard]] Plan compile(int threads, Check check) const { return graph_.compile(threads, check); }

  /// Returns true if arrays and numbers of this rank are those of the interpreter.
  [[nodiscard]] bool same_as(const Interpreter& expected, Rank rank) {
    bool same = true;
    for (std::size_t a = 0; a < fields.size(); ++a) {
      const Space& space = program_.spaces[program_.space_of[a]];
      const int first = space.first[rank.index()];
      PairRef(*fields[a]).bring(Side::host, fields[a]->space().owned());
      for (int row = first; row < space.first[rank.index() + 1]; ++row) {
        same = same && std::as_const(*fields[a])(row - first, 0) == expected.fields[a][row];
      }
    }
    for (std::size_t n = 0; n < numbers.size(); ++n) {
      if (!numbers[n]->fresh(Side::host)) numbers[n]->to_host(After()).wait();
      same = same && std::as_const(*numbers[n])[0] == expected.numbers[n];
    }
    return same;
  }

  std::vector<std::unique_ptr<ValueField>> fields;
  std::vector<std::unique_ptr<HostDeviceVector<double>>> numbers;

 private:
  /// Adds the subsets of a space to an array, as rows or as intervals.
  void add_subsets(DataId array, const Space& space) {
    const auto rank = graph_comm_.rank().index();
    for (std::size_t n = 0; n < space.subsets.size(); ++n) {
      std::vector<LocalRow> rows;
      std::vector<Rows> intervals;
      for (int row = space.first[rank]; row < space.first[rank + 1]; ++row) {
        if (!space.subsets[n][row]) continue;
        rows.emplace_back(row - space.first[rank]);
        intervals.emplace_back(rows.back(), LocalRow(rows.back().value() + 1));
      }
      const std::string name = "s" + std::to_string(n);
      if (n % 2 == 0) {
        (void)graph_.add_subset(array, name, rows);
      } else {
        (void)graph_.add_subset(array, name, intervals);
      }
    }
  }
  /// Lists the rows of this rank of each selection, on the host and on the device.
  void list_selections(std::size_t s, Backend backend) {
    const Space& space = program_.spaces[s];
    const auto rank = graph_comm_.rank().index();
    selections_.emplace_back();
    for (int subset = 0; subset < std::ssize(space.subsets); ++subset) {
      for (const bool outside : {false, true}) {
        std::vector<std::int32_t> rows;
        for (int row = space.first[rank]; row < space.first[rank + 1]; ++row) {
          if (space.selected({subset, outside}, row)) rows.push_back(row - space.first[rank]);
        }
        for (const Backend of : {Backend::host, backend})
          selections_.back().emplace_back(of, std::span<const std::int32_t>(rows));
      }
    }
  }
  [[nodiscard]] const DeviceVector<std::int32_t>* listed(std::size_t s, Selection selection, Side side) const {
    if (selection.subset < 0) return nullptr;
    return &selections_[s][4 * selection.subset + (selection.outside ? 2 : 0) + (side == Side::device ? 1 : 0)];
  }
  /// Returns what a step accesses. @param b  the array that it writes.
  template <class S>
  [[nodiscard]] Operands operands(const Step& step, std::size_t b, Rows rows) const {
    const std::size_t s = program_.space_of[step.a];
    constexpr Side kSide = kRunsOnHost<S> && !std::is_same_v<S, space::mirror> ? Side::host : Side::device;
    const std::size_t place = 2 * s + (kSide == Side::device ? 1 : 0);
    const bool of_number = step.what == Step::What::measure || step.what == Step::What::use;
    const auto* const selected = listed(s, step.selection, kSide);
    const auto* const source = listed(s, step.source, kSide);
    const std::int32_t owned = plans_[s].owned_rows();
    return {std::as_const(*fields[step.a]).template view<Aos, S>().data(),
            step.what == Step::What::measure ? nullptr : fields[b]->template view<Aos, S>().data(),
            of_number ? numbers[step.b]->write(kSide).data() : nullptr,
            offsets_[place].data(),
            columns_[place].data(),
            step,
            rows.first().value(),
            selected == nullptr ? nullptr : selected->data(),
            source == nullptr ? nullptr : source->data(),
            selected == nullptr ? owned : static_cast<std::int32_t>(selected->size()),
            source == nullptr ? owned : static_cast<std::int32_t>(source->size())};
  }
  [[nodiscard]] Rows owned(const Step& step) const {
    return {LocalRow(0), LocalRow(plans_[program_.space_of[step.a]].owned_rows())};
  }
  /// Adds a task that calls F for each of its rows.
  template <class F>
  void add_by_rows(const Step& step, std::size_t b, const std::string& name, std::vector<Access> accesses) {
    if (step.on_device) {
      graph_.add_task(name, std::move(accesses), on(DevicePlace{step.stream}), [this, step, b](Stream& stream, Rows rows) {
        parallel_for(DeviceSpace{}, stream, rows.size(), F{operands<DeviceSpace>(step, b, rows)});
      });
    } else {
      graph_.add_task(name, std::move(accesses), [this, step, b](Rows rows) {
        parallel_for(space::host{}, rows.size(), F{operands<space::host>(step, b, rows)});
      });
    }
  }
  /// Adds a task that calls F so many times, or for each row.
  template <class F>
  void add_whole(const Step& step, std::size_t b, const std::string& name, std::vector<Access> accesses, bool once) {
    const auto* const selected = listed(program_.space_of[step.a], step.selection, Side::host);
    const auto calls = [once, selected](Rows rows) {
      return once ? 1 : (selected == nullptr ? rows.size() : static_cast<std::int32_t>(selected->size()));
    };
    if (step.on_device) {
      graph_.add_task(name, std::move(accesses), on(DevicePlace{step.stream}), [this, step, b, calls](Stream& stream) {
        parallel_for(DeviceSpace{}, stream, calls(owned(step)), F{operands<DeviceSpace>(step, b, owned(step))});
      });
    } else {
      graph_.add_task(name, std::move(accesses), [this, step, b, calls] {
        parallel_for(space::host{}, calls(owned(step)), F{operands<space::host>(step, b, owned(step))});
      });
    }
  }

  /// Returns an access to the owned rows of an array in a selection.
  [[nodiscard]] Access access_to(std::size_t array, Mode mode, Selection selection) const {
    Access access{ids_[array], mode, Part::owned};
    if (selection.subset >= 0) access.subset = graph_.subset(ids_[array], "s" + std::to_string(selection.subset));
    access.outside = selection.outside;
    return access;
  }
  /// Adds the task of a step on a selection of rows.
  void record_selected(const Step& step, const std::string& name) {
    const Access from = access_to(step.a, Mode::read, step.selection);
    const auto to = [&](Mode mode) { return access_to(step.b, mode, step.selection); };
    switch (step.what) {
      case Step::What::stencil:
      case Step::What::whole:
        return add_whole<Stencil>(step, step.b, name, {reads(ids_[step.a]), to(Mode::write)}, false);
      case Step::What::update: {
        std::vector<Access> accesses{to(Mode::read_write)};
        if (step.a != step.b) accesses.push_back(from);
        return add_whole<Update>(step, step.b, name, accesses, false);
      }
      case Step::What::scatter:
        return add_whole<Scatter>(step, step.b, name, {from, reduces(ids_[step.b], step.op)}, true);
      case Step::What::measure:
        return add_whole<Measure>(step, 0, name, {from, reduces(number_ids_[step.b], step.op)}, true);
      case Step::What::use:
        return add_whole<Use>(step, step.a, name,
                              {reads(number_ids_[step.b]), access_to(step.a, Mode::read_write, step.selection)}, false);
      case Step::What::transfer:
        return add_whole<Transfer>(step, step.b, name, {access_to(step.a, Mode::read, step.source), to(Mode::read_write)}, true);
    }
  }

  void record(const Step& step) {
    if (step.selection.subset >= 0) {
      names_.push_back("selected " + std::to_string(names_.size()));
      return record_selected(step, names_.back());
    }
    const auto name = [&](const char* what) {
      names_.push_back(std::string(what) + " " + std::to_string(names_.size()));
      return names_.back();
    };
    const DataId a = ids_[step.a];
    switch (step.what) {
      case Step::What::stencil:
        return add_by_rows<Stencil>(step, step.b, name("stencil"), {reads(a), writes(ids_[step.b])});
      case Step::What::whole:
        return add_whole<Stencil>(step, step.b, name("whole"), {reads(a), writes(ids_[step.b])}, false);
      case Step::What::update: {
        std::vector<Access> accesses{reads_writes(ids_[step.b])};
        if (step.a != step.b) accesses.push_back(reads(a, Part::owned));
        return add_by_rows<Update>(step, step.b, name("update"), accesses);
      }
      case Step::What::scatter:
        return add_whole<Scatter>(step, step.b, name("scatter"), {reads(a, Part::owned), reduces(ids_[step.b], step.op)}, true);
      case Step::What::measure:
        return add_whole<Measure>(step, 0, name("measure"), {reads(a, Part::owned), reduces(number_ids_[step.b], step.op)}, true);
      case Step::What::use:
        return add_by_rows<Use>(step, step.a, name("use"), {reads(number_ids_[step.b]), reads_writes(a)});
      case Step::What::transfer:
        break;  // always on a selection
    }
  }

  const Program& program_;
  std::vector<GhostPlan> plans_;
  std::vector<DeviceVector<std::int32_t>> offsets_, columns_;  ///< by space, on the host and on the device
  std::vector<DataId> ids_, number_ids_;
  std::vector<std::string> names_;                                   ///< names of the tasks, by step
  std::vector<std::vector<DeviceVector<std::int32_t>>> selections_;  ///< by space; subset, outside, on the device
  Communicator graph_comm_;
  Graph graph_;
};

[[nodiscard]] inline int number_of_programs() {
  const char* wish = std::getenv("WEFT_RANDOM_PROGRAMS");
  return wish == nullptr ? 150 : std::atoi(wish);
}

/// Executes random programs, with tasks on a device unless the backend is that of the host.
template <class DeviceSpace>
void expect_agreement_of_random_programs(Backend backend, bool with_subsets = false) {
  const Communicator comm = Communicator::world();
  for (int seed = 1; seed <= number_of_programs(); ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    Program program(random, comm.size());
    if (with_subsets) program.add_subsets(random);
    if (backend != Backend::host) program.place(random);
    const int threads = 1 + seed % 3;
    Interpreter expected(program);
    Distributed<DeviceSpace> actual(comm, program, backend);
    Plan plan = actual.compile(threads, seed % 5 == 0 ? Check::accesses : Check::none);
    for (const int iterations : {3, 1}) {
      for (int i = 0; i < iterations; ++i) expected.iterate();
      if (program.any_on_device() && seed % 2 == 0) {
        Stream stream = Stream::for_backend(backend);
        for (int i = 0; i < iterations; ++i) plan.enqueue(stream, i % 2);
        plan.finish();
      } else {
        plan.run(iterations);
      }
      const bool same = actual.same_as(expected, comm.rank());
      ASSERT_TRUE(comm.all(same)) << "program " << seed << " on " << threads << " threads, after " << iterations
                                  << " iterations\n"
                                  << plan.text();
    }
    plan.close();
  }
}

}  // namespace weft::task::test
