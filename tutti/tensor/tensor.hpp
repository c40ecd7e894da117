// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "tutti/base/where.hpp"
#include "tutti/types/dtype.hpp"
#include "tutti/types/shape.hpp"

namespace tutti {

/// A dense row-major array in host memory, with value semantics: copies share their elements until one is
/// written.
class Tensor {
 public:
  Tensor() : Tensor(Shape{0}, DType::f32) {}
  /// All elements zero. Throws T005 for a negative size and for more than 2^58 elements.
  template <std::same_as<DType> D>  // so that Tensor({2}, {}) does not name a dtype
  Tensor(Shape shape, D dtype, Where where = Where::here()) : dtype_(dtype), shape_(std::move(shape)) {
    fill_with_zeros(where);
  }
  [[deprecated("write the shape first: Tensor(shape, dtype)")]]  //
  Tensor(DType dtype, Shape shape, Where where = Where::here())
      : Tensor(std::move(shape), dtype, where) {}
  /// Copies `values`, which are in row-major order. Throws T005 unless there is one value per element of
  /// `shape`.
  template <class T>
    requires is_element<T>
  Tensor(Shape shape, const std::vector<T>& values, Where where = Where::here())
      : Tensor(std::move(shape), dtype_of<T>(), where) {
    require_elements(values.size(), where);
    std::copy(values.begin(), values.end(), mutable_data<T>());
  }
  template <class T>
    requires is_element<T>
  Tensor(Shape shape, std::initializer_list<T> values, Where where = Where::here())
      : Tensor(std::move(shape), std::vector<T>(values), where) {}
  /// Copies the elements of any contiguous range: a std::span, a std::array, an array of C.
  template <std::ranges::contiguous_range R>
    requires(is_element<std::ranges::range_value_t<R>> && std::ranges::sized_range<R>)
  Tensor(Shape shape, const R& values, Where where = Where::here())
      : Tensor(std::move(shape), dtype_of<std::ranges::range_value_t<R>>(), where) {
    require_elements(std::ranges::size(values), where);
    std::copy_n(std::ranges::data(values), std::ranges::size(values),
                mutable_data<std::ranges::range_value_t<R>>());
  }
  /// A tensor of memory that stays where it is, without a copy. The tensor and its copies keep `owner` alive;
  /// without one, the memory must outlive them. No call writes it. Its owner may write it between calls: each
  /// call reads it anew.
  /// Throws T005 unless there is one value per element of `shape`.
  template <std::ranges::contiguous_range R>
    requires(is_element<std::ranges::range_value_t<R>> && std::ranges::sized_range<R> &&
             std::ranges::borrowed_range<R>)
  static Tensor borrow(Shape shape, R&& values, std::shared_ptr<const void> owner = {},
                       Where where = Where::here()) {
    return of_memory(std::move(shape), dtype_of<std::ranges::range_value_t<R>>(),
                     reinterpret_cast<const std::byte*>(std::ranges::data(values)), std::ranges::size(values),
                     std::move(owner), where);
  }
  /// A tensor of rank 0 that holds `value`; its dtype is that of T.
  template <class T>
    requires is_element<T>
  static Tensor scalar(T value) {
    return Tensor(Shape{}, std::vector<T>{value});
  }
  /// A scalar: `value` rounded once to `dtype`. The caller has checked that `value` fits.
  static Tensor scalar_of(DType dtype, double value);
  static Tensor scalar_of(DType dtype, std::int64_t value);
  static Tensor scalar_of(DType dtype, std::uint64_t value);
  /// The one element of `scalar` in every element. Throws as Tensor(shape, dtype).
  static Tensor full(Shape shape, const Tensor& scalar, Where where = Where::here());

  /// dtype() is that of each element, shape() has a size per dim, elements() is their product, bytes() the
  /// size of all elements, and data() points to the first element in row-major order.
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  std::int64_t elements() const { return shape_.elements(); }
  std::size_t bytes() const { return static_cast<std::size_t>(elements()) * bytes_per_element(dtype_); }
  const std::byte* data() const { return data_.get(); }
  /// The elements in row-major order; valid while the tensor lives. Give a temporary a name, or use
  /// Array::values.
  template <class T>
  std::span<const T> as() const& {
    return {reinterpret_cast<const T*>(data_.get()), static_cast<std::size_t>(elements())};
  }
  template <class T>
  std::span<const T> as() const&& = delete;  // the elements would be gone: give the tensor a name first
  /// Element `i` in row-major order, as a double; i64 and u64 beyond 2^53 are rounded. Not for complex
  /// dtypes.
  double at(std::int64_t i) const;

  /// mutable_bytes() and mutable_data(): the elements, writable. If the elements are shared, the tensor
  /// copies them first. Fill a tensor before an Array is made of it: calls keep copies of their arguments, so
  /// a later write costs a copy of all elements.
  std::byte* mutable_bytes();
  template <class T>
  T* mutable_data() {
    return reinterpret_cast<T*>(mutable_bytes());
  }
  /// The same elements, shared, under another shape. Throws T005 unless both shapes have equally many
  /// elements.
  Tensor reshaped(Shape shape) const;

  /// True if dtype, shape and all bits are equal: -0 differs from +0, and equal bits of NaN are equal.
  bool operator==(const Tensor& other) const;

  /// True if the memory belongs to somebody else. No call writes it.
  bool is_lent() const { return is_lent_; }
  /// The same as borrow, for memory whose dtype is known at run time.
  static Tensor of_memory(Shape shape, DType dtype, const std::byte* data, std::size_t elements,
                          std::shared_ptr<const void> owner, Where where = Where::here());

 private:
  void fill_with_zeros(Where where);
  void require_elements(std::size_t found, Where where) const;

  DType dtype_;
  Shape shape_;
  std::shared_ptr<std::byte[]> data_;  // 64-byte aligned, unless it is lent
  bool is_lent_ = false;
};
using Tensors = std::vector<Tensor>;

}  // namespace tutti
