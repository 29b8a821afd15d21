#pragma once
/// Arrays whose element type and layout are known at run time, on the arrays of the library.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/array/array_transformer.hpp"
#include "weft/array/element_type.hpp"
#include "weft/array/index_space.hpp"
#include "weft/array/redistribute.hpp"
#include "weft/array/reduce.hpp"
#include "weft/base/registry.hpp"
#include "weft/io/hdf5/hdf5_file.hpp"

namespace weft::python {

using Scalar = ElementType::Scalar;

/// The layouts of rows that exist at run time: those of RowKind whose width is a template argument have the same memory.
enum class Rows : std::uint8_t {
  fixed,   ///< `width` entries per row: static_fixed, fixed
  padded,  ///< up to `width` entries per row: static_max, max
  csr      ///< offsets and entries, no padding
};
inline constexpr Registry kRows{"kind of rows", std::array{Row{Rows::fixed, "fixed", "equally many entries in each row"},
                                                           Row{Rows::padded, "max", "up to a number of entries, padded"},
                                                           Row{Rows::csr, "csr", "offsets and entries"}}};

inline constexpr Registry kLayouts{"layout", std::array{Row{Layout::aos, "aos", "the entries of a row are contiguous"},
                                                        Row{Layout::soa, "soa", "the k-th entries of all rows are contiguous"}}};
inline constexpr Registry kSides{"side", std::array{Row{Side::host, "host", "memory of the host"},
                                                    Row{Side::device, "device", "memory of the GPU, or of the mirror"}}};
inline constexpr Registry kBackends{
    "backend", std::array{Row{Backend::host, "host", "no device"}, Row{Backend::mirror, "mirror", "host memory as a device"},
                          Row{Backend::cuda, "cuda", "memory of a GPU"},
                          Row{Backend::cuda_managed, "cuda_managed", "memory that the driver migrates"},
                          Row{Backend::cuda_mapped, "cuda_mapped", "host memory that the GPU accesses"}}};
static_assert(!detail::is_enumerator<static_cast<Backend>(kBackends.rows.size())>(), "a Backend has no row");
inline constexpr Registry kReductions{
    "operation",
    std::array{Row{Reduce::insert, "insert", "the last ghost row replaces the owned one"}, Row{Reduce::add, "add", "sums"},
               Row{Reduce::min, "min", "minima"}, Row{Reduce::max, "max", "maxima"}}};
inline constexpr Registry kScalars{
    "element type",
    std::array{Row{Scalar::float64, "float64", ""}, Row{Scalar::float32, "float32", ""}, Row{Scalar::int64, "int64", ""},
               Row{Scalar::int32, "int32", ""}, Row{Scalar::uint8, "uint8", ""}}};

// Tables of names as Python passes them.
/// Returns the value of that name in a table. @throws InputError naming the closest name.
template <class Table>
[[nodiscard]] auto named(const Table& table, std::string_view name) {
  std::vector<std::string_view> all;
  for (const auto& row : table.rows) all.push_back(row.name);
  return table.rows[detail::index_of_name(name, all, table.what, {})].value;
}
/// Returns the name of a value in a table.
template <class Table, class Kind>
[[nodiscard]] std::string name_in(const Table& table, Kind kind) {
  for (const auto& row : table.rows) {
    if (row.value == kind) return std::string(row.name);
  }
  return "?";
}

/// The shape of an array without its rows.
struct ArrayForm {
  Scalar scalar = Scalar::float64;
  Rows rows = Rows::fixed;
  int width = 1;  ///< entries per row, or their maximum; without meaning for csr
  Layout layout = Layout::aos;
  Backend backend = Backend::host;
  Side first = Side::host;  ///< the side that has memory at first; fixed only
};

/// Owned, ghost and boundary rows. One class per element type and Rows implements the interface (typed_array.hpp).
class AnyArray {
 public:
  virtual ~AnyArray() = default;
  AnyArray() = default;
  AnyArray(const AnyArray&) = delete;
  AnyArray& operator=(const AnyArray&) = delete;

  [[nodiscard]] virtual ArrayForm form() const = 0;
  [[nodiscard]] virtual const IndexSpace& space() const = 0;
  virtual void set_name(const std::string& name) = 0;
  /// Returns the address of all entries on one side, see ArrayPair::access().
  [[nodiscard]] virtual std::byte* access(Side side, IdRange<LocalRow> rows, bool write) = 0;
  /// Returns the sizes of padded rows on one side. @pre Rows::padded, access().
  [[nodiscard]] virtual std::int32_t* row_sizes(Side side) = 0;
  /// Returns the rows() + 1 offsets on one side. @pre Rows::csr.  @throws DeviceError if they are stale there.
  [[nodiscard]] virtual const std::int64_t* offsets(Side side) = 0;
  [[nodiscard]] virtual bool fresh(Side side) const = 0;
  /// Starts copying to one side those of the owned, the ghost and the boundary rows of which some are stale there, after
  /// `before`.
  /// @throws DeviceError if rows of the same kind are stale on the other side.
  virtual Event bring(Side to, const After& before) = 0;
  /// Returns a reference for exchanges.
  [[nodiscard]] virtual PairRef ref() = 0;
  [[nodiscard]] virtual std::unique_ptr<AnyArray> clone() const = 0;
  /// Changes the entries per row, or their maximum.  @throws ContractError in flight. @pre not Rows::csr
  virtual void resize_width(int width) = 0;
  /// Returns the first rows on another index space, and new rows that are zero or empty.
  [[nodiscard]] virtual std::unique_ptr<AnyArray> resized(const IndexSpace& space) const = 0;
  /// Returns the owned rows in their new positions, without ghost rows. @collective
  [[nodiscard]] virtual std::unique_ptr<AnyArray> redistributed(const Redistribution& moves) const = 0;
  /// Writes the owned rows of all ranks to the new group `name`. @collective
  virtual void write(io::Hdf5File& file, const std::string& name) const = 0;
};

/// Creates rows of zeros, or empty rows. @throws ContractError, LimitError, DeviceError.
[[nodiscard]] std::unique_ptr<AnyArray> make_array(const IndexSpace& space, const ArrayForm& form);
/// Creates a CSR array of these owned rows, and ghost rows with the lengths and values of their owners. `entries` are
/// offsets.back() scalars. @throws ContractError on every rank for bad offsets or a wrong number of rows. @collective
[[nodiscard]] std::unique_ptr<AnyArray> make_csr(const GhostPlan& plan, Scalar scalar, std::span<const std::int64_t> offsets,
                                                 const void* entries, Backend backend);
/// Wraps registered memory as the owned rows of an array without ghost rows, of fixed width. @throws as Array.
[[nodiscard]] std::unique_ptr<AnyArray> wrap_memory(const IndexSpace& space, const ArrayForm& form,
                                                    const RegisteredMemory& memory);
/// Uses memory of others on the device with form.backend, mirror or cuda, as the rows of an array of fixed width.
[[nodiscard]] std::unique_ptr<AnyArray> wrap_device_memory(const IndexSpace& space, const ArrayForm& form, void* memory);
/// Reads a stored array; its rows become the owned rows of `plan`, or of a new plan without ghost rows, as they are distributed.
/// @param padded  read rows of different lengths as Rows::padded, otherwise as Rows::csr.
/// @throws IoError on every rank. @collective
[[nodiscard]] std::unique_ptr<AnyArray> read_array(const Communicator& comm, const io::Hdf5File& file, const std::string& name,
                                                   const std::optional<GhostPlan>& plan, bool padded, Layout layout,
                                                   Backend backend);

}  // namespace weft::python
