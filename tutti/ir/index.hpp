// SPDX-License-Identifier: Apache-2.0
// The indices of x[..] and x.at(..).
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/array.hpp"
#include "tutti/types/none.hpp"

namespace tutti::internal {

class WhichDims;  // tutti/ops/dims.hpp

/// One end of a range: a number, or `none`.
struct RangeEnd {
  constexpr RangeEnd(None) {}
  template <class N>
    requires(std::integral<N> && !std::same_as<N, bool>)
  constexpr RangeEnd(N number) : at(static_cast<std::int64_t>(number)) {}

  std::optional<std::int64_t> at = {};
};

struct NewAxis {};
struct Ellipsis {};

}  // namespace tutti::internal

namespace tutti {

/// NumPy's start:stop:step.
struct Range {
  std::optional<std::int64_t> start, stop, step;
  Where where = {};
};
/// The elements start, start + step, .. before `stop`: range(1, none, 2) is NumPy's 1::2. Negative ends count
/// from the end of the dim; ends beyond it are clamped. A negative step goes backwards: range(none, none, -1)
/// reverses.
constexpr Range range(internal::RangeEnd start, internal::RangeEnd stop, internal::RangeEnd step = none,
                      Where where = Where::here()) {
  return {start.at, stop.at, step.at, where};
}

/// A new dim of size 1.
inline constexpr internal::NewAxis newaxis;

/// Stands for all whole dims that the other indices do not take.
inline constexpr internal::Ellipsis ellipsis;

/// Options of all(x, dims).
struct AllOptions {
  bool keepdims = false;  // the dims stay, with size 1
};
/// As an index: a whole dim, NumPy's `:`. As a function: numpy.all, true where all elements along `dims` are
/// not 0.
/// x: [.., d, ..] -> bool [.., ..], with keepdims [.., 1, ..]. True for no elements. Throws T006 for dims out
/// of range or named twice, T004 for an unreduced sum.
struct All {
  /// numpy.all over all dims, or over some.
  Array operator()(const Operand& x) const;
  Array operator()(const Operand& x, const internal::WhichDims& dims, const AllOptions& options = {}) const;
};
inline constexpr All all;

}  // namespace tutti

namespace tutti::internal {

/// One index of an array, with the line where it stands. For numbers and arrays in a list of several lines
/// GCC says where the list ends; internal::Index(i) has a line of its own, and so has range(..).
class Index {
 public:
  using Any = std::variant<std::int64_t, Array, Range, NewAxis, Ellipsis, All>;

  template <class N>
    requires(std::integral<N> && !std::same_as<N, bool>)
  Index(N number, Where where = Where::here()) : is_(as_number(number)), where_(where) {}
  template <std::same_as<bool> Mask>
  Index(Mask, Where = {}) = delete;  // bools select no elements; use where(mask, x, y)
  template <std::floating_point F>
  Index(F, Where = {}) = delete;  // indices are integers
  Index(Array indices, Where where = Where::here()) : is_(std::move(indices)), where_(where) {}
  Index(Range range, Where where = Where::here())
      : is_(range), where_(range.where.known() ? range.where : where) {}
  Index(NewAxis, Where where = Where::here()) : is_(newaxis), where_(where) {}
  Index(Ellipsis, Where where = Where::here()) : is_(ellipsis), where_(where) {}
  Index(All, Where where = Where::here()) : is_(All{}), where_(where) {}

  /// The number, array, range or mark that was written.
  const Any& is() const { return is_; }
  /// The line where the index stands.
  const Where& where() const { return where_; }

 private:
  template <class N>
  static std::int64_t as_number(N number) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if constexpr (std::unsigned_integral<N> && sizeof(N) >= sizeof most)
      return number > static_cast<N>(most) ? most : static_cast<std::int64_t>(number);
    else return number;
  }

  Any is_;
  Where where_;
};

}  // namespace tutti::internal
