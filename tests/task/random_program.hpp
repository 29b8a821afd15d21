#pragma once
// Random programs on random distributions, and an interpreter that executes their tasks one after the other on one process with
// the whole arrays.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "weft/array/reduce.hpp"
#include "weft/base/macros.hpp"

namespace weft::task::test {

using Value = std::int64_t;

constexpr Value kModulus = 1 << 20;  // sums of such values do not overflow, and are exact in double

/// The rows that a step computes or contributes: all, those of a subset of the space, or those outside of it.
struct Selection {
  int subset = -1;
  bool outside = false;
};

/// Rows of all ranks and their neighbours; the same on every rank. The first inner rows of a rank have no neighbour elsewhere.
struct Space {
  std::vector<int> first;  ///< by rank, and the number of rows
  std::vector<int> inner;  ///< by rank
  std::vector<std::vector<int>> neighbours;
  std::vector<std::vector<bool>> subsets;  ///< by subset and row

  /// Adds up to three subsets: some rows of some ranks, or all of them.
  void add_subsets(std::mt19937& random) {
    for (auto n = 1 + random() % 3; n > 0; --n) {
      std::vector<bool> subset(static_cast<std::size_t>(rows()));
      const auto kind = random() % 8;  // one in so many rows is in the subset; of some kinds inner rows alone
      for (std::size_t r = 0; r < inner.size(); ++r) {
        const bool here = random() % 4 != 0;
        for (int row = first[r]; row < first[r + 1]; ++row) {
          subset[row] = here && random() % (1 + kind / 2) == 0 && (kind % 2 == 0 || inner_row(row));
        }
      }
      subsets.push_back(std::move(subset));
    }
  }
  [[nodiscard]] bool selected(Selection selection, int row) const {
    return selection.subset < 0 || subsets[static_cast<std::size_t>(selection.subset)][row] != selection.outside;
  }
  [[nodiscard]] std::size_t rank_of(int row) const { return std::ranges::upper_bound(first, row) - first.begin() - 1; }

  Space(std::mt19937& random, int ranks) {
    const auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
    first.push_back(0);
    const bool inner_is_sent = up_to(1) == 0;
    for (int r = 0; r < ranks; ++r) {
      const int rows = up_to(5) == 0 ? 0 : up_to(7);
      first.push_back(first.back() + rows);
      inner.push_back(up_to(rows));
    }
    for (int r = 0; r < ranks; ++r) {
      const auto at = static_cast<std::size_t>(r);
      for (int row = first[at]; row < first[at + 1]; ++row) {
        const bool is_inner = row < first[at] + inner[at];
        std::vector<int> list;
        for (int k = up_to(3); k > 0; --k) {
          const int other = up_to(first.back() - 1);
          const bool here = other >= first[at] && other < first[at + 1];
          if (here || (!is_inner && (inner_is_sent || !inner_row(other)))) list.push_back(other);
        }
        neighbours.push_back(std::move(list));
      }
    }
  }
  [[nodiscard]] bool inner_row(int row) const {
    for (std::size_t r = 0; r < inner.size(); ++r) {
      if (row >= first[r] && row < first[r + 1]) return row < first[r] + inner[r];
    }
    return false;
  }
  [[nodiscard]] int rows() const { return first.back(); }
};

/// One step of a program: b (or the number) from a. transfer: every rank changes the selected rows of b by its source rows of a.
/// output: an I/O task writes a, and number b, in every so many iterations.
struct Step {
  enum class What { stencil, update, scatter, measure, use, whole, transfer, output } what;
  std::size_t a, b;
  Reduce op;
  Value constant;
  bool on_device = false;
  DeviceStream stream = DeviceStream::main;  ///< used by a step on a device
  Selection selection{}, source{};

  [[nodiscard]] bool of_number() const { return what == What::measure || what == What::use || what == What::output; }
  // Properties of an output:
  [[nodiscard]] int every() const { return 1 + static_cast<int>(constant % 3); }
  [[nodiscard]] bool writes_number() const { return constant % 2 == 0; }
  [[nodiscard]] bool writes_ghosts() const { return selection.subset < 0 && constant % 5 < 2; }
};

/// Steps that are recorded in a graph of their own, which is added once or twice in this place of the program.
struct Nested {
  std::size_t first, last;  ///< steps first ... last - 1
  int times;
};

struct Program {
  std::vector<Space> spaces;
  std::vector<std::size_t> space_of;  ///< by array
  std::size_t numbers = 2;
  std::vector<Step> steps;
  std::vector<Nested> nested;  ///< disjoint, ascending
  std::vector<bool> array_on_device, number_on_device;

