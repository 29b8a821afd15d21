#include "weft/array/transport/message_link.hpp"

#include <utility>

namespace weft::detail {
namespace {

/// Minimum size in bytes of a field that is sent as a separate message.
constexpr std::size_t kAlone = std::size_t{32} << 10U;

}  // namespace

MessageLink::MessageLink(std::shared_ptr<const LinkFields> fields, const Communicator& comm, Rank rank, int tag,
                         const RowSet& from, const RowSet& to)
    : moved_(std::move(fields)), from_(from), to_(to), out_(messages(from)), in_(messages(to)), sends_(comm), receives_(comm) {
  std::size_t packed = 0;
  for (const Message& m : out_) packed += in_place(m, from_) ? 0 : m.bytes;
  for (const Message& m : in_) packed += moved_->pulls && in_place(m, to_) ? 0 : m.bytes;
  buffer_.resize(packed);
  std::byte* at = buffer_.data();
  for (Message& m : out_) {
    if (!in_place(m, from_)) at = (m.packed = at) + m.bytes;
    const std::byte* const data = m.packed != nullptr ? m.packed : moved_->fields[m.first_field].row(from_.first);
    sends_.add_send(rank, tag, {data, m.bytes});
  }
  for (Message& m : in_) {
    if (!moved_->pulls || !in_place(m, to_)) at = (m.packed = at) + m.bytes;
    std::byte* const data = m.packed != nullptr ? m.packed : moved_->fields[m.first_field].row(to_.first);
    receives_.add_receive(rank, tag, {data, m.bytes});
  }
}

std::vector<MessageLink::Message> MessageLink::messages(const RowSet& rows) const {
  std::vector<Message> list;
  bool joins = false;
  for (std::size_t f = 0; f < moved_->fields.size(); ++f) {
    const std::size_t bytes = message_bytes(moved_->fields[f], rows);
    if (bytes == 0) continue;
    if (joins && bytes < kAlone) {
      list.back().last_field = f + 1;
      list.back().bytes += bytes;
    } else {
      list.push_back({.first_field = f, .last_field = f + 1, .bytes = bytes});
    }
    joins = bytes < kAlone;
  }
  return list;
}

bool MessageLink::in_place(const Message& message, const RowSet& rows) const {
  return message.last_field == message.first_field + 1 && moved_->fields[message.first_field].dense() && rows.is_run();
}

void MessageLink::send(bool /*may_put*/) {
  put_ = false;
  for (const Message& m : out_) {
    std::byte* at = m.packed;
    for (std::size_t f = m.first_field; at != nullptr && f < m.last_field; ++f) at = gather_rows(moved_->fields[f], from_, at);
  }
  sends_.start();
}

bool MessageLink::receive() {
  if (!put_ && receives_.test()) unpack();
  return put_;
}

void MessageLink::unpack() {
  put_ = true;
  for (const Message& m : in_) {
    const std::byte* at = m.packed;
    for (std::size_t f = m.first_field; at != nullptr && f < m.last_field; ++f) at = moved_->put(moved_->fields[f], to_, at);
  }
}

void MessageLink::abandon() noexcept {
  receives_ = {};
  sends_ = {};
}

}  // namespace weft::detail
