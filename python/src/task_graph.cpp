// weft.task.Graph. The functions and their arguments are kept by python/weft/task.py, so that Python's garbage collector sees
// them.
#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "weft/task/graph.hpp"

#include "arguments.hpp"
#include "array.hpp"
#include "bindings.hpp"
#include "task_bodies.hpp"
#include "task_dry_plan.hpp"
#include "task_number.hpp"
#include "task_plan.hpp"

namespace weft::python {
namespace {

inline constexpr Registry kModes{
    "access", std::array{Row{task::Mode::read, "reads", ""}, Row{task::Mode::write, "writes", ""},
                         Row{task::Mode::read_write, "reads_writes", ""}, Row{task::Mode::reduce, "reduces", ""}}};

/// Rows of subsets of an array, by name.
using SubsetRows = std::map<std::string, std::vector<task::Rows>>;

/// Returns the offsets of the rows of a CSR array that an access states, from 0. @param inner  its inner rows.
/// @param subset  rows of the subset of the access, if it has one: ascending, disjoint intervals.
[[nodiscard]] std::vector<std::int64_t> offsets_of(AnyArray& array, const task::Access& access, std::int32_t inner,
                                                   const std::vector<task::Rows>& subset) {
  const std::int64_t* const offsets = array.offsets(Side::host);
  const IndexSpace& space = array.space();
  const std::array last{inner, space.owned_rows(), space.plan().rows(), space.rows()};
  std::vector<std::int64_t> list{0};
  std::int32_t row = 0;
  auto next = subset.begin();  // the first interval that ends behind the row
  for (std::size_t p = 0; p < task::kSingleParts.size(); ++p) {
    for (; row < last.at(p); ++row) {
      while (next != subset.end() && next->last() <= LocalRow(row)) ++next;
      const bool inside = next != subset.end() && next->contains(LocalRow(row));
      const bool in_part = overlap(access.part, task::kSingleParts.at(p));
      const bool stated = !access.subset.valid() ? in_part : (access.outside ? in_part && !inside : inside);
      if (stated) list.push_back(list.back() + offsets[row + 1] - offsets[row]);
    }
  }
  return list;
}

/// Returns rows as local ids. Numbers that do not fit become the nearest that do, which no array has; compile() reports them on
/// all ranks.
[[nodiscard]] LocalRow row_of(std::int64_t row) {
  using Limits = std::numeric_limits<std::int32_t>;
  return LocalRow(std::clamp<std::int64_t>(row, Limits::min(), Limits::max()));
}

/// Data, mode, part, operation, subset. Without a subset its name is empty; an empty part is the subset, another one the rest of
/// this part.
using AccessNames = std::tuple<int, std::string, std::string, std::string, std::string>;

class PyTaskGraph {
 public:
  explicit PyTaskGraph(nb::handle comm) : comm_(communicator_of(comm)), graph_(comm_) {}

