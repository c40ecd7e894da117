// SPDX-License-Identifier: Apache-2.0
// Kernels are compiled for every combination of strides, lanes and kinds of reduction. These functions choose
// one at run time. `choose` is a lambda that returns the kernel for arguments known at compile time.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/tensor/loops/lanes.hpp"

namespace tutti {

/// choose.operator()<strides...>()
template <Stride... known, class Choose>
auto for_strides(const Choose& choose) {
  return choose.template operator()<known...>();
}
template <Stride... known, class Choose, class... Rest>
auto for_strides(const Choose& choose, Stride next, Rest... rest) {
  return next == Stride::dense ? for_strides<known..., Stride::dense>(choose, rest...)
                               : for_strides<known..., Stride::scalar>(choose, rest...);
}

/// choose.operator()<kind>(). Null for `and` and `or` where the elements T are no integers.
template <class T, class Choose>
auto for_kind(ReduceKind kind, const Choose& choose) {
  using Kernel = decltype(choose.template operator()<ReduceKind::sum>());
  switch (kind) {
    case ReduceKind::sum: return choose.template operator()<ReduceKind::sum>();
    case ReduceKind::prod: return choose.template operator()<ReduceKind::prod>();
    case ReduceKind::max: return choose.template operator()<ReduceKind::max>();
    case ReduceKind::min: return choose.template operator()<ReduceKind::min>();
    case ReduceKind::logical_and:
      if constexpr (std::integral<T>) return choose.template operator()<ReduceKind::logical_and>();
      else return Kernel(nullptr);
    case ReduceKind::logical_or:
      if constexpr (std::integral<T>) return choose.template operator()<ReduceKind::logical_or>();
      else return Kernel(nullptr);
  }
  return Kernel(nullptr);
}

/// choose.operator()<fn>(), if `fn` is one of `known`; else null.
template <auto... known, class Fn, class Choose>
auto for_fn(Fn fn, const Choose& choose) {
  using Kernel = std::common_type_t<decltype(choose.template operator()<known>())...>;
  Kernel kernel = nullptr;
  (void)((fn == known && (kernel = choose.template operator()<known>(), true)) || ...);
  return kernel;
}

/// choose(std::type_identity<T>()) for lanes of T. A bool is a byte 0 or 1.
template <class Choose>
auto for_lanes(Lanes lanes, const Choose& choose) {
  switch (lanes) {
    case Lanes::boolean: return choose(std::type_identity<std::uint8_t>());
    case Lanes::i32: return choose(std::type_identity<std::int32_t>());
    case Lanes::i64: return choose(std::type_identity<std::int64_t>());
    case Lanes::f32: return choose(std::type_identity<float>());
    case Lanes::f64: break;
  }
  return choose(std::type_identity<double>());
}

}  // namespace tutti
