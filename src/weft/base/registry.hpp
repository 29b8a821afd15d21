#pragma once
/// Registries: one table per choice that users make by name, such as a flux or a partitioner.
///
/// A row says everything about one of the choices: the enumerator, the name in case files and on the command line, one line for
/// the reference, and what the code needs to act on it. Parsers, the reference of keys, help texts, error messages, shell
/// completion and dispatch derive from the table. It follows the enumeration, and argument-dependent lookup finds it:
///
///     enum class Colour { red, green };
///     inline constexpr Registry kColours{"colour", std::array{Row{Colour::red, "red", "Warm."},
///                                                             Row{Colour::green, "green", "Cold."}}};
///     constexpr const auto& registry_of(Colour) { return kColours; }
///     static_assert(is_complete<Colour>());
///
/// A table whose rows stand for types, such as flux functors, is a TypeRegistry; docs/howto shows how rows are added.
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "weft/base/error.hpp"

namespace weft {

/// The least that a row of a registry has. Rows with more are structs of their own, with members of these names.
template <class Kind>
struct Row {
  Kind value;
  std::string_view name;  ///< as users write it
  std::string_view doc;   ///< one line for the reference
};
// Clang deduces the arguments of aggregates from version 17 on.
template <class Kind>
Row(Kind, std::string_view, std::string_view) -> Row<Kind>;

template <class RowType, std::size_t N>
struct Registry {
  const char* what;  ///< name of the choice in messages: "flux"
  std::array<RowType, N> rows;
};
template <class RowType, std::size_t N>
Registry(const char*, std::array<RowType, N>) -> Registry<RowType, N>;

/// A row that stands for a type T, such as a functor that loops are instantiated for.
template <class Kind, class Params, class T>
struct TypeRow {
  Kind value;
  std::string_view name, doc;
  T (*make)(const Params& params);
};

/// A registry whose rows stand for types. One variant holds any of them, and its index is the enumerator's value.
template <class Kind, class Params, class... T>
struct TypeRegistry {
  using Choice = std::variant<T...>;

  const char* what;
  std::tuple<TypeRow<Kind, Params, T>...> types;
  std::array<Row<Kind>, sizeof...(T)> rows;

  constexpr explicit TypeRegistry(const char* name, const TypeRow<Kind, Params, T>&... row)
      : what(name), types(row...), rows{Row<Kind>{row.value, row.name, row.doc}...} {}

  /// Returns visit(row) of the row of `kind`, as a Result.
  template <class Result, class Visit>
  [[nodiscard]] constexpr Result visit(Kind kind, Visit&& visit) const {
    Result result{};
    const auto try_row = [&](const auto& row) {
      if (row.value != kind) return false;
      result = visit(row);
      return true;
    };
    std::apply([&](const auto&... row) { static_cast<void>((try_row(row) || ...)); }, types);
    return result;
  }
  /// Makes what `kind` stands for.
  [[nodiscard]] constexpr Choice make(Kind kind, const Params& params) const {
    return visit<Choice>(kind, [&](const auto& row) { return Choice(row.make(params)); });
  }
};

namespace detail {

/// Returns whether Value is an enumerator: compilers print others as a number behind a cast, "(weft::Colour)2".
template <auto Value>
consteval bool is_enumerator() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_suffix(text.size() - text.rfind(']'));
  std::size_t first = text.size();
  const auto in_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  while (first > 0 && in_word(text[first - 1])) --first;
  return !(text[first] >= '0' && text[first] <= '9');
}

template <class Kind>
inline constexpr auto kNames = [] {
  const auto& rows = registry_of(Kind{}).rows;
  std::array<std::string_view, std::tuple_size_v<std::remove_cvref_t<decltype(rows)>>> all;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = rows[i].name;
  return all;
}();

/// Returns the position of `name` in `all`.
/// @throws InputError naming the closest of `all`, or all of them, where `name` is none of these.
[[nodiscard]] std::size_t index_of_name(std::string_view name, std::span<const std::string_view> all, const char* what,
                                        const Where& where);

/// Returns "name: doc; name: doc".
[[nodiscard]] std::string described(std::span<const std::pair<std::string_view, std::string_view>> rows);

}  // namespace detail

/// Returns whether the registry of Kind has one row per enumerator, in the order of their values 0, 1, 2, ..., each with a name
/// of its own. Enumerators are counted by GCC and Clang, not by nvcc.
template <class Kind>
[[nodiscard]] consteval bool is_complete() {
  constexpr const auto& rows = registry_of(Kind{}).rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].value != static_cast<Kind>(i) || rows[i].name.empty()) return false;
    for (std::size_t k = 0; k < i; ++k) {
      if (rows[k].name == rows[i].name) return false;
    }
  }
#if defined(__CUDACC__)
  return true;
#else
  return !detail::is_enumerator<static_cast<Kind>(rows.size())>();
#endif
}

/// Returns the row of a choice.
template <class Kind>
[[nodiscard]] constexpr const auto& row_of(Kind kind) {
  return registry_of(kind).rows[static_cast<std::size_t>(kind)];
}

/// Returns the name of a choice: name_of(FluxKind::hllc) is "hllc".
template <class Kind>
[[nodiscard]] constexpr std::string_view name_of(Kind kind) {
  return row_of(kind).name;
}

/// Returns all names of a choice, in the order of the enumerators: names<FluxKind>().
template <class Kind>
[[nodiscard]] constexpr std::span<const std::string_view> names() {
  return detail::kNames<Kind>;
}

/// Returns the choice of that name: kind_named<FluxKind>("hllc").
/// @throws InputError at `where`, with the closest name, or with all names where none is close.
template <class Kind>
[[nodiscard]] Kind kind_named(std::string_view name, const Where& where = {}) {
  return static_cast<Kind>(detail::index_of_name(name, names<Kind>(), registry_of(Kind{}).what, where));
}

/// Returns the choices and what they are, for a reference: "hllc: ...; roe: ...". Rows without a doc are left out.
template <class Kind>
[[nodiscard]] std::string describe_choices() {
  std::array<std::pair<std::string_view, std::string_view>, names<Kind>().size()> all;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = {registry_of(Kind{}).rows[i].name, registry_of(Kind{}).rows[i].doc};
  return detail::described(all);
}

/// Returns the words of a list as people write it: "a, b or c".
template <class Range>
[[nodiscard]] std::string one_of(const Range& words) {
  std::string text;
  std::size_t left = std::size(words);
  for (const auto& word : words) {
    text += word;
    --left;
    text += left > 1 ? ", " : left == 1 ? " or " : "";
  }
  return text;
}

}  // namespace weft
