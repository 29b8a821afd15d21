#include "weft/io/hdf5/hdf5_file.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <stop_token>
#include <system_error>
#include <utility>

#include "weft/base/contracts.hpp"
#include "weft/base/mix.hpp"
#include "weft/base/thread_binding.hpp"
#include "weft/comm/environment.hpp"
#include "weft/comm/shared_memory.hpp"
#include "weft/io/hdf5/hdf5_file_state.hpp"
#include "weft/io/hdf5/hdf5_objects.hpp"

namespace weft::io {

using detail::array_space;
using detail::check_hdf5;
using detail::Hdf5Handle;
using Scalar = ElementType::Scalar;
namespace fs = std::filesystem;

namespace {

hid_t memory_type(Scalar scalar) {
  switch (scalar) {
    case Scalar::bytes:
      return H5T_NATIVE_UINT8;
    case Scalar::int8:
      return H5T_NATIVE_INT8;
    case Scalar::int16:
      return H5T_NATIVE_INT16;
    case Scalar::int32:
      return H5T_NATIVE_INT32;
    case Scalar::int64:
      return H5T_NATIVE_INT64;
    case Scalar::uint8:
      return H5T_NATIVE_UINT8;
    case Scalar::uint16:
      return H5T_NATIVE_UINT16;
    case Scalar::uint32:
      return H5T_NATIVE_UINT32;
    case Scalar::uint64:
      return H5T_NATIVE_UINT64;
    case Scalar::float32:
      return H5T_NATIVE_FLOAT;
    case Scalar::float64:
      return H5T_NATIVE_DOUBLE;
  }
  return -1;
}

Scalar scalar_of(hid_t type) {
  for (int i = static_cast<int>(Scalar::int8); i <= static_cast<int>(Scalar::float64); ++i) {
    if (H5Tequal(type, memory_type(static_cast<Scalar>(i))) > 0) return static_cast<Scalar>(i);
  }
  return Scalar::bytes;
}

std::size_t scalar_bytes(Scalar scalar) { return H5Tget_size(memory_type(scalar)); }

// Type of a scalar of an element; elements that are not numbers are written as bytes.
std::int32_t scalars_of(const ElementType& type) { return type.scalar == Scalar::bytes ? type.bytes : type.components; }

Where in(const fs::path& path) { return Where{.file = path.string()}; }

// Random text that identifies the file of this run.
std::string random_mark() {
  std::random_device random;
  return fmt::format("weft is writing this file: {:08x}{:08x}{:08x}{:08x}\n", random(), random(), random(), random());
}

// Runs `work`, which opens a file. Adds the location to an IoError of a rank other than 0: it is thrown only if rank 0 had no
// error, so that this rank has no access to the file of rank 0.
template <class Work>
void on_this_machine(const Communicator& comm, Work&& work) {
  try {
    work();
  } catch (const IoError& error) {
    if (comm.is_root()) throw;
    throw IoError(fmt::format("rank {} on {} does not have the file of rank 0: {}", comm.rank().value(),
                              MpiEnvironment::machine(), error.problem()),
                  "give a path in a directory on a file system that all nodes share, the same on every rank", error.where());
  }
}

// Checks the file before HDF5 does, because its own messages are clearer.
void look_before_open(const fs::path& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::not_found) throw IoError("no such file", "check the path", in(path));
  if (fs::is_directory(status)) throw IoError("is a directory, not a file", "name a file in it", in(path));
  if (::access(path.c_str(), R_OK) != 0) {
    throw IoError(fmt::format("cannot read it: {}", std::strerror(errno)), "check its permissions", in(path));
  }
  if (H5Fis_hdf5(path.c_str()) <= 0) throw IoError("is not an HDF5 file, or only the start of one", {}, in(path));
}

Hdf5Handle file_access(const std::string& name) {
  Hdf5Handle list{check_hdf5(H5Pcreate(H5P_FILE_ACCESS), name, "set up access"), H5Pclose};
  check_hdf5(H5Pset_fclose_degree(list.get(), H5F_CLOSE_STRONG), name, "set up access");
#if H5_VERSION_GE(1, 10, 7)
  // Locks are disabled: some file systems have none, and a file of Weft has its name only when it is complete.
  check_hdf5(H5Pset_file_locking(list.get(), false, true), name, "set up access");
#endif
  return list;
}

// Headers of HDF5 1.8 have checksums. Without these, HDF5 1.10 reads out of bounds where a bit of an older header is flipped. All
// versions from 1.8 on can read them.
Hdf5Handle access_for_creation(const std::string& name) {
  Hdf5Handle list = file_access(name);
#if H5_VERSION_GE(1, 10, 2)
  check_hdf5(H5Pset_libver_bounds(list.get(), H5F_LIBVER_V18, H5F_LIBVER_V18), name, "set up access");
#else
  check_hdf5(H5Pset_libver_bounds(list.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), name, "set up access");
#endif
  return list;
}

// The ranks write rows without HDF5, so that the position of a dataset in the file must be fixed at creation.
Hdf5Handle allocated_at_once(const std::string& name) {
  Hdf5Handle list = detail::without_times(H5P_DATASET_CREATE, name);
  check_hdf5(H5Pset_layout(list.get(), H5D_CONTIGUOUS), name, "set up a dataset");
  check_hdf5(H5Pset_alloc_time(list.get(), H5D_ALLOC_TIME_EARLY), name, "set up a dataset");
  check_hdf5(H5Pset_fill_time(list.get(), H5D_FILL_TIME_NEVER), name, "set up a dataset");
  return list;
}

DatasetInfo info_of(hid_t file, hid_t dataset, const std::string& name, const std::string& what) {
  const Hdf5Handle type{check_hdf5(H5Dget_type(dataset), name, "read the type of " + what), H5Tclose};
  static_cast<void>(detail::hdf5_elements(dataset, type.get(), detail::file_bytes(file, name), name, what));
  const Hdf5Handle space{check_hdf5(H5Dget_space(dataset), name, "read the shape of " + what), H5Sclose};
  const int rank = check_hdf5(H5Sget_simple_extent_ndims(space.get()), name, "read the shape of " + what);
  if (rank < 1 || rank > 2) {
    throw IoError(fmt::format("{} has {} dimensions where rows are expected", what, rank), {}, Where{.file = name});
  }
  std::array<hsize_t, 2> sizes{0, 1};
  check_hdf5(H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr), name, "read the shape of " + what);
  if (sizes[1] > std::numeric_limits<std::int32_t>::max())
    throw IoError(fmt::format("{} has rows of {}", what, sizes[1]), {}, Where{.file = name});
  return {scalar_of(type.get()), static_cast<std::int64_t>(sizes[0]), static_cast<std::int32_t>(sizes[1])};
}

