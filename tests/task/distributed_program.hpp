#pragma once
// Random programs as graphs on the rows of each rank, compared with the interpreter. For tests on the host, a mirror and GPUs;
// those for GPUs include weft/device/parallel_for.cuh first.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/array/array_pair.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/device/host_device_vector.hpp"
#include "weft/device/parallel_for.hpp"
#include "weft/task/graph.hpp"

#include "support/sanitized.hpp"
#include "task/random_program.hpp"
#include "task/random_program_bodies.hpp"

namespace weft::task::test {

using ValueField = ArrayPair<Value>;

/// The program as a graph on the rows of this rank. @tparam DeviceSpace  where steps on a device execute.
template <class DeviceSpace>
class Distributed {
 public:
  Distributed(const Communicator& comm, const Program& program, Backend backend)
      : program_(program), comm_(comm), main_{Graph(comm)}, written_(program.steps.size()) {
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
    }
    for (std::size_t n = 0; n < program.numbers; ++n) {
      numbers.push_back(
          std::make_unique<HostDeviceVector<double>>(1, program.number_on_device[n] ? backend : Backend::host, "number"));
      (*numbers.back())[0] = 1.0;
    }
    add_data(main_);
    for (std::size_t s = 0; s < program.spaces.size(); ++s) list_selections(s, backend);
    names_.resize(program.steps.size());
    program.for_each([&](std::size_t step) { record(main_, step); }, [&](const Nested& nested) { record_nested(nested); });
    const bool with_costs = program.steps.front().constant % 3 == 0;
    for (std::size_t t = 0; with_costs && t < names_.size(); ++t) {
      main_.graph.set_cost(names_[t], 1e-6 * static_cast<double>(1 + program.steps[t].constant));
    }
  }
  [[nodiscard]] Plan compile(int threads, Check check) const { return main_.graph.compile(threads, check); }

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
    for (std::size_t k = 0; k < written_.size(); ++k) same = same && same_output(k, expected.written[k]);
    return same;
  }

  std::vector<std::unique_ptr<ValueField>> fields;
  std::vector<std::unique_ptr<HostDeviceVector<double>>> numbers;

 private:
  /// A graph and its ids, by array and by number.
  struct Target {
    Graph graph;
    std::vector<DataId> arrays{}, numbers{};
  };

  /// Returns true if an output has written in all of its iterations what the interpreter has, of the rows of this rank.
  [[nodiscard]] bool same_output(std::size_t k, const std::vector<Interpreter::Written>& expected) const {
    const Step& step = program_.steps[k];
    const Space& space = program_.spaces[program_.space_of[step.a]];
    const GhostPlan& plan = plans_[program_.space_of[step.a]];
    const int first = space.first[comm_.rank().index()];
    return std::ranges::equal(written_[k], expected, [&](const Interpreter::Written& here, const Interpreter::Written& all) {
      std::vector<Value> rows;
      for (int row = 0; row < plan.owned_rows(); ++row) {
        if (space.selected(step.selection, first + row)) rows.push_back(all.rows[first + row]);
      }
      for (int row = plan.owned_rows(); step.writes_ghosts() && row < plan.rows(); ++row)
        rows.push_back(all.rows[plan.global(LocalRow(row)).value()]);
      return here.iteration == all.iteration && here.rows == rows && (!step.writes_number() || here.number == all.number);
    });
  }
  /// Adds the arrays and numbers of the program to a graph; to one that is nested in another order.
  void add_data(Target& to) {
    const std::size_t arrays = fields.size();
    to.arrays.resize(arrays);
    for (std::size_t i = 0; i < arrays; ++i) {
      const std::size_t a = &to == &main_ ? i : arrays - 1 - i;
      const Space& space = program_.spaces[program_.space_of[a]];
      to.arrays[a] = to.graph.add_array("a" + std::to_string(a), *fields[a], space.inner[comm_.rank().index()]);
      add_subsets(to, to.arrays[a], space);
    }
    for (std::size_t n = 0; n < numbers.size(); ++n)
      to.numbers.push_back(to.graph.add_number("n" + std::to_string(n), *numbers[n]));
  }
  void record_nested(const Nested& nested) {
    Target inner{Graph(comm_)};
    add_data(inner);
    for (std::size_t step = nested.first; step < nested.last; ++step) {
      record(inner, step);
      names_[step] = "nested/" + names_[step];
    }
    for (int time = 0; time < nested.times; ++time) (void)main_.graph.add_graph("nested", inner.graph);
  }
  /// Adds the subsets of a space to an array, as rows or as intervals.
  void add_subsets(Target& to, DataId array, const Space& space) {
    const auto rank = comm_.rank().index();
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
        (void)to.graph.add_subset(array, name, rows);
      } else {
        (void)to.graph.add_subset(array, name, intervals);
      }
    }
  }
  /// Lists the rows of this rank of each selection, on the host and on the device.
  void list_selections(std::size_t s, Backend backend) {
    const Space& space = program_.spaces[s];
    const auto rank = comm_.rank().index();
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
    const auto* const selected = listed(s, step.selection, kSide);
    const auto* const source = listed(s, step.source, kSide);
    const std::int32_t owned = plans_[s].owned_rows();
    return {std::as_const(*fields[step.a]).template view<Aos, S>().data(),
            step.what == Step::What::measure ? nullptr : fields[b]->template view<Aos, S>().data(),
            step.of_number() ? numbers[step.b]->write(kSide).data() : nullptr,
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
  void add_by_rows(Target& to, const Step& step, std::size_t b, const std::string& name, std::vector<Access> accesses) {
    if (step.on_device) {
      to.graph.add_task(name, std::move(accesses), on(DevicePlace{step.stream}), [this, step, b](Stream& stream, Rows rows) {
        parallel_for(DeviceSpace{}, stream, rows.size(), F{operands<DeviceSpace>(step, b, rows)});
      });
    } else {
      to.graph.add_task(name, std::move(accesses), [this, step, b](Rows rows) {
        parallel_for(space::host{}, rows.size(), F{operands<space::host>(step, b, rows)});
      });
    }
  }
  /// Adds a task that calls F so many times, or for each row.
  template <class F>
  void add_whole(Target& to, const Step& step, std::size_t b, const std::string& name, std::vector<Access> accesses, bool once) {
    const auto* const selected = listed(program_.space_of[step.a], step.selection, Side::host);
    const auto calls = [once, selected](Rows rows) {
      return once ? 1 : (selected == nullptr ? rows.size() : static_cast<std::int32_t>(selected->size()));
    };
    if (step.on_device) {
      to.graph.add_task(name, std::move(accesses), on(DevicePlace{step.stream}), [this, step, b, calls](Stream& stream) {
        parallel_for(DeviceSpace{}, stream, calls(owned(step)), F{operands<DeviceSpace>(step, b, owned(step))});
      });
    } else {
      to.graph.add_task(name, std::move(accesses), [this, step, b, calls] {
        parallel_for(space::host{}, calls(owned(step)), F{operands<space::host>(step, b, owned(step))});
      });
    }
  }

  /// Returns an access to the owned rows of an array in a selection.
  [[nodiscard]] static Access access_to(const Target& to, std::size_t array, Mode mode, Selection selection) {
    Access access{to.arrays[array], mode, Part::owned};
    if (selection.subset >= 0) access.subset = to.graph.subset(to.arrays[array], "s" + std::to_string(selection.subset));
    access.outside = selection.outside;
    return access;
  }
  /// Adds the task of a step on a selection of rows.
  void record_selected(Target& in, const Step& step, const std::string& name) {
    const Access from = access_to(in, step.a, Mode::read, step.selection);
    const auto to = [&](Mode mode) { return access_to(in, step.b, mode, step.selection); };
    switch (step.what) {
      case Step::What::stencil:
      case Step::What::whole:
        return add_whole<Stencil>(in, step, step.b, name, {reads(in.arrays[step.a]), to(Mode::write)}, false);
      case Step::What::update: {
        std::vector<Access> accesses{to(Mode::read_write)};
        if (step.a != step.b) accesses.push_back(from);
        return add_whole<Update>(in, step, step.b, name, accesses, false);
      }
      case Step::What::scatter:
        return add_whole<Scatter>(in, step, step.b, name, {from, reduces(in.arrays[step.b], step.op)}, true);
      case Step::What::measure:
        return add_whole<Measure>(in, step, 0, name, {from, reduces(in.numbers[step.b], step.op)}, true);
      case Step::What::use:
        return add_whole<Use>(in, step, step.a, name,
                              {reads(in.numbers[step.b]), access_to(in, step.a, Mode::read_write, step.selection)}, false);
      case Step::What::transfer:
        return add_whole<Transfer>(in, step, step.b, name, {access_to(in, step.a, Mode::read, step.source), to(Mode::read_write)},
                                   true);
      case Step::What::output:
        return;  // record_output()
    }
  }

  /// Adds the I/O task of a step. Its snapshots have the ids of the graph that is compiled.
  void record_output(Target& in, std::size_t k) {
    const Step& step = program_.steps[k];
    std::vector<Access> accesses{step.writes_ghosts() ? reads(in.arrays[step.a])
                                                      : access_to(in, step.a, Mode::read, step.selection)};
    if (step.writes_number()) accesses.push_back(reads(in.numbers[step.b]));
    in.graph.add_task(names_[k], std::move(accesses), io_every(step.every()), [this, k](const Snapshot& snapshot) {
      const Step& of = program_.steps[k];
      const std::span<const Value> rows = snapshot.entries<Value>(main_.arrays[of.a]);
      written_[k].push_back({static_cast<int>(snapshot.iteration()),
                             {rows.begin(), rows.end()},
                             of.writes_number() ? snapshot.entries<double>(main_.numbers[of.b])[0] : 0.0});
    });
  }

  void record(Target& in, std::size_t k) {
    const Step& step = program_.steps[k];
    const auto name = [&](const char* what) { return names_[k] = std::string(what) + " " + std::to_string(k); };
    if (step.what == Step::What::output) {
      (void)name("output");
      return record_output(in, k);
    }
    if (step.selection.subset >= 0) return record_selected(in, step, name("selected"));
    const DataId a = in.arrays[step.a];
    switch (step.what) {
      case Step::What::stencil:
        return add_by_rows<Stencil>(in, step, step.b, name("stencil"), {reads(a), writes(in.arrays[step.b])});
      case Step::What::whole:
        return add_whole<Stencil>(in, step, step.b, name("whole"), {reads(a), writes(in.arrays[step.b])}, false);
      case Step::What::update: {
        std::vector<Access> accesses{reads_writes(in.arrays[step.b])};
        if (step.a != step.b) accesses.push_back(reads(a, Part::owned));
        return add_by_rows<Update>(in, step, step.b, name("update"), accesses);
      }
      case Step::What::scatter:
        return add_whole<Scatter>(in, step, step.b, name("scatter"), {reads(a, Part::owned), reduces(in.arrays[step.b], step.op)},
                                  true);
      case Step::What::measure:
        return add_whole<Measure>(in, step, 0, name("measure"), {reads(a, Part::owned), reduces(in.numbers[step.b], step.op)},
                                  true);
      case Step::What::use:
        return add_by_rows<Use>(in, step, step.a, name("use"), {reads(in.numbers[step.b]), reads_writes(a)});
      case Step::What::transfer:
      case Step::What::output:
        break;  // always on a selection, and above
    }
  }

  const Program& program_;
  std::vector<GhostPlan> plans_;
  std::vector<DeviceVector<std::int32_t>> offsets_, columns_;        ///< by space, on the host and on the device
  std::vector<std::string> names_;                                   ///< names of the tasks, by step
  std::vector<std::vector<DeviceVector<std::int32_t>>> selections_;  ///< by space; subset, outside, on the device
  Communicator comm_;
  Target main_;
  std::vector<std::vector<Interpreter::Written>> written_;  ///< by step
};

[[nodiscard]] inline int number_of_programs() {
  const char* wish = std::getenv("WEFT_RANDOM_PROGRAMS");
  return wish == nullptr ? full_or_checked(150, 40) : std::atoi(wish);
}

/// Executes random programs, with tasks on a device unless the backend is that of the host.
template <class DeviceSpace>
void expect_agreement_of_random_programs(Backend backend, bool with_subsets = false) {
  const Communicator comm = Communicator::world();
  for (int seed = 1; seed <= number_of_programs(); ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    Program program(random, comm.size());
    if (seed % 4 > 1) program.add_outputs(random);
    if (with_subsets) program.add_subsets(random);
    if (backend != Backend::host) program.place(random);
    if (seed % 8 > 3) program.nest(random);
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
