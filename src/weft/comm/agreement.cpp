#include "weft/comm/agreement.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <system_error>

namespace weft {
namespace {

/// Converts any exception to a weft::Error.
Error to_error(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return LimitError("out of memory", "use more ranks or a machine with more memory");
  } catch (const std::length_error& error) {
    return LimitError(fmt::format("a container cannot grow that far ({})", error.what()), "use more ranks");
  } catch (const std::system_error& error) {
    return IoError(error.what());
  } catch (const std::exception& error) {
    return ContractError(fmt::format("unexpected error: {}", error.what()), "this is a bug: please report it");
  } catch (...) {
    return ContractError("unexpected exception of an unknown type", "this is a bug: please report it");
  }
}

void append(std::string& text, std::int64_t value) { text.append(reinterpret_cast<const char*>(&value), sizeof(value)); }

void append(std::string& text, const std::string& value) {
  append(text, static_cast<std::int64_t>(value.size()));
  text += value;
}

std::string serialise(const Error& error) {
  std::string text;
  append(text, static_cast<std::int64_t>(error.kind()));
  append(text, error.problem());
  append(text, error.suggestion());
  const Where& where = error.where();
  for (const std::string* field : {&where.file, &where.key, &where.zone}) append(text, *field);
  for (const std::int64_t field : {where.line, where.column, where.offset, where.element}) append(text, field);
  return text;
}

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}
  std::int64_t integer() {
    std::int64_t value = 0;
    std::memcpy(&value, text_.data() + at_, sizeof(value));
    at_ += sizeof(value);
    return value;
  }
  std::string string() {
    const std::size_t size = integer();
    at_ += size;
    return text_.substr(at_ - size, size);
  }

 private:
  const std::string& text_;
  std::size_t at_ = 0;
};

[[noreturn]] void throw_serialised(const std::string& text) {
  Reader reader(text);
  const auto kind = static_cast<Error::Kind>(reader.integer());
  std::string problem = reader.string();
  std::string suggestion = reader.string();
  Where where;
  for (std::string* field : {&where.file, &where.key, &where.zone}) *field = reader.string();
  for (std::int64_t* field : {&where.line, &where.column, &where.offset, &where.element}) *field = reader.integer();
  throw_error(kind, std::move(problem), std::move(suggestion), std::move(where));
}

/// Throws the error of a rank on every rank. @collective
[[noreturn]] void throw_error_of(Rank rank, const Communicator& comm, const std::exception_ptr& local) {
  std::string text;
  if (comm.rank() == rank) text = serialise(to_error(local));
  comm.broadcast(text, rank);
  throw_serialised(text);
}

}  // namespace

void agree(const Communicator& comm, const std::exception_ptr& local) {
  const int first = comm.min(local ? comm.rank().value() : comm.size());
  if (first < comm.size()) throw_error_of(Rank(first), comm, local);
}

std::pair<std::int32_t, std::int32_t> agree(const Communicator& comm, const std::exception_ptr& local, std::int32_t value) {
  std::array<std::int32_t, 3> least{local ? comm.rank().value() : comm.size(), value, ~value};
  comm.min(std::span<std::int32_t>(least));
  if (least[0] < comm.size()) throw_error_of(Rank(least[0]), comm, local);
  return {least[1], ~least[2]};
}

}  // namespace weft
