#include "weft/io/hdf5_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>

#include "weft/base/contracts.hpp"
#include "weft/base/waiting.hpp"
#include "weft/comm/agreement.hpp"
#include "weft/io/detail/disk_space.hpp"
#include "weft/io/detail/hdf5_handle.hpp"

namespace weft::io {

using detail::check_hdf5;
using detail::Hdf5Handle;
using Scalar = ElementType::Scalar;
namespace fs = std::filesystem;

struct Hdf5File::State {
  Communicator comm;
  fs::path path;
  bool parallel = false;
  bool writing = false;
  detail::DiskSpace space{};  ///< of a file being written, on rank 0; outlives `file`
  Hdf5Handle file{};          ///< invalid on ranks that do not write in gather mode, and after close()

  [[nodiscard]] std::string name() const { return path.string(); }
  // Of the ranks that have the file open: runs work; then all agree, and return what rank 0 has found: of a damaged file HDF5 may
  // tell each rank something else.
  template <class Work>
  auto together(Work&& work) const {
    using Result = decltype(work());
    const auto run = [&] {
      const Waiting waiting("HDF5");
      if (!file.valid() && (!writing || parallel || comm.is_root())) {
        throw IoError("the file is closed", "open it again", Where{.file = name()});
      }
      if constexpr (std::is_void_v<Result>) {
        if (file.valid()) work();
      } else {
        return file.valid() ? work() : Result{};
      }
    };
    if constexpr (std::is_void_v<Result>) {
      agreed(comm, run);
    } else {
      Result result = agreed(comm, run);
      if constexpr (std::is_same_v<Result, std::string>) {
        comm.broadcast(result);
      } else {
        result = comm.broadcast(result);
      }
      return result;
    }
  }
};

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

// Scalars of one element; elements that are no numbers are written byte by byte.
std::int32_t scalars_of(const ElementType& type) { return type.scalar == Scalar::bytes ? type.bytes : type.components; }

Where in(const fs::path& path) { return Where{.file = path.string()}; }

// Rank 0 looks before HDF5 does, because its reasons are better than HDF5's.
void look_before_create(const fs::path& path) {
  if (fs::is_directory(path)) throw IoError("a directory of this name is in the way", "choose another name", in(path));
  const int descriptor = ::open(path.c_str(), O_CREAT | O_WRONLY, 0666);
  if (descriptor < 0) {
    const int reason = errno;
    throw IoError(fmt::format("cannot write it: {}", std::strerror(reason)),
                  reason == ENOENT ? "make its directory first" : "check the permissions and the disk", in(path));
  }
  ::close(descriptor);
}

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

bool choose_parallel(const Communicator& comm, Hdf5File::Access access, const fs::path& path) {
  if (access == Hdf5File::Access::parallel && !Hdf5File::has_parallel()) {
    throw IoError("this HDF5 cannot write in parallel", "use the parallel build of HDF5, or Access::gather", in(path));
  }
  return access == Hdf5File::Access::parallel ||
         (access == Hdf5File::Access::automatic && comm.size() > 1 && Hdf5File::has_parallel());
}

Hdf5Handle file_access([[maybe_unused]] const Communicator& comm, [[maybe_unused]] bool parallel, const std::string& name) {
  Hdf5Handle list{check_hdf5(H5Pcreate(H5P_FILE_ACCESS), name, "set up access"), H5Pclose};
  check_hdf5(H5Pset_fclose_degree(list.get(), H5F_CLOSE_STRONG), name, "set up access");
#ifdef H5_HAVE_PARALLEL
  if (parallel) check_hdf5(H5Pset_fapl_mpio(list.get(), comm.handle(), Communicator::no_hints()), name, "set up parallel access");
#endif
  return list;
}

Hdf5Handle make_intermediate_groups(const std::string& name) {
  Hdf5Handle list{check_hdf5(H5Pcreate(H5P_LINK_CREATE), name, "set up a link"), H5Pclose};
  check_hdf5(H5Pset_create_intermediate_group(list.get(), 1), name, "set up a link");
  return list;
}

Hdf5Handle open_object(hid_t file, const std::string& name, const std::string& object) {
  return {check_hdf5(H5Oopen(file, object.c_str(), H5P_DEFAULT), name, fmt::format("open {}", object)), H5Oclose};
}

Hdf5Handle open_dataset(hid_t file, const std::string& name, const std::string& dataset) {
  return {check_hdf5(H5Dopen2(file, dataset.c_str(), H5P_DEFAULT), name, fmt::format("open {}", dataset)), H5Dclose};
}

Hdf5Handle text_type(const std::string& name, std::size_t size, H5T_cset_t characters) {
  Hdf5Handle type{check_hdf5(H5Tcopy(H5T_C_S1), name, "make a text type"), H5Tclose};
  check_hdf5(H5Tset_size(type.get(), std::max<std::size_t>(size, 1)), name, "make a text type");
  check_hdf5(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), name, "make a text type");
  check_hdf5(H5Tset_cset(type.get(), characters), name, "make a text type");
  return type;
}

