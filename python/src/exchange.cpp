// weft.Exchange and weft.Redistribution: communication of the rows of arrays.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/array/redistribute.hpp"
#include "weft/comm/agreement.hpp"

#include "arguments.hpp"
#include "array.hpp"
#include "bindings.hpp"

namespace weft::python {
namespace {

/// The exchanges of one list of arrays: a pull, and a push for each operation, each created when it is first used.
class PyExchange {
 public:
  PyExchange(const PyGhostPlan& plan, const nb::args& arrays, const std::string& transport) : plan_(plan.plan) {
    std::string problem;
    std::optional<Transport> kind;
    std::vector<PairRef> refs;
    try {
      if (arrays.size() == 0) throw InputError("an exchange without arrays", "pass at least one weft.Array");
      for (const nb::handle array : arrays) {
        if (!nb::isinstance<PyArray>(array)) {
          throw InputError(fmt::format("a {} is not a weft.Array", text_of(array.type())), "pass arrays of the plan");
        }
        arrays_.emplace_back(nb::borrow(array));
        arrays_.back().array().expect_idle("Exchange");
        refs.push_back(arrays_.back().array().any().ref());
      }
      kind = kind_named<Transport>(transport, {.key = "transport"});
    } catch (const Error& error) {
      problem = error.problem();
    }
    const Computing computing;
    agree_on(plan_.comm(), problem, "Exchange(plan, array, ..., transport=\"automatic\")");
    transformer_.emplace(plan_, std::move(refs), *kind);
  }
  PyExchange(const PyExchange&) = delete;
  PyExchange& operator=(const PyExchange&) = delete;
  ~PyExchange() {
    set_use(PyArray::Use::idle);
    // Others may still map the memory of a GPU: without close() it is never freed.
    for (const auto& [key, exchange] : exchanges_) {
      if (!row_of(exchange.transport()).maps_arrays) continue;
      for (Attachment& array : arrays_) array.leak();
      return;
    }
  }

  void start(const std::optional<std::string>& operation, nb::handle stream) {
    if (active_ != nullptr) throw ContractError("start() of an exchange in flight", "finish() it first");
    Exchange& exchange = of(operation);
    for (const Attachment& array : arrays_) array.array().expect_idle("start()");
    Stream& ours = stream_of(exchange);
    wait_for_theirs(ours, stream);
    const After before = after(ours);
    {
      const Computing computing;
      exchange.start(before);
    }
    active_ = &exchange;
    set_use(operation ? PyArray::Use::pushed : PyArray::Use::pulled);
  }

  void finish(nb::handle stream) {
    if (active_ == nullptr) throw ContractError("finish() of an exchange that was not started", "start() it first");
    Stream& ours = stream_of(*active_);
    {
      const Computing computing;
      active_->finish(ours);
    }
    active_ = nullptr;
    set_use(PyArray::Use::idle);
    make_theirs_wait(ours, stream);
  }

  [[nodiscard]] bool arrived() {
    if (active_ == nullptr) throw ContractError("arrived() of an exchange that was not started", "start() it first");
    const Computing computing;
    return active_->arrived();
  }

  void close() {
    if (!transformer_) return;
    {
      const Computing computing;
      agreed(plan_.comm(), [&] {
        if (active_ != nullptr) throw ContractError("close() of an exchange in flight", "finish() it first");
      });
      for (auto& [key, exchange] : exchanges_) exchange.close();
    }
    exchanges_.clear();
    transformer_.reset();
    arrays_.clear();
  }

  [[nodiscard]] bool in_flight() const { return active_ != nullptr; }
  [[nodiscard]] bool closed() const { return !transformer_; }
  /// Returns the transport of the last exchange that was created.
  [[nodiscard]] std::string transport() { return to_string(of(std::nullopt).transport()); }
  [[nodiscard]] nb::tuple sent() const {
    Traffic all;
    for (const auto& [key, exchange] : exchanges_) {
      all.messages += exchange.sent().messages;
      all.bytes += exchange.sent().bytes;
    }
    return nb::make_tuple(all.messages, all.bytes);
  }