// Returns the position in the file of a dataset that is stored there as one block of the same bytes as in memory.
std::optional<std::int64_t> place_of(hid_t file, hid_t dataset, hid_t memory, std::uint64_t bytes, const std::string& name,
                                     const std::string& action) {
  const Hdf5Handle type{check_hdf5(H5Dget_type(dataset), name, action), H5Tclose};
  const Hdf5Handle creation{check_hdf5(H5Dget_create_plist(dataset), name, action), H5Pclose};
  if (H5Tequal(type.get(), memory) <= 0 || H5Pget_layout(creation.get()) != H5D_CONTIGUOUS) return {};
  // HDF5 stores no bytes of a dataset that was never written, and may return the end of the user block as its position.
  const std::uint64_t place = H5Dget_offset(dataset), all = detail::file_bytes(file, name);
  if (H5Dget_storage_size(dataset) != bytes || place > all || bytes > all - place) return {};
  return static_cast<std::int64_t>(place);
}

}  // namespace

void detail::make_groups_of(Hdf5Id file, const std::string& file_name, const std::string& name) {
  for (std::size_t end = name.find('/', 1); end != std::string::npos; end = name.find('/', end + 1)) {
    const std::string group = name.substr(0, end);
    if (check_hdf5(H5Lexists(file, group.c_str(), H5P_DEFAULT), file_name, "look for group " + group) == 0) {
      make_group(file, file_name, group);
    }
  }
}

void detail::make_group(Hdf5Id file, const std::string& file_name, const std::string& name) {
  const Hdf5Handle creation = without_times(H5P_GROUP_CREATE, file_name);
  const Hdf5Handle group{check_hdf5(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), file_name,
                                    fmt::format("make group {}", name)),
                         H5Gclose};
}

Hdf5Handle detail::create_dataset(Hdf5Id file, const std::string& file_name, const std::string& name, Hdf5Id type, Hdf5Id space,
                                  Hdf5Id creation) {
  make_groups_of(file, file_name, name);
  return {check_hdf5(H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), file_name,
                     fmt::format("write {}", name)),
          H5Dclose};
}