// HDF5 wants a byte even of an empty text.
std::string at_least_one_byte(std::string_view text) { return text.empty() ? std::string(1, '\0') : std::string(text); }

void create_attribute(hid_t file, const std::string& name, const std::string& object, const std::string& attribute, hid_t type,
                      hid_t space, const void* data) {
  const std::string action = fmt::format("write attribute {} of {}", attribute, object);
  const Hdf5Handle owner = open_object(file, name, object);
  const Hdf5Handle handle{
      check_hdf5(H5Acreate2(owner.get(), attribute.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), name, action), H5Aclose};
  check_hdf5(H5Awrite(handle.get(), type, data), name, action);
}

Hdf5Handle scalar_space(const std::string& name) {
  return {check_hdf5(H5Screate(H5S_SCALAR), name, "make a data space"), H5Sclose};
}

Hdf5Handle simple_space(const std::string& name, int rank, const hsize_t* sizes) {
  return {check_hdf5(H5Screate_simple(rank, sizes, nullptr), name, "make a data space"), H5Sclose};
}

// One attribute of one element and of the given class, into `data`.
void read_attribute(hid_t file, const std::string& name, const std::string& object, const std::string& attribute,
                    H5T_class_t wanted, hid_t type, void* data) {
  const std::string action = fmt::format("read attribute {} of {}", attribute, object);
  const Hdf5Handle owner = open_object(file, name, object);
  const Hdf5Handle handle{check_hdf5(H5Aopen(owner.get(), attribute.c_str(), H5P_DEFAULT), name, action), H5Aclose};
  const Hdf5Handle stored{check_hdf5(H5Aget_type(handle.get()), name, action), H5Tclose};
  const Hdf5Handle space{check_hdf5(H5Aget_space(handle.get()), name, action), H5Sclose};
  if (H5Tget_class(stored.get()) != wanted || H5Sget_simple_extent_npoints(space.get()) != 1) {
    throw IoError(fmt::format("attribute {} of {} is of another type", attribute, object), {}, Where{.file = name});
  }
  check_hdf5(H5Aread(handle.get(), type, data), name, action);
}

std::uint64_t bytes_of(hid_t file, const std::string& name) {
  hsize_t size = 0;
  check_hdf5(H5Fget_filesize(file, &size), name, "read the size of the file");
  return size;
}

// A text of fixed length, alone in its data space. Longer than the file: refused.
std::string text_of_length(hid_t file, const std::string& name, hid_t type, hid_t space, const std::string& what) {
  if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1)
    throw IoError(fmt::format("{} is not a text", what), {}, Where{.file = name});
  detail::refuse_variable_length(type, name, what);
  if (H5Tget_size(type) > bytes_of(file, name))
    throw IoError(fmt::format("{} is larger than the file that holds it", what),
                  "the file is truncated or damaged: write or copy it again", Where{.file = name});
  return std::string(H5Tget_size(type), '\0');
}

DatasetInfo info_of(hid_t file, hid_t dataset, const std::string& name, const std::string& what) {
  const Hdf5Handle type{check_hdf5(H5Dget_type(dataset), name, "read the type of " + what), H5Tclose};
  static_cast<void>(detail::hdf5_elements(dataset, type.get(), bytes_of(file, name), name, what));
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

}  // namespace

