// weft.Array: views of its memory, and what they forbid.
#include "array.hpp"

#include <fmt/format.h>

#include <tuple>
#include <vector>

#include "weft/comm/agreement.hpp"
#include "weft/device/device.hpp"

#include "arguments.hpp"
#include "bindings.hpp"

namespace weft::python {

/// Counts a view of an array for as long as it lives, and keeps the array alive.
struct Lease {
  nb::object object;
  PyArray* array;
  explicit Lease(nb::handle self, PyArray& of) : object(nb::borrow(self)), array(&of) { ++array->views_; }
  ~Lease() { --array->views_; }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
};

namespace {

struct NamedRange {
  IdRange<LocalRow> rows;
  bool owned, ghosts;  ///< which of these it contains
};

[[nodiscard]] NamedRange range_named(const IndexSpace& space, const std::string& name) {
  if (name == "all") return {{LocalRow(0), LocalRow(space.rows())}, true, true};
  if (name == "owned") return {space.owned(), true, false};
  if (name == "ghosts") return {space.ghosts(), false, true};
  if (name == "boundary") return {space.boundary(), false, false};
  static constexpr std::array<std::string_view, 4> kNames{"all", "owned", "ghosts", "boundary"};
  (void)detail::index_of_name(name, kNames, "range of rows", {});
  return {};
}

}  // namespace

PyArray::PyArray(std::unique_ptr<AnyArray> array, bool flat) : array_(std::move(array)), flat_(flat) {
  if (is_cuda(array_->form().backend)) device_ = current_device();
}

PyArray::PyArray(std::unique_ptr<AnyArray> array, bool flat, std::optional<RegisteredMemory> memory, Imported owner)
    : owner_(std::move(owner)), memory_(std::move(memory)), array_(std::move(array)), flat_(flat) {
  if (is_cuda(array_->form().backend)) device_ = current_device();
}

AnyArray& PyArray::any() const {
  if (array_ == nullptr) throw ContractError("use of an array after close()", "create a new array");
  return *array_;
}

void PyArray::expect_idle(const char* what) const {
  (void)any();
  if (use_ == Use::busy) throw ContractError(fmt::format("{} while another thread works on the array", what));
  if (use_ != Use::idle) {
    throw ContractError(fmt::format("{} while an exchange of the array is in flight", what), "finish() the exchange first");
  }
}

void PyArray::expect_changeable(const char* what) const {
  expect_idle(what);
  if (views_ > 0) {
    throw_buffer_error(fmt::format("{} of an array of which {} view{}", what, views_, views_ == 1 ? " exists" : "s exist"),
                       "delete the views (numpy arrays, tensors) first");
  }
  if (attachments_ > 0) {
    throw ContractError(fmt::format("{} of an array that an Exchange lists", what), "close() the Exchange first");
  }
}

void PyArray::expect_changeable_everywhere(const char* what) const {
  const Communicator& ranks = comm();
  const int views = views_;
  bool viewed = false;
  {
    const Computing computing;
    agreed(ranks, [&] {
      expect_idle(what);
      if (attachments_ > 0)
        throw ContractError(fmt::format("{} of an array that an Exchange lists", what), "close() the Exchange first");
    });
    viewed = ranks.any(views > 0);
  }
  if (views_ > 0) expect_changeable(what);
  if (viewed) {
    throw_buffer_error(fmt::format("{} of an array of which views exist on another rank", what),
                       "delete the views (numpy arrays, tensors) first");
  }
}

nb::object PyArray::lease(nb::handle self) {
  return nb::capsule(new Lease(self, *this), [](void* p) noexcept { delete static_cast<Lease*>(p); });
}

std::pair<int, int> PyArray::dlpack_device() const {
  switch (any().form().backend) {
    case Backend::cuda:
      return {nb::device::cuda::value, device_};
    case Backend::cuda_managed:
      return {nb::device::cuda_managed::value, device_};
    case Backend::cuda_mapped:
      return {nb::device::cuda_host::value, 0};
    default:
      return {nb::device::cpu::value, 0};
  }
}

nb::object PyArray::show(const Block& block, Side side, Order order, nb::handle owner) {
  if (side == Side::host) return as_numpy(block, owner);
  const Backend backend = any().form().backend;
  Block on_device = block;
  std::tie(on_device.device_type, on_device.device) = dlpack_device();
  return nb::cast(DeviceView(on_device, nb::borrow(owner), is_cuda(backend) ? &stream() : nullptr, order));
}

nb::object PyArray::view(nb::handle self, const std::string& rows, Side side, std::optional<bool> writable) {
  const NamedRange range = range_named(any().space(), rows);
  bool write = writable.value_or(true);
  const bool exchanged = range.owned || range.ghosts;
  if (use_ == Use::busy) expect_idle("a view");
  if (use_ != Use::idle && exchanged) {
    const bool may_read = use_ == Use::pulled ? !range.ghosts : !range.owned;
    if (!may_read || writable.value_or(false)) {
      expect_idle(use_ == Use::pulled ? "access to rows that a pull in flight reads or writes"
                                      : "access to rows that a push in flight reads or writes");
    }
    write = false;
  }
  return view_of(self, range.rows, side, write, Order::by_consumer);
}

nb::object PyArray::view_of_task(nb::handle self, const std::string& rows, Side side, bool writable) {
  expect_idle("a view");
  const NamedRange range = range_named(any().space(), rows);
  PairRef array = any().ref();
  if (side == Side::device && any().form().backend == Backend::host) {
    throw ContractError("the array has no device side", "create it with backend=\"cuda\" or \"mirror\"");
  }
  array.suspend_tracking();
  const auto resume = [](PairRef* suspended) { suspended->resume_tracking(); };
  const std::unique_ptr<PairRef, decltype(resume)> suspended(&array);
  if (!array.allocated(side)) {
    throw ContractError("the array has no memory on the host, because it was created with first=\"device\"",
                        "take host views of it before, or access it by tasks on the device");
  }
  return view_of(self, range.rows, side, writable || side == Side::device, Order::by_caller);
}

nb::object PyArray::view_of(nb::handle self, IdRange<LocalRow> ids, Side side, bool write, Order order) {
  AnyArray& array = any();
  const ArrayForm form = array.form();
  // Positions in the entries of CSR rows count from row 0.
  const IdRange<LocalRow> accessed = form.rows == Rows::csr ? IdRange(LocalRow(0), ids.last()) : ids;
  std::byte* const base = array.access(side, accessed, write);
  const nb::object owner = lease(self);
  const auto first = ids.first().index(), count = ids.last().index() - first;
  const auto bytes = static_cast<std::size_t>(dlpack_type(form.scalar).bits / 8);
  Block block;
  block.scalar = form.scalar;
  block.read_only = !write;
  if (form.rows == Rows::csr) {
    const std::int64_t* const on_host = array.offsets(Side::host);
    block.data = base;
    block.shape[0] = static_cast<std::size_t>(on_host[ids.last().index()]);
    block.strides[0] = 1;
    Block offsets;
    offsets.data = const_cast<std::int64_t*>(array.offsets(side)) + first;
    offsets.scalar = Scalar::int64;
    offsets.shape[0] = count + 1;
    offsets.strides[0] = 1;
    return nb::make_tuple(show(offsets, side, order, owner), show(block, side, order, owner));
  }
  const auto width = static_cast<std::size_t>(form.width);
  const bool by_rows = form.layout == Layout::aos;
  block.data = base + bytes * first * (by_rows ? width : 1);
  block.dims = flat_ ? 1 : 2;
  block.shape = {count, width};
  block.strides = {by_rows ? static_cast<std::int64_t>(width) : 1, by_rows ? 1 : std::int64_t{array.space().rows()}};
  return show(block, side, order, owner);
}

nb::object PyArray::row_sizes(nb::handle self) {
  AnyArray& array = any();
  if (array.form().rows != Rows::padded) {
    throw ContractError("only rows of kind \"max\" have row sizes", "take the shape, or the offsets of CSR rows");
  }
  (void)array.access(Side::host, {LocalRow(0), LocalRow(array.space().rows())}, false);
  Block block;
  block.data = array.row_sizes(Side::host);
  block.scalar = Scalar::int32;
  block.shape[0] = static_cast<std::size_t>(array.space().rows());
  block.strides[0] = 1;
  return as_numpy(block, lease(self));
}

void PyArray::set_row_sizes(const nb::object& sizes) {
  expect_idle("set_row_sizes");
  AnyArray& array = any();
  const ArrayForm form = array.form();
  if (form.rows != Rows::padded) throw ContractError("only rows of kind \"max\" have row sizes");
  std::string problem;
  const std::vector<std::int64_t> list = integers(sizes, "row sizes", problem);
  const auto owned = static_cast<std::size_t>(array.space().owned_rows()), all = static_cast<std::size_t>(array.space().rows());
  if (problem.empty() && list.size() != owned && list.size() != all) {
    problem = fmt::format("{} row sizes; there are {} owned rows of {}", list.size(), owned, all);
  }
  for (std::size_t i = 0; i < list.size() && problem.empty(); ++i) {
    if (list[i] < 0 || list[i] > form.width)
      problem = fmt::format("row {} cannot have {} entries; the maximum is {}", i, list[i], form.width);
  }
  if (!problem.empty()) throw InputError(problem, "pass a size for each owned row, or for each row");
  (void)array.access(Side::host, {LocalRow(0), LocalRow(static_cast<std::int64_t>(list.size()))}, true);
  std::transform(list.begin(), list.end(), array.row_sizes(Side::host),
                 [](std::int64_t size) { return static_cast<std::int32_t>(size); });
}

void PyArray::bring(Side to, nb::handle stream) {
  expect_idle(to == Side::host ? "to_host" : "to_device");
  Stream& ours = this->stream();
  wait_for_theirs(ours, stream);
  ours.wait_for(After(any().bring(to, after(ours))));
  make_theirs_wait(ours, stream);
}

void PyArray::close() {
  if (closed()) return;
  expect_changeable("close()");
  free();
}

void PyArray::free() noexcept {
  if (array_ == nullptr) return;
  try {
    if (borrowed()) stream().wait();
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the next wait for the GPU reports the error
  }
  array_.reset();
  memory_.reset();
  owner_ = {};
}

void PyArray::replace(std::unique_ptr<AnyArray> array) { array_ = std::move(array); }

void PyArray::resize_width(int width) {
  if (any().form().rows == Rows::csr) throw ContractError("CSR rows have no width", "assign() other rows");
  expect_changeable("resize_width");
  any().resize_width(width);
  flat_ = flat_ && width == 1;
}

}  // namespace weft::python