  Program(std::mt19937& random, int ranks) {
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
    for (std::size_t s = 1 + below(2); s > 0; --s) spaces.emplace_back(random, ranks);
    for (std::size_t a = 2 + below(4); a > 0; --a) space_of.push_back(below(spaces.size()));
    for (std::size_t k = 1 + below(9); k > 0; --k) {
      Step step{static_cast<Step::What>(below(6)), below(space_of.size()), below(space_of.size()),
                std::array{Reduce::add, Reduce::min, Reduce::max}[below(3)], static_cast<Value>(below(1000))};
      if (step.what == Step::What::measure || step.what == Step::What::use) {
        step.b = below(numbers);
      } else if (space_of[step.a] != space_of[step.b] ||
                 (step.a == step.b &&
                  (step.what == Step::What::stencil || step.what == Step::What::scatter || step.what == Step::What::whole))) {
        step.what = Step::What::update;
        step.b = step.a;
      }
      steps.push_back(step);
    }
    array_on_device.resize(space_of.size());
    number_on_device.resize(numbers);
  }

  /// Adds one or two I/O tasks in random places.
  void add_outputs(std::mt19937& random) {
    for (auto n = 1 + random() % 2; n > 0; --n) {
      const Step step{Step::What::output, random() % space_of.size(), random() % numbers, Reduce::add,
                      static_cast<Value>(random() % 1000)};
      steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(random() % (steps.size() + 1)), step);
    }
  }
  /// Nests one or two sequences of steps.
  void nest(std::mt19937& random) {
    for (std::size_t first = random() % 2; first < steps.size() && nested.size() < 2;) {
      const std::size_t last = std::min(steps.size(), first + 1 + random() % 4);
      nested.push_back({first, last, 1 + static_cast<int>(random() % 2)});
      first = last + random() % 3;
    }
  }
  /// Calls single(step) for each step that is not nested, and group(nested) for each sequence, in the order of the program.
  template <class Single, class Group>
  void for_each(const Single& single, const Group& group) const {
    std::size_t next = 0;
    const auto singles_before = [&](std::size_t end) {
      for (; next < end; ++next) single(next);
    };
    for (const Nested& of : nested) {
      singles_before(of.first);
      group(of);
      next = of.last;
    }
    singles_before(steps.size());
  }

  [[nodiscard]] bool any_on_device() const {
    const auto any = [](const std::vector<bool>& list) { return std::ranges::find(list, true) != list.end(); };
    return any(array_on_device) || any(number_on_device);
  }
  /// Adds subsets to the spaces, of which all arrays have them, and restricts some of the steps to them.
  void add_subsets(std::mt19937& random) {
    for (Space& space : spaces) space.add_subsets(random);
    for (Step& step : steps) {
      const auto any = [&] {
        const auto subset = static_cast<int>(random() % spaces[space_of[step.a]].subsets.size());
        return Selection{subset, random() % 3 == 0};
      };
      if (random() % 4 == 0) continue;
      step.selection = any();
      if (step.of_number() || step.what == Step::What::scatter || random() % 3 != 0) continue;
      step.what = Step::What::transfer;
      step.source = any();
    }
  }
  /// Gives some of the arrays and numbers a device side, and executes some of the steps that can on the device, in all streams.
  void place(std::mt19937& random) {
    const auto often = [&] { return random() % 4 != 0; };
    for (std::size_t a = 0; a < space_of.size(); ++a) array_on_device[a] = often();
    for (std::size_t n = 0; n < numbers; ++n) number_on_device[n] = often();
    for (Step& step : steps) {
      const bool possible = array_on_device[step.a] && (step.of_number() ? number_on_device[step.b] : array_on_device[step.b]);
      step.on_device = possible && step.what != Step::What::output && random() % 2 == 0;
      step.stream = std::array{DeviceStream::main, DeviceStream::urgent, DeviceStream::aside}[random() % 3];
    }
  }
};

[[nodiscard]] WEFT_HD inline Value combine(Reduce op, Value x, Value y) {
  return op == Reduce::add ? (x + y) % kModulus : ((op == Reduce::min) == (y < x) ? y : x);
}
[[nodiscard]] WEFT_HD inline Value mixed(Value x, Value y) { return (x * 31 + y * 17 + 5) % kModulus; }
[[nodiscard]] inline Value initial(std::size_t array, int row) {
  return static_cast<Value>(row * 7919 + static_cast<int>(array) * 104729) % kModulus;
}