// ------------------------------------------------------------------------------------------------------------------ the file

bool Hdf5File::has_parallel() {
#ifdef H5_HAVE_PARALLEL
  return true;
#else
  return false;
#endif
}

Hdf5File::Hdf5File(std::unique_ptr<State> state) : state_(std::move(state)) {}
Hdf5File::Hdf5File(Hdf5File&&) noexcept = default;
Hdf5File& Hdf5File::operator=(Hdf5File&&) noexcept = default;
Hdf5File::~Hdf5File() = default;

Hdf5File Hdf5File::create(const Communicator& comm, const fs::path& path, Access access) {
  detail::silence_hdf5();
  auto state = std::make_unique<State>(State{comm, path, choose_parallel(comm, access, path), true});
  agreed(comm, [&] {
    if (!comm.is_root()) return;
    look_before_create(path);
    state->space = detail::DiskSpace(path);
    state->space.reserve(0);
  });
  agreed(comm, [&] {
    if (!state->parallel && !comm.is_root()) return;
    const std::string name = state->name();
    const Hdf5Handle list = file_access(comm, state->parallel, name);
    state->file = {check_hdf5(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, list.get()), name, "create it"), H5Fclose};
  });
  Hdf5File file(std::move(state));
  file.reserve(0);  // again: creating has emptied the file
  return file;
}

Hdf5File Hdf5File::open(const Communicator& comm, const fs::path& path, Access access) {
  detail::silence_hdf5();
  auto state = std::make_unique<State>(State{comm, path, choose_parallel(comm, access, path), false});
  agreed(comm, [&] {
    if (!comm.is_root()) return;
    look_before_open(path);
    // HDF5's parallel open lets rank 0 read and the others wait for what it read, for ever where it could not.
    const std::string name = state->name();
    const Hdf5Handle alone = file_access(Communicator::self(), false, name);
    const Hdf5Handle file{check_hdf5(H5Fopen(name.c_str(), H5F_ACC_RDONLY, alone.get()), name, "open it"), H5Fclose};
  });
  agreed(comm, [&] {
    const std::string name = state->name();
    const Hdf5Handle list = file_access(comm, state->parallel, name);
    state->file = {check_hdf5(H5Fopen(name.c_str(), H5F_ACC_RDONLY, list.get()), name, "open it"), H5Fclose};
  });
  return Hdf5File(std::move(state));
}

void Hdf5File::reserve(std::int64_t bytes) {
  state_->together([&] {
    if (state_->comm.is_root()) state_->space.reserve(bytes);
  });
}

void Hdf5File::close() {
  agreed(state_->comm, [&] { check_hdf5(state_->file.close(), state_->name(), "finish writing it: is the disk full?"); });
  state_->space.release();
}

const fs::path& Hdf5File::path() const { return state_->path; }
const Communicator& Hdf5File::comm() const { return state_->comm; }

// ------------------------------------------------------------------------------------------------- groups, attributes, texts

void Hdf5File::make_group(const std::string& name) {
  state_->together([&] {
    const Hdf5Handle links = make_intermediate_groups(state_->name());
    const Hdf5Handle group{check_hdf5(H5Gcreate2(state_->file.get(), name.c_str(), links.get(), H5P_DEFAULT, H5P_DEFAULT),
                                      state_->name(), fmt::format("make group {}", name)),
                           H5Gclose};
  });
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name, std::int64_t value) {
  value = state_->comm.broadcast(value);
  state_->together([&] {
    create_attribute(state_->file.get(), state_->name(), object, name, H5T_NATIVE_INT64, scalar_space(state_->name()).get(),
                     &value);
  });
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name, double value) {
  value = state_->comm.broadcast(value);
  state_->together([&] {
    create_attribute(state_->file.get(), state_->name(), object, name, H5T_NATIVE_DOUBLE, scalar_space(state_->name()).get(),
                     &value);
  });
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name, std::span<const std::int64_t> values) {
  std::vector<std::int64_t> all(values.begin(), values.end());
  state_->comm.broadcast(all);
  const hsize_t size = all.size();
  state_->together([&] {
    create_attribute(state_->file.get(), state_->name(), object, name, H5T_NATIVE_INT64,
                     simple_space(state_->name(), 1, &size).get(), all.data());
  });
}

