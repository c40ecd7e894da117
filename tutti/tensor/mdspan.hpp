// SPDX-License-Identifier: Apache-2.0
// Arrays of std::mdspan, and of classes like it. <mdspan> itself is C++23 and not needed.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/tensor/tensor.hpp"

namespace tutti::internal {

/// A view of an array whose elements lie at strides from a pointer, as std::mdspan and Kokkos::mdspan are.
template <class M>
concept MdspanLike = requires(const M& view) {
  { *view.data_handle() };
  { view.rank() } -> std::convertible_to<std::size_t>;
  { view.extent(0) } -> std::convertible_to<std::int64_t>;
  { view.stride(0) } -> std::convertible_to<std::int64_t>;
  requires std::is_pointer_v<decltype(view.data_handle())>;
  requires is_element<std::remove_cv_t<std::remove_pointer_t<decltype(view.data_handle())>>>;
};

/// True unless an accessor computes the elements, as that of std::linalg::scaled does.
template <class M>
constexpr bool reads_plainly() {
  if constexpr (requires { typename M::reference; })
    return std::is_same_v<typename M::reference,
                          std::remove_pointer_t<decltype(std::declval<const M&>().data_handle())>&>;
  else return true;
}

/// True for a class whose views have no dims. Its stride() may not compile: std::layout_right has none then.
template <class M>
constexpr bool is_scalar() {
  if constexpr (requires { typename std::bool_constant<M::rank() == 0>; }) return M::rank() == 0;
  else return false;
}

/// The number of elements of `shape`. Throws T005 unless `strides`, in elements, are those
/// of a row-major array without gaps. Strides along dims of size 1 do not count.
/// Errors have the place `where` and begin with `name`, a function.
std::size_t row_major_elements(const Shape& shape, const std::vector<std::int64_t>& strides, Where where,
                               const char* name);

}  // namespace tutti::internal

namespace tutti {

/// A tensor of the memory of `view`, without a copy; see Tensor::borrow, also for `owner`.
/// Throws T005 for another layout than row-major without gaps.
template <internal::MdspanLike M>
  requires(internal::reads_plainly<M>())
Tensor borrow(const M& view, std::shared_ptr<const void> owner = {}, Where where = Where::here()) {
  using Element = std::remove_pointer_t<decltype(view.data_handle())>;
  std::vector<std::int64_t> sizes, strides;
  for (std::size_t i = 0; i < static_cast<std::size_t>(view.rank()); ++i) {
    sizes.push_back(static_cast<std::int64_t>(view.extent(i)));
    if constexpr (!internal::is_scalar<M>()) strides.push_back(static_cast<std::int64_t>(view.stride(i)));
  }
  Shape shape(std::move(sizes));
  const std::size_t elements = internal::row_major_elements(shape, strides, where, "borrow");
  return Tensor::of_memory(std::move(shape), dtype_of<std::remove_cv_t<Element>>(),
                           reinterpret_cast<const std::byte*>(view.data_handle()), elements, std::move(owner),
                           where);
}

}  // namespace tutti
