#pragma once
/// Interface of the messages between this rank and one other rank in an exchange of the host.
#include <cstddef>
#include <vector>

#include "weft/array/reduce.hpp"
#include "weft/array/row_packing.hpp"

namespace weft::detail {

/// The fields that all links of an exchange move.
struct LinkFields {
  std::vector<Field> fields;
  Reduce op = Reduce::insert;
  /// Pull: received rows replace the stored ones, and each row is received from one rank only.
  bool pulls = true;

  [[nodiscard]] std::size_t bytes(const RowSet& rows) const;
  /// Copies or reduces the rows of one field from a message into the array. Returns the end of the data read.
  const std::byte* put(const Field& field, const RowSet& rows, const std::byte* message) const {
    return op == Reduce::insert ? scatter_rows(field, rows, message) : field.reducers->get(op)(field, rows, message);
  }
};

/// Protocol of each exchange: expect(), send(), then receive() until it returns true, and sent() until it returns true.
class Link {
 public:
  Link() = default;
  virtual ~Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Prepares to receive; called for all links before any of them sends.
  virtual void expect() {}
  /// Sends the current values of the rows. Does not wait for other ranks.
  /// @param may_put  received rows may be stored meanwhile.
  virtual void send(bool may_put) = 0;
  /// Stores the rows received so far. Returns true once all have been stored.
  [[nodiscard]] virtual bool receive() = 0;
  /// Returns true once sent rows may be overwritten; send() may then be called again when everything has been received.
  [[nodiscard]] virtual bool sent() = 0;
  /// Returns true if messages make progress only while MPI is called.
  [[nodiscard]] virtual bool by_mpi() const { return false; }
  /// Abandons pending messages.
  virtual void abandon() noexcept {}
};

}  // namespace weft::detail