void Hdf5File::write_attribute(const std::string& object, const std::string& name, std::string_view text) {
  std::string bytes = at_least_one_byte(text);
  state_->comm.broadcast(bytes);
  state_->together([&] {
    const Hdf5Handle type = text_type(state_->name(), bytes.size(), H5T_CSET_ASCII);
    create_attribute(state_->file.get(), state_->name(), object, name, type.get(), scalar_space(state_->name()).get(),
                     bytes.data());
  });
}

void Hdf5File::write_text(const std::string& name, std::string_view text) {
  std::string bytes = at_least_one_byte(text);
  state_->comm.broadcast(bytes);
  reserve(static_cast<std::int64_t>(bytes.size()));
  state_->together([&] {
    const std::string action = fmt::format("write {}", name);
    const Hdf5Handle type = text_type(state_->name(), bytes.size(), H5T_CSET_UTF8), space = scalar_space(state_->name());
    const Hdf5Handle links = make_intermediate_groups(state_->name());
    const Hdf5Handle dataset{
        check_hdf5(H5Dcreate2(state_->file.get(), name.c_str(), type.get(), space.get(), links.get(), H5P_DEFAULT, H5P_DEFAULT),
                   state_->name(), action),
        H5Dclose};
    // One writer is enough: the ranks hold the same text.
    if (state_->comm.is_root())
      check_hdf5(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), state_->name(), action);
  });
}

bool Hdf5File::has(const std::string& name) const {
  return state_->together([&] {
    // HDF5 wants every group on the way to be there.
    for (std::size_t slash = name.find('/', 1);; slash = name.find('/', slash + 1)) {
      const std::string part = name.substr(0, slash);
      if (H5Lexists(state_->file.get(), part.c_str(), H5P_DEFAULT) <= 0) return false;
      if (slash == std::string::npos) return true;
    }
  });
}

bool Hdf5File::has_attribute(const std::string& object, const std::string& name) const {
  return state_->together([&] { return H5Aexists_by_name(state_->file.get(), object.c_str(), name.c_str(), H5P_DEFAULT) > 0; });
}

std::int64_t Hdf5File::read_integer_attribute(const std::string& object, const std::string& name) const {
  return state_->together([&] {
    std::int64_t value = 0;
    read_attribute(state_->file.get(), state_->name(), object, name, H5T_INTEGER, H5T_NATIVE_INT64, &value);
    return value;
  });
}

double Hdf5File::read_real_attribute(const std::string& object, const std::string& name) const {
  return state_->together([&] {
    double value = 0;
    read_attribute(state_->file.get(), state_->name(), object, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, &value);
    return value;
  });
}

std::string Hdf5File::read_text_attribute(const std::string& object, const std::string& name) const {
  return state_->together([&] {
    const std::string action = fmt::format("read attribute {} of {}", name, object);
    const Hdf5Handle owner = open_object(state_->file.get(), state_->name(), object);
    const Hdf5Handle handle{check_hdf5(H5Aopen(owner.get(), name.c_str(), H5P_DEFAULT), state_->name(), action), H5Aclose};
    const Hdf5Handle type{check_hdf5(H5Aget_type(handle.get()), state_->name(), action), H5Tclose};
    const Hdf5Handle space{check_hdf5(H5Aget_space(handle.get()), state_->name(), action), H5Sclose};
    std::string text = text_of_length(state_->file.get(), state_->name(), type.get(), space.get(),
                                      fmt::format("attribute {} of {}", name, object));
    check_hdf5(H5Aread(handle.get(), type.get(), text.data()), state_->name(), action);
    text.resize(std::strlen(text.c_str()));
    return text;
  });
}

