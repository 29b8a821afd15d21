#pragma once
/// A link that uses MPI messages.
#include <cstddef>
#include <memory>
#include <vector>

#include "weft/array/transport/link.hpp"
#include "weft/comm/requests.hpp"

namespace weft::detail {

/// Fields are packed into one message, except for large ones, which are sent as separate messages because packing them
/// together gains nothing. A separate field is sent directly from the array if its rows are contiguous, and received directly
/// into the array if its rows are contiguous and are replaced.
class MessageLink final : public Link {
 public:
  MessageLink(std::shared_ptr<const LinkFields> fields, const Communicator& comm, Rank rank, int tag, const RowSet& from,
              const RowSet& to);

  void expect() override { receives_.start(); }
  void send(bool may_put) override;
  [[nodiscard]] bool receive() override;
  [[nodiscard]] bool sent() override { return sends_.test(); }
  [[nodiscard]] bool by_mpi() const override { return true; }
  void abandon() noexcept override;

 private:
  /// A message of consecutive fields.
  struct Message {
    std::size_t first_field, last_field, bytes;
    std::byte* packed = nullptr;  ///< null if the array itself is the buffer
  };
  [[nodiscard]] std::vector<Message> messages(const RowSet& rows) const;
  [[nodiscard]] bool in_place(const Message& message, const RowSet& rows) const;
  void unpack();

  std::shared_ptr<const LinkFields> moved_;
  RowSet from_, to_;
  std::vector<Message> out_, in_;
  std::vector<std::byte> buffer_;
  PersistentMessages sends_, receives_;
  bool put_ = true;
};

}  // namespace weft::detail