  int add_array(nb::handle array, const std::string& name, std::int32_t inner) {
    auto& py_array = nb::cast<PyArray&>(array);
    py_array.expect_idle("Graph.array()");
    const int number = graph_.add_array(name, py_array.any().ref(), inner).value();
    data_.push_back({nb::borrow(array), inner});
    return number;
  }
  int add_number(nb::handle number, const std::string& name) {
    const int id = graph_.add_number(name, nb::cast<PyNumber&>(number).vector()).value();
    data_.push_back({nb::borrow(number)});
    return id;
  }
  void add_subset(int data, const std::string& name, nb::handle rows) {
    std::string problem;
    const std::vector<std::int64_t> list = integers(rows, "rows", problem);
    if (!problem.empty()) throw InputError(fmt::format("subset '{}': {}", name, problem), "pass numbers of rows, or slices");
    std::vector<LocalRow> local;
    for (const std::int64_t row : list) local.push_back(row_of(row));
    (void)graph_.add_subset(task::DataId(data), name, local);
    std::vector<task::Rows>& intervals = data_.at(data).subsets[name];
    for (const LocalRow row : local) {
      const LocalRow after(std::min<std::int64_t>(std::int64_t{row.value()} + 1, std::numeric_limits<std::int32_t>::max()));
      if (!intervals.empty() && intervals.back().last() == row) {
        intervals.back() = {intervals.back().first(), after};
      } else {
        intervals.emplace_back(row, after);
      }
    }
  }
  void add_subset_of_intervals(int data, const std::string& name,
                               const std::vector<std::pair<std::int64_t, std::int64_t>>& intervals) {
    std::vector<task::Rows> list;
    for (const auto& [first, last] : intervals) list.emplace_back(row_of(first), row_of(last));
    (void)graph_.add_subset(task::DataId(data), name, list);
    data_.at(data).subsets[name] = list;
  }
  /// Adds the data of another graph. Returns their numbers in this one.
  [[nodiscard]] std::vector<int> add_data_of(const std::string& name, const PyTaskGraph& other) {
    const IdVector<task::DataId, task::DataId> ids = graph_.add_data_of(name, other.graph_);
    std::vector<int> numbers;
    for (const task::DataId theirs : ids.ids()) {
      numbers.push_back(ids[theirs].value());
      const Data& data = other.data_[theirs.index()];
      if (ids[theirs].index() == data_.size()) data_.push_back(data);
      data_[ids[theirs].index()].subsets.insert(data.subsets.begin(), data.subsets.end());
    }
    return numbers;
  }
  /// Returns the argument of a task for an access to an array or a number. @param rows  of an array: all, owned, ...
  [[nodiscard]] nb::object view(int data, const std::string& rows, const std::string& side, bool writable) const {
    const nb::object& object = data_.at(static_cast<std::size_t>(data)).object;
    const Side on = named(kSides, side);
    if (nb::isinstance<PyNumber>(object)) return nb::cast<PyNumber&>(object).view_of_task(object, on, writable);
    return nb::cast<PyArray&>(object).view_of_task(object, rows, on, writable);
  }
  void add_task(const std::string& name, const std::vector<AccessNames>& accesses, bool rows, const std::string& side) {
    std::vector<task::Access> list = accesses_of(accesses);
    const std::size_t number = tasks_++;
    const auto whole = [bodies = bodies_, number](auto&... stream) { bodies->call(number, stream...); };
    using Divided = std::function<void(task::Rows)>;
    using DividedOnDevice = std::function<void(Stream&, task::Rows)>;
    if (named(kSides, side) == Side::host) {
      if (rows) {
        graph_.add_task(name, std::move(list), Divided([bodies = bodies_, number](task::Rows r) { bodies->call(number, r); }));
      } else {
        graph_.add_task(name, std::move(list), std::function<void()>(whole));
      }
    } else if (rows) {
      graph_.add_task(name, std::move(list), on(task::device),
                      DividedOnDevice([bodies = bodies_, number](Stream& s, task::Rows r) { bodies->call(number, s, r); }));
    } else {
      graph_.add_task(name, std::move(list), on(task::device), std::function<void(Stream&)>(whole));
    }
  }
  void add_io_task(const std::string& name, const std::vector<AccessNames>& accesses, int every) {
    const std::vector<task::Access> list = accesses_of(accesses);
    std::vector<SnapshotForm> forms;
    for (const task::Access& access : list) {
      const Data& data = data_.at(access.data.index());
      SnapshotForm& form = forms.emplace_back();
      form.data = access.data;
      form.is_number = nb::isinstance<PyNumber>(data.object);
      if (form.is_number) continue;
      const auto& array = nb::cast<const PyArray&>(data.object);
      const ArrayForm of = array.any().form();
      form.scalar = of.scalar;
      form.flat = array.flat();
      if (of.rows == Rows::csr) {
        const std::string& subset = std::get<4>(accesses[forms.size() - 1]);
        form.offsets =
            offsets_of(array.any(), access, data.inner, subset.empty() ? std::vector<task::Rows>{} : data.subsets.at(subset));
      } else {
        form.width = static_cast<std::size_t>(of.width);
      }
    }
    graph_.add_task(name, list, task::io_every(every),
                    [bodies = bodies_, number = tasks_, forms](const task::Snapshot& s) { bodies->call(number, s, forms); });
    ++tasks_;
  }
  void set_cost(const std::string& name, double seconds) { graph_.set_cost(name, seconds); }
  /// @param rows  of the arrays of the graph, by their number.
  [[nodiscard]] task::DryPlan dry(int ranks, const std::map<int, PretendedFields>& rows) const {
    std::map<int, task::PretendedRows> by_number;
    for (const auto& [number, fields] : rows) by_number[number] = pretended_rows(graph_, task::DataId(number), fields);
    return graph_.dry(ranks, [&](task::DataId array, const PairRef& /*array*/) { return by_number.at(array.value()); });
  }
  [[nodiscard]] std::unique_ptr<PyTaskPlan> compile(int threads, bool check, bool record) {
    std::optional<task::Plan> plan;
    {
      const Computing computing;
      plan.emplace(graph_.compile(threads, check ? task::Check::accesses : task::Check::none, Transport::automatic,
                                  record ? task::Launch::as_graphs : task::Launch::by_bodies));
    }
    std::vector<Attachment> arrays;
    for (const Data& data : data_) {
      if (nb::isinstance<PyArray>(data.object)) arrays.emplace_back(data.object);
    }
    return std::make_unique<PyTaskPlan>(std::move(*plan), std::move(arrays), bodies_);
  }

