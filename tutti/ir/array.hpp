// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/base/where.hpp"
#include "tutti/devices/global_array.hpp"
#include "tutti/tensor/print.hpp"
#include "tutti/types/type.hpp"

namespace tutti::internal {

class At;     // tutti/functions/indexing/at.hpp
class Index;  // tutti/ir/index.hpp

}  // namespace tutti::internal

namespace tutti::ops {

/// The number of a variable in its program.
using Var = int;

}  // namespace tutti::ops

namespace tutti {

/// A value of the program being traced, or finished data. A small value; never a pointer into a trace: one
/// that outlives the function it was made in says so when it is used (T011).
class Array {
 public:
  /// A variable of the program that one trace records.
  struct Traced {
    std::uint64_t trace;
    ops::Var var;
    bool operator==(const Traced&) const = default;
  };

  /// No array; every use is an error (T011).
  Array() = default;
  /// Finished data.
  Array(Tensor tensor);
  explicit Array(std::shared_ptr<const internal::GlobalArray> data) : is_(std::move(data)) {}
  explicit Array(Traced traced) : is_(traced) {}
  /// A type without a value, to compile for; see `abstract`.
  explicit Array(ops::Type type) : is_(type) {}

  Array(const Array&) = default;
  Array(Array&&) = default;
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&&) & = default;
  ~Array() = default;
  template <class T>
  void operator=(const T&) && = delete;  // x[0] = 1 changes no array: x = x.at(0).set(1)

  /// The type of one device's block, with its states, for a traced value. The type of the whole array,
  /// invariant, for data.
  /// type, dtype, shape and rank throw T011, with the place of the caller, for an empty array and for one
  /// that has outlived its trace.
  ops::Type type(Where where = Where::here()) const;
  DType dtype(Where where = Where::here()) const { return type(where).dtype(); }
  const Shape& shape(Where where = Where::here()) const { return type(where).shape(); }
  int rank(Where where = Where::here()) const { return type(where).rank(); }
  /// The size of a dimension; negative ones count from the end. Throws T006.
  std::int64_t dim(int index, Where where = Where::here()) const;

  /// The variable of a traced value; null for all others.
  const Traced* traced() const { return std::get_if<Traced>(&is_); }
  /// Null for all but finished data.
  std::shared_ptr<const internal::GlobalArray> data() const;
  /// The data. Throws T011 for an empty array, and for one that stands for an argument.
  std::shared_ptr<const internal::GlobalArray> finished() const;
  /// The whole array on the host. Throws T011 while it is traced.
  Tensor tensor(Where where = Where::here()) const;
  /// The sharding of a finished array on its mesh; none for one that is whole on the host.
  /// Throws T011 while it is traced.
  std::optional<Sharding> sharding(Where where = Where::here()) const;
  /// The part of a finished array that `device` of its mesh holds, copied to the host without padding; the
  /// whole of an array without a mesh.
  /// Throws T011 while it is traced, T015 if there is no such device, R004 if another process drives it.
  Tensor shard(int device, Where where = Where::here()) const;
  /// The one element of a finished array, as a double. Throws T011 while it is traced, T005 if it has more
  /// elements, T007 if it is complex.
  double item(Where where = Where::here()) const;
  /// A copy of the elements of a finished array in row-major order. Throws T011 while it is traced, T007 if
  /// T is not the C++ type of its dtype.
  template <class T>
    requires is_element<T>
  std::vector<T> values(Where where = Where::here()) const {
    Tensor whole = tensor_of(dtype_of<T>(), where);
    std::span<const T> elements = whole.as<T>();
    return {elements.begin(), elements.end()};
  }