Hdf5Handle detail::without_times(Hdf5Id kind, const std::string& file_name) {
  Hdf5Handle list{check_hdf5(H5Pcreate(kind), file_name, "set up an object"), H5Pclose};
  check_hdf5(H5Pset_obj_track_times(list.get(), false), file_name, "set up an object");
  return list;
}

// ------------------------------------------------------------------------------------------------------------------ the file

Hdf5File::Hdf5File(std::unique_ptr<State> state) : state_(std::move(state)) {}
Hdf5File::Hdf5File(Hdf5File&&) noexcept = default;
Hdf5File& Hdf5File::operator=(Hdf5File&&) noexcept = default;
Hdf5File::~Hdf5File() = default;

Hdf5File Hdf5File::create(const Communicator& comm, const fs::path& path) {
  detail::silence_hdf5();
  auto state = std::make_unique<State>(State{comm, path, true});
  std::string mark;
  agreed(comm, [&] {
    if (!comm.is_root()) return;
    mark = random_mark();
    detail::write_mark(path, mark);
  });
  comm.broadcast(mark);
  agreed(comm, [&] { on_this_machine(comm, [&] { state->shared = detail::SharedFile(path, mark); }); });
  const std::uint64_t machine = hash_text(SharedMemory::machine());
  if (comm.min(machine) != comm.max(machine)) {
    agreed(comm, [&] { state->shared.keep_to_own_bytes(comm.rank().value()); });
  }
  agreed(comm, [&] {
    if (!comm.is_root()) return;
    const std::string name = state->name();
    state->space = detail::DiskSpace(path);
    state->space.reserve(0);
    const Hdf5Handle list = access_for_creation(name), root = detail::without_times(H5P_FILE_CREATE, name);
    state->file = {check_hdf5(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, root.get(), list.get()), name, "create it"), H5Fclose};
    state->space.reserve(0);  // again, because the creation has truncated the file
  });
  return Hdf5File(std::move(state));
}

Hdf5File Hdf5File::open(const Communicator& comm, const fs::path& path) {
  detail::silence_hdf5();
  auto state = std::make_unique<State>(State{comm, path, false});
  std::int64_t bytes = 0;
  agreed(comm, [&] {
    on_this_machine(comm, [&] {
      look_before_open(path);
      bytes = static_cast<std::int64_t>(fs::file_size(path));
      const std::string name = state->name();
      const Hdf5Handle list = file_access(name);
      state->file = {check_hdf5(H5Fopen(name.c_str(), H5F_ACC_RDONLY, list.get()), name, "open it"), H5Fclose};
      state->reading = std::make_unique<detail::FileDescriptor>(name);
    });
  });
  const std::int64_t expected = comm.broadcast(bytes);
  agreed(comm, [&] {
    on_this_machine(comm, [&] {
      if (bytes != expected)
        throw IoError(fmt::format("its file has {} bytes, that of rank 0 {}", bytes, expected), {}, in(path));
    });
  });
  return Hdf5File(std::move(state));
}

void Hdf5File::reserve(std::int64_t bytes) {
  state_->together([&] { state_->space.reserve(bytes); });
}

void Hdf5File::close() {
  State& state = *state_;
  if (!state.closing) {
    close_structure();
    agreed(state.comm, [&] {
      const Waiting waiting("a file to reach the disk", Waiting::kNoRank);
      state.write_kept_rows();
    });
  } else {
    agreed(state.comm, [&] {
      const Waiting waiting("a file to reach the disk", Waiting::kNoRank);
      if (state.closing->thread.joinable()) state.closing->thread.join();
      if (state.closing->error) std::rethrow_exception(state.closing->error);
    });
  }
  state.space.release();
}

void Hdf5File::start_close() {
  close_structure();
  state_->closing = std::make_unique<detail::Closing>();
  const auto write = [state = state_.get(), closing = state_->closing.get()](const std::stop_token& stop) {
    try {
      state->write_kept_rows(stop);
    } catch (...) {
      closing->error = std::current_exception();
    }
    closing->has_ended = true;
  };
  try {
    state_->closing->thread = std::jthread([write](const std::stop_token& stop) {
      ThreadBinding::apply_to_helper();
      write(stop);
    });
  } catch (const std::system_error&) {  // the system starts no more threads
    write({});
  }
}

bool Hdf5File::is_written() const { return state_->closing->has_ended; }

void Hdf5File::close_structure() {
  agreed(state_->comm, [&] { check_hdf5(state_->file.close(), state_->name(), "finish writing it: is the disk full?"); });
}

const fs::path& Hdf5File::path() const { return state_->path; }
const Communicator& Hdf5File::comm() const { return state_->comm; }

