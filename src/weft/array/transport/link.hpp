#pragma once
/// The traffic of an exchange of the host with one rank.
#include <cstddef>
#include <vector>

#include "weft/array/reduce.hpp"
#include "weft/array/row_packing.hpp"

namespace weft::detail {

/// What all links of an exchange move.
struct LinkFields {
  std::vector<Field> fields;
  Reduce op = Reduce::insert;
  /// A pull: what arrives replaces what is there, and no two ranks send the same row.
  bool pulls = true;

  [[nodiscard]] std::size_t bytes(const RowSet& rows) const;
  /// Rows of one field from a message to their place. Returns the end of what it read.
  const std::byte* put(const Field& field, const RowSet& rows, const std::byte* message) const {
    return op == Reduce::insert ? scatter_rows(field, rows, message) : field.reducers->get(op)(field, rows, message);
  }
};

/// Set up once; each exchange calls expect(), send(), then receive() until it is true, and sent() until it is true.
class Link {
 public:
  Link() = default;
  virtual ~Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Called for all links before anything is sent.
  virtual void expect() {}
  /// Sends what the rows hold now. Waits for nobody.
  /// @param may_put  what arrives meanwhile may be put in its place.
  virtual void send(bool may_put) = 0;
  /// Puts in its place what has arrived. True once that is all, and from then on.
  [[nodiscard]] virtual bool receive() = 0;
  /// True once rows that are sent may be overwritten, and send() may be called again when everything has been received.
  [[nodiscard]] virtual bool sent() = 0;
  /// Whether its messages are MPI's, which move on only while MPI is called.
  [[nodiscard]] virtual bool by_mpi() const { return false; }
  /// In flight: lets go of messages.
  virtual void abandon() noexcept {}
};

}  // namespace weft::detail