  /// Arrays are not conditions: their values are not known while a program is traced. Use where.
  explicit operator bool() const = delete;  // use where(condition, x, y)
  /// NumPy's indexing, basic and advanced: x[0], x[rows], x[{0, all, range(1, none, 2), newaxis, ellipsis}].
  /// Ranges are clamped. An array of indices gives its shape to the result; negative elements count from the
  /// end, and elements out of range read the nearest row. Throws T005, T006 for a number out of range, T007
  /// for masks and floats, T011 outside a trace.
  /// Example:
  ///     Array odd = x[{all, range(1, none, 2)}];  // columns 1, 3, ..
  Array operator[](const internal::Index& index) const;
  Array operator[](std::initializer_list<internal::Index> indices) const;
  /// The elements that the same indices name, to change them: x.at(rows).add(updates). See internal::At.
  /// Example:
  ///     Array y = x.at(0).set(7);                 // x with 7 in row 0
  ///     Array z = x.at({all, -1}).add(odd[{all, 0}]);
  internal::At at(const internal::Index& index) const;
  internal::At at(std::initializer_list<internal::Index> indices) const;
  template <class Other>
  bool operator==(const Other&) const {
    static_assert(never<Other>,
                  "array: == compares no arrays, whose values are not known while a program is traced; use "
                  "equal(x, y) or not_equal(x, y), and of finished arrays x.tensor() == y.tensor()");
    return false;
  }

 private:
  template <class T>
  static constexpr bool never = false;
  Tensor tensor_of(DType dtype, Where where) const;

  std::variant<std::monostate, Traced, ops::Type, std::shared_ptr<const internal::GlobalArray>> is_;
};
using Arrays = std::vector<Array>;

/// The elements of a finished array, as of a Tensor: "[[1. 2.5]\n [3. 0. ]]". Throws T011 while it is traced.
std::string to_string(const Array& array, const PrintOptions& options = {}, Where where = Where::here());

/// Stands for an argument of this shape and dtype when a function is compiled before there is data.
/// Throws T005 for a shape that no array has.
Array abstract(Shape shape, DType dtype, Where where = Where::here());

/// A C++ number among array operands: it takes their dtype.
using Number = std::variant<bool, std::int64_t, std::uint64_t, double>;

/// An operand of a front-end function: an array or a number, with the line of the caller.
class Operand {
 public:
  Operand(const Array& array, Where where = Where::here()) : is_(array), where_(where) {}
  template <class N>
    requires std::is_arithmetic_v<N>
  Operand(N number, Where where = Where::here()) : is_(as_number(number)), where_(where) {}

  /// The array; null for a number.
  const Array* array() const { return std::get_if<Array>(&is_); }
  /// The number; null for an array.
  const Number* number() const { return std::get_if<Number>(&is_); }
  /// The line of the caller.
  const Where& where() const { return where_; }

 private:
  template <class N>
  static Number as_number(N number) {
    if constexpr (std::same_as<N, bool>) return number;
    else if constexpr (std::unsigned_integral<N> && sizeof(N) >= sizeof(std::int64_t))
      return static_cast<std::int64_t>(number) >= 0 ? Number(static_cast<std::int64_t>(number))
                                                    : Number(static_cast<std::uint64_t>(number));
    else if constexpr (std::integral<N>) return static_cast<std::int64_t>(number);
    else return static_cast<double>(number);
  }

  std::variant<Array, Number> is_;
  Where where_;
};

/// Axes of a collective as users and rules hand them in: names that are bound here, or the axes themselves.
/// "data", {"data", name}, a std::string, a std::vector of names.
class AxisNames {
 public:
  AxisNames(const char* name, Where where = Where::here()) : names_{name}, where_(where) {}
  AxisNames(std::string name, Where where = Where::here()) : names_{std::move(name)}, where_(where) {}
  AxisNames(std::string_view name, Where where = Where::here()) : names_{name}, where_(where) {}
  AxisNames(std::initializer_list<AxisName> names, Where where = Where::here())
      : names_(names), where_(where) {}
  template <internal::NamesOfAxes T>
  AxisNames(const T& names, Where where = Where::here())
      : names_(std::begin(names), std::end(names)), where_(where) {}
  AxisNames(int) = delete;  // 0 would be a null pointer
  AxisNames(std::nullptr_t) = delete;
  AxisNames(Axes axes, Where where = Where::here()) : axes_(std::move(axes)), where_(where) {}
  AxisNames(const Axis& axis, Where where = Where::here()) : axes_{axis}, where_(where) {}

  /// The axes themselves. Throws T001 (not bound here), T003 (named twice), T005 (more than 2^31 - 1 devices
  /// together).
  Axes resolve() const;
  /// The line of the caller.
  const Where& where() const { return where_; }

 private:
  std::vector<AxisName> names_;  // or
  Axes axes_;
  Where where_;
};

}  // namespace tutti