// -------------------------------------------------------------------------------------------------------------------- rows

void Hdf5File::write_bytes(const std::string& name, std::span<const std::byte> bytes, const ElementType& type, std::int32_t width,
                           Moment moment, std::shared_ptr<const void> owner) {
  const Communicator& comm = state_->comm;
  WEFT_EXPECTS(width > 0);
  const std::int32_t columns = width * scalars_of(type);
  const auto row_bytes = static_cast<std::int64_t>(columns) * static_cast<std::int64_t>(scalar_bytes(type.scalar));
  WEFT_EXPECTS(std::ssize(bytes) % row_bytes == 0);
  const std::int64_t rows = std::ssize(bytes) / row_bytes, total = comm.sum(rows), first = comm.exclusive_sum(rows);
  const std::int64_t begin = state_->together([&] {
    state_->space.reserve(total * row_bytes);
    const std::string file = state_->name(), action = fmt::format("write {}", name);
    const Hdf5Handle space = array_space(file, columns == 1 ? 1 : 2, total, columns);
    const Hdf5Handle creation = allocated_at_once(file);
    const Hdf5Handle dataset =
        detail::create_dataset(state_->file.get(), file, name, memory_type(type.scalar), space.get(), creation.get());
    if (total == 0) return std::int64_t{0};
    const haddr_t place = H5Dget_offset(dataset.get());
    if (place == HADDR_UNDEF) detail::hdf5_failed(file, action);
    return static_cast<std::int64_t>(place);
  });
  const std::int64_t position = begin + first * row_bytes;
  if (moment == Moment::on_close) {
    if (!bytes.empty()) state_->kept.push_back({position, bytes, std::move(owner)});
    return;
  }
  agreed(comm, [&] {
    const Waiting waiting("a file", Waiting::kNoRank);
    state_->shared.write_at(position, bytes, comm.piece_bytes());
  });
}

DatasetInfo Hdf5File::info(const std::string& name) const {
  return state_->together([&] {
    return info_of(state_->file.get(), detail::open_dataset(state_->file.get(), state_->name(), name).get(), state_->name(),
                   name);
  });
}

void Hdf5File::read_bytes(const std::string& name, const std::function<std::span<std::byte>()>& memory_of,
                          const ElementType& type, std::int64_t first, std::int64_t rows, std::int32_t width, Team& team) const {
  state_->together([&] {
    const std::string file = state_->name(), action = fmt::format("read {}", name);
    const Hdf5Handle dataset = detail::open_dataset(state_->file.get(), file, name);
    const DatasetInfo found = info_of(state_->file.get(), dataset.get(), file, name);
    const std::int32_t columns = width * scalars_of(type);
    const bool same_scalar = found.scalar == type.scalar || (type.scalar == Scalar::bytes && found.scalar == Scalar::uint8);
    if (!same_scalar || found.columns != columns) {
      throw IoError(fmt::format("{} holds rows of {} {}, not of {} {}", name, found.columns,
                                to_string(ElementType{found.scalar, 1, 1}), columns, to_string(ElementType{type.scalar, 1, 1})),
                    {}, in(state_->path));
    }
    if (first < 0 || rows < 0 || first > found.rows || rows > found.rows - first) {
      throw IoError(fmt::format("{} has {} rows: cannot read {} rows from row {} on", name, found.rows, rows, first), {},
                    in(state_->path));
    }
    if (rows == 0) return;
    const std::span<std::byte> bytes = memory_of();
    if (state_->reading && state_->reading->is_open()) {
      const std::int64_t row_bytes = std::ssize(bytes) / rows;
      const auto place = place_of(state_->file.get(), dataset.get(), memory_type(type.scalar),
                                  static_cast<std::uint64_t>(found.rows * row_bytes), file, action);
      if (place) return state_->reading->read_at(*place + first * row_bytes, bytes, team);
    }
    const int rank = columns == 1 ? 1 : 2;
    const std::array<hsize_t, 2> start{static_cast<hsize_t>(first), 0},
        part{static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)};
    const Hdf5Handle space{check_hdf5(H5Dget_space(dataset.get()), file, action), H5Sclose};
    const Hdf5Handle memory = array_space(file, rank, rows, columns);
    check_hdf5(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, part.data(), nullptr), file, action);
    check_hdf5(H5Dread(dataset.get(), memory_type(type.scalar), memory.get(), space.get(), H5P_DEFAULT, bytes.data()), file,
               action);
  });
}

}  // namespace weft::io