 private:
  /// Returns the exchange for an operation, or the pull; creates it at first. @collective
  [[nodiscard]] Exchange& of(const std::optional<std::string>& operation) {
    if (!transformer_) throw ContractError("use of an exchange after close()", "create a new Exchange");
    static constexpr int kPull = -1;
    const int key = operation ? static_cast<int>(named(kReductions, *operation)) : kPull;
    auto found = exchanges_.find(key);
    if (found == exchanges_.end()) {
      const Computing computing;
      found = exchanges_.emplace(key, operation ? transformer_->push(static_cast<Reduce>(key)) : transformer_->pull()).first;
    }
    return found->second;
  }
  /// Returns the stream of Weft's work on the arrays; that of the host where the host moves the messages.
  [[nodiscard]] Stream& stream_of(const Exchange& /*exchange*/) const {
    for (const Attachment& array : arrays_) {
      if (is_cuda(array.array().any().form().backend)) return array.array().stream();
    }
    return host_stream();
  }
  void set_use(PyArray::Use use) const {
    for (const Attachment& array : arrays_) array.set_use(use);
  }

  GhostPlan plan_;
  std::vector<Attachment> arrays_;
  std::optional<ArrayTransformer> transformer_;
  std::map<int, Exchange> exchanges_;  ///< by operation
  Exchange* active_ = nullptr;         ///< in flight
};

[[nodiscard]] Redistribution to_ranks(nb::handle comm, nb::handle destinations) {
  const Communicator ranks = communicator_of(comm);
  std::string problem;
  std::vector<Rank> list;
  for (const std::int64_t rank : integers(destinations, "destinations", problem)) {
    if (rank < 0 || rank >= ranks.size()) problem = fmt::format("a row goes to rank {} of {}", rank, ranks.size());
    list.emplace_back(rank < 0 ? 0 : rank);
  }
  const Computing computing;
  agree_on(ranks, problem, "pass a rank for each row");
  return Redistribution::to_ranks(ranks, list);
}

[[nodiscard]] Redistribution to_rows(nb::handle comm, nb::handle destinations, std::int32_t rows) {
  const Communicator ranks = communicator_of(comm);
  std::string problem;
  std::vector<GlobalRow> list;
  for (const std::int64_t row : integers(destinations, "destinations", problem)) {
    if (row < 0) problem = fmt::format("a row goes to row {}", row);
    list.emplace_back(row < 0 ? 0 : row);
  }
  const Computing computing;
  agree_on(ranks, problem, "pass a new global row for each row");
  return Redistribution::to_rows(ranks, list, rows);
}

void bind_redistribution(nb::module_& module) {
  nb::class_<Redistribution>(module, "Redistribution",
                             "The move of rows to other ranks and positions, applied to any number of arrays of those rows.")
      .def_static(
          "to_ranks", &to_ranks, nb::arg("comm").none(), nb::arg("destinations"),
          "Moves row i of this rank to rank destinations[i]; each rank orders its rows by former global row. Collective.\n\n"
          "Raises InputError on every rank if there is no such rank.")
      .def_static("to_rows", &to_rows, nb::arg("comm").none(), nb::arg("destinations"), nb::arg("rows"),
                  "Moves row i of this rank to global row destinations[i]; this rank owns `rows` rows afterwards. Collective.\n\n"
                  "Raises InputError on every rank unless the destinations are a permutation of the new rows.")
      .def_static(
          "to_even_blocks",
          [](nb::handle comm, std::int32_t rows) {
            const Communicator ranks = communicator_of(comm);
            const Computing computing;
            return Redistribution::to_even_blocks(ranks, rows);
          },
          nb::arg("comm").none(), nb::arg("rows"),
          "Divides the present order into blocks of equal length, up to one row; this rank has `rows` rows before. Collective.")
      .def_prop_ro(
          "old_rows", [](const Redistribution& r) { return r.old_offsets().local_rows(); }, "Rows of this rank before.")
      .def_prop_ro(
          "new_rows", [](const Redistribution& r) { return r.new_offsets().local_rows(); }, "Rows of this rank afterwards.")
      .def_prop_ro(
          "old_ids",
          [](const Redistribution& r) {
            std::vector<std::int64_t> ids;
            for (std::int32_t i = 0; i < r.new_offsets().local_rows(); ++i) ids.push_back(r.old_global(LocalRow(i)).value());
            return array_of(std::move(ids));
          },
          "Former global row of each new row of this rank, shape (new_rows,).")
      .def(
          "apply",
          [](const Redistribution& moves, PyArray& array) {
            const UseOf use(array, "apply()");
            const Computing computing;
            return PyArray(array.any().redistributed(moves), array.flat());
          },
          nb::arg("array"),
          "Returns the owned rows of an array in their new places, an array without ghost rows. Collective.\n\n"
          "Raises ContractError on every rank if the number of rows is another, CommError if the ranks' arrays differ.");
}

}  // namespace

void bind_exchange(nb::module_& module) {
  std::string transports;
  for (const std::string_view name : names<Transport>())
    transports += fmt::format("{}\"{}\"", transports.empty() ? "" : ", ", name);
  const std::string doc = fmt::format(
      "Communication of the rows of a list of arrays: pull copies owned rows to their ghost rows on other ranks, push combines\n"
      "ghost rows with their owned row. It is set up once and repeated; all arrays travel in one message per neighbour.\n\n"
      "plan: the plan of all arrays\n"
      "arrays: weft.Arrays, the same on every rank\n"
      "transport: {}\n\n"
      "    exchange = weft.Exchange(plan, q)\n"
      "    exchange.pull()             # ghost rows are up to date\n"
      "    exchange.push(\"add\")        # owned rows are sums\n"
      "    with exchange:              # a pull in flight: starts at enter, finishes at exit\n"
      "        work_on(q.owned)        # owned rows may be read\n\n"
      "While a pull is in flight, owned rows may be read and ghost rows not accessed; while a push is, ghost rows may be read\n"
      "and owned rows not accessed. Arrays of GPUs are exchanged on the device, in the order of the streams that are passed.\n"
      "All functions are collective; ranks start exchanges in the same order.\n\n"
      "Raises InputError or ContractError on every rank for wrong arrays, CommError if ranks disagree.",
      transports);
  nb::class_<PyExchange>(module, "Exchange", doc.c_str())
      .def(nb::init<const PyGhostPlan&, const nb::args&, const std::string&>(), nb::arg("plan"), nb::arg("arrays"), nb::kw_only(),
           nb::arg("transport") = "automatic")
      .def(
          "pull",
          [](PyExchange& e, nb::handle stream) {
            e.start(std::nullopt, stream);
            e.finish(stream);
          },
          nb::arg("stream") = nb::none(),
          "Copies owned rows to their ghost rows, and returns when those of this rank are there.\n\n"
          "stream: of arrays on GPUs: the pull follows the work in it, and later work in it follows the pull; None: the\n"
          "    default stream of CUDA. A stream of weft, CuPy, PyTorch or Numba, or the address of a cudaStream_t")
      .def(
          "push",
          [](PyExchange& e, const std::string& operation, nb::handle stream) {
            e.start(operation, stream);
            e.finish(stream);
          },
          nb::arg("op") = "add", nb::arg("stream") = nb::none(),
          "Combines ghost rows with their owned rows, in the order of ranks: \"insert\", \"add\", \"min\" or \"max\".\n\n"
          "Raises InputError for another operation.")
      .def("start", &PyExchange::start, nb::arg("op") = nb::none(), nb::arg("stream") = nb::none(),
           "Starts a pull, or a push of an operation, and returns. finish() ends it.\n\n"
           "Raises ContractError if this exchange, or another of one of its arrays, is in flight.")
      .def("finish", &PyExchange::finish, nb::arg("stream") = nb::none(),
           "Waits for the exchange in flight; on GPUs, makes `stream` wait. Raises ContractError without start().")
      .def("arrived", &PyExchange::arrived,
           "Returns whether finish() would not wait, and moves messages on. Raises ContractError without start().")
      .def("__enter__",
           [](nb::handle self) {
             nb::cast<PyExchange&>(self).start(std::nullopt, nb::none());
             return nb::borrow(self);
           })
      .def("__exit__",
           [](PyExchange& e, const nb::args& /*error*/) {
             if (e.in_flight()) e.finish(nb::none());
           })
      .def("close", &PyExchange::close, "Ends the exchange on every rank; the arrays may then be resized and closed.")
      .def_prop_ro("closed", &PyExchange::closed, "Whether close() was called.")
      .def_prop_ro("in_flight", &PyExchange::in_flight, "Whether start() was called without finish().")
      .def_prop_ro("transport", &PyExchange::transport, "Name of the transport of a pull. Collective.")
      .def_prop_ro("sent", &PyExchange::sent, "(messages, bytes) that this rank has sent.")
      .def("__repr__", [](const PyExchange& e) {
        return std::string("<weft.Exchange: ") + (e.closed() ? "closed>" : e.in_flight() ? "in flight>" : "idle>");
      });
  bind_redistribution(module);
}

}  // namespace weft::python