/// Executes a program on whole arrays.
class Interpreter {
 public:
  /// Values that an output has written: all rows of the array, or those of a rank, and the number.
  struct Written {
    int iteration;
    std::vector<Value> rows;
    double number;
  };

  explicit Interpreter(const Program& program)
      : program_(program), numbers(program.numbers, 1.0), written(program.steps.size()), open_(program.numbers) {
    for (std::size_t a = 0; a < program.space_of.size(); ++a) {
      fields.emplace_back();
      for (int row = 0; row < space(a).rows(); ++row) fields.back().push_back(initial(a, row));
    }
  }
  void iterate() {
    ++iteration_;
    program_.for_each([&](std::size_t step) { execute(step); },
                      [&](const Nested& nested) {
                        for (int time = 0; time < nested.times; ++time) {
                          for (std::size_t step = nested.first; step < nested.last; ++step) execute(step);
                        }
                      });
    for (auto& open : open_) open.reset();
  }

 private:
  const Program& program_;

 public:
  std::vector<std::vector<Value>> fields;
  std::vector<double> numbers;
  std::vector<std::vector<Written>> written;  ///< by step

 private:
  [[nodiscard]] const Space& space(std::size_t a) const { return program_.spaces[program_.space_of[a]]; }
  void execute(std::size_t number_of_step) {
    const Step& step = program_.steps[number_of_step];
    const std::vector<Value> a = fields[step.a];
    if (step.what == Step::What::output) {
      if (step.writes_number()) open_[step.b].reset();
      if (iteration_ % step.every() == 0) written[number_of_step].push_back({iteration_, a, numbers[step.b]});
      return;
    }
    const Space& of = space(step.a);
    std::vector<Value> sums(of.inner.size());  // by rank, of source rows
    for (int row = 0; row < of.rows(); ++row) {
      if (of.selected(step.source, row)) sums[of.rank_of(row)] = combine(Reduce::add, sums[of.rank_of(row)], a[row]);
    }
    for (int row = 0; row < of.rows(); ++row) {
      const auto i = static_cast<std::size_t>(row);
      if (!of.selected(step.selection, row)) continue;
      switch (step.what) {
        case Step::What::stencil:
        case Step::What::whole: {
          Value sum = mixed(a[i], step.constant);
          for (const int n : of.neighbours[i]) sum = mixed(sum, a[n]);
          fields[step.b][i] = sum;
          break;
        }
        case Step::What::update:
          fields[step.b][i] = mixed(fields[step.b][i], step.a == step.b ? step.constant : a[i]);
          break;
        case Step::What::scatter:
          for (const int n : of.neighbours[i]) {
            Value& to = fields[step.b][n];
            const Value x = mixed(a[i], step.constant) % 1000;
            to = step.op == Reduce::add ? to + x : combine(step.op, to, x);
          }
          break;
        case Step::What::transfer:
          fields[step.b][i] = mixed(fields[step.b][i], sums[of.rank_of(row)]);
          break;
        case Step::What::measure:
        case Step::What::use:
        case Step::What::output:
          break;
      }
    }
    if (step.what == Step::What::scatter && step.op == Reduce::add) return;
    if (step.what == Step::What::measure) {
      if (open_[step.b] != step.op) {
        numbers[step.b] = step.op == Reduce::add   ? 0.0
                          : step.op == Reduce::min ? std::numeric_limits<double>::infinity()
                                                   : -std::numeric_limits<double>::infinity();
      }
      open_[step.b] = step.op;
      for (int row = 0; row < of.rows(); ++row) {
        if (of.selected(step.selection, row)) contribute(numbers[step.b], step.op, a[row] % 1000);
      }
    } else if (step.what == Step::What::use) {
      open_[step.b].reset();
      const double number = numbers[step.b];
      for (int row = 0; row < of.rows(); ++row) {
        if (of.selected(step.selection, row)) fields[step.a][row] = mixed(fields[step.a][row], as_value(number));
      }
    }
  }

 public:
  WEFT_HD static void contribute(double& number, Reduce op, Value x) {
    const auto y = static_cast<double>(x);
    number = op == Reduce::add ? number + y : ((op == Reduce::min) == (y < number) ? y : number);
  }
  WEFT_HD static Value as_value(double number) {
    return number < 1e12 && number > -1e12 ? static_cast<Value>(number) % 1000 : 0;  // infinite where no row contributes
  }

 private:
  std::vector<std::optional<Reduce>> open_;
  int iteration_ = 0;
};

}  // namespace weft::task::test