 private:
  struct Data {
    nb::object object;  ///< an array or a number
    std::int32_t inner = 0;
    SubsetRows subsets{};
  };
  [[nodiscard]] std::vector<task::Access> accesses_of(const std::vector<AccessNames>& accesses) const {
    std::vector<task::Access> list;
    for (const auto& [data, mode, part, op, subset] : accesses) {
      task::Access& access = list.emplace_back(task::Access{
          task::DataId(data), named(kModes, mode), part.empty() ? task::Part::all : named(kParts, part), named(kReductions, op)});
      if (subset.empty()) continue;
      access.subset = graph_.subset(access.data, subset);
      access.outside = !part.empty();
    }
    return list;
  }

  Communicator comm_;
  task::Graph graph_;
  std::vector<Data> data_;  ///< by number
  std::shared_ptr<Bodies> bodies_ = std::make_shared<Bodies>();
  std::size_t tasks_ = 0;
};

}  // namespace

void bind_task_graph(nb::module_& module) {
  nb::class_<PyTaskGraph>(module, "TaskGraph", "Data and tasks; weft.task.Graph keeps their functions.")
      .def(nb::init<nb::handle>(), nb::arg("comm").none())
      .def("add_array", &PyTaskGraph::add_array, nb::arg("array"), nb::arg("name"), nb::arg("inner"),
           "Adds a weft.Array and returns its number.")
      .def("add_number", &PyTaskGraph::add_number, nb::arg("number"), nb::arg("name"), "Adds a number and returns its number.")
      .def("add_subset", &PyTaskGraph::add_subset, nb::arg("data"), nb::arg("name"), nb::arg("rows"),
           "Adds a subset of the rows of an array.")
      .def("add_subset_of_intervals", &PyTaskGraph::add_subset_of_intervals, nb::arg("data"), nb::arg("name"),
           nb::arg("intervals"), "Adds a subset of the rows of an array, as pairs (first, end).")
      .def("add_data_of", &PyTaskGraph::add_data_of, nb::arg("name"), nb::arg("other"),
           "Adds the data of another graph and returns their numbers in this one.")
      .def("view", &PyTaskGraph::view, nb::arg("data"), nb::arg("rows"), nb::arg("side"), nb::arg("writable"),
           "Returns the argument of a task for an array or a number.")
      .def("add_task", &PyTaskGraph::add_task, nb::arg("name"), nb::arg("accesses"), nb::arg("rows"), nb::arg("side"),
           "Adds a task of (data, mode, part, operation, subset).")
      .def("add_io_task", &PyTaskGraph::add_io_task, nb::arg("name"), nb::arg("accesses"), nb::arg("every"),
           "Adds an I/O task of (data, mode, part, operation, subset), which is executed in one of `every` iterations.")
      .def("set_cost", &PyTaskGraph::set_cost, nb::arg("name"), nb::arg("seconds"), "States how long tasks of this name take.")
      .def("compile", &PyTaskGraph::compile, nb::arg("threads"), nb::arg("check"), nb::arg("record"),
           "Compiles the graph. Collective.")
      .def("dry", &PyTaskGraph::dry, nb::arg("ranks"), nb::arg("rows"),
           "Compiles the graph as a pretended rank, with the fields of PretendedRows by number of the array.");
}

}  // namespace weft::python