std::string Hdf5File::read_text(const std::string& name) const {
  return state_->together([&] {
    const Hdf5Handle dataset = open_dataset(state_->file.get(), state_->name(), name);
    const Hdf5Handle type{check_hdf5(H5Dget_type(dataset.get()), state_->name(), "read the type of " + name), H5Tclose};
    const Hdf5Handle space{check_hdf5(H5Dget_space(dataset.get()), state_->name(), "read the shape of " + name), H5Sclose};
    std::string text = text_of_length(state_->file.get(), state_->name(), type.get(), space.get(), name);
    check_hdf5(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), state_->name(), "read " + name);
    text.resize(std::strlen(text.c_str()));
    return text;
  });
}

// -------------------------------------------------------------------------------------------------------------------- rows

void Hdf5File::write_bytes(const std::string& name, std::span<const std::byte> bytes, const ElementType& type,
                           std::int32_t width) {
  const Communicator& comm = state_->comm;
  WEFT_EXPECTS(width > 0);
  const std::int32_t columns = width * scalars_of(type);
  const std::size_t row_bytes = static_cast<std::size_t>(columns) * scalar_bytes(type.scalar);
  WEFT_EXPECTS(bytes.size() % row_bytes == 0);
  const auto rows = static_cast<std::int64_t>(bytes.size() / row_bytes);

  const std::int64_t total = comm.sum(rows);
  std::vector<std::byte> gathered;
  std::int64_t first = comm.exclusive_sum(rows);
  std::span<const std::byte> here = bytes;
  if (!state_->parallel) {
    gathered = comm.gather(bytes);
    here = gathered;
    first = 0;
  }
  reserve(total * static_cast<std::int64_t>(row_bytes));
  state_->together([&] {
    const std::string file = state_->name(), action = fmt::format("write {}", name);
    const int rank = columns == 1 ? 1 : 2;
    const std::array<hsize_t, 2> all{static_cast<hsize_t>(total), static_cast<hsize_t>(columns)};
    const std::array<hsize_t, 2> start{static_cast<hsize_t>(first), 0};
    const std::array<hsize_t, 2> part{here.size() / row_bytes, static_cast<hsize_t>(columns)};
    const Hdf5Handle space = simple_space(file, rank, all.data()), memory = simple_space(file, rank, part.data());
    const Hdf5Handle links = make_intermediate_groups(file);
    const hid_t scalar = memory_type(type.scalar);
    const Hdf5Handle dataset{
        check_hdf5(H5Dcreate2(state_->file.get(), name.c_str(), scalar, space.get(), links.get(), H5P_DEFAULT, H5P_DEFAULT), file,
                   action),
        H5Dclose};
    if (total == 0) return;
    if (part[0] == 0) return;
    check_hdf5(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, part.data(), nullptr), file, action);
    // Not a collective transfer: each rank's rows are one block, so there is nothing to gather, and a rank that fails leaves no
    // other one waiting.
    check_hdf5(H5Dwrite(dataset.get(), scalar, memory.get(), space.get(), H5P_DEFAULT, here.data()), file, action);
  });
}

DatasetInfo Hdf5File::info(const std::string& name) const {
  return state_->together([&] {
    return info_of(state_->file.get(), open_dataset(state_->file.get(), state_->name(), name).get(), state_->name(), name);
  });
}

void Hdf5File::read_bytes(const std::string& name, const std::function<std::span<std::byte>()>& memory_of,
                          const ElementType& type, std::int64_t first, std::int64_t rows, std::int32_t width) const {
  state_->together([&] {
    const std::string file = state_->name(), action = fmt::format("read {}", name);
    const Hdf5Handle dataset = open_dataset(state_->file.get(), file, name);
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
    const int rank = columns == 1 ? 1 : 2;
    const std::array<hsize_t, 2> start{static_cast<hsize_t>(first), 0},
        part{static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)};
    const Hdf5Handle space{check_hdf5(H5Dget_space(dataset.get()), file, action), H5Sclose};
    const Hdf5Handle memory = simple_space(file, rank, part.data());
    check_hdf5(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, part.data(), nullptr), file, action);
    check_hdf5(H5Dread(dataset.get(), memory_type(type.scalar), memory.get(), space.get(), H5P_DEFAULT, bytes.data()), file,
               action);
  });
}

}  // namespace weft::io
