// SPDX-License-Identifier: Apache-2.0
// Elementwise loops in plain C++; the compiler vectorises them where it can.
#pragma once

#include <cstdint>
#include <utility>

#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/choose.hpp"
#include "tutti/tensor/loops/elementwise.hpp"

namespace tutti {

template <class T, Stride step>
class PlainOperand {
 public:
  explicit PlainOperand(const std::byte* bytes) : elements_(reinterpret_cast<const T*>(bytes)), first_() {
    if constexpr (step == Stride::scalar) first_ = *elements_;
  }
  T operator[](std::int64_t i) const {
    if constexpr (step == Stride::scalar) return first_;
    else return elements_[i];
  }

 private:
  const T* elements_;
  T first_;
};

/// out[i] = fn(in[0][i], in[1][i], ..). `steps` has the stride of each operand.
template <class Fn, class Out, class In, Stride... steps>
void plain_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  const auto loop = [out, n](const auto&... operands) {
    auto* to = reinterpret_cast<Out*>(out);
    for (std::int64_t i = 0; i < n; ++i) to[i] = Fn()(operands[i]...);
  };
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    loop(PlainOperand<In, steps>(in[k])...);
  }(std::make_index_sequence<sizeof...(steps)>());
}

/// The plain_loop for these strides.
template <class Fn, class Out, class In, class... Strides>
ElementwiseKernel plain_kernel(Strides... strides) {
  return for_strides([]<Stride... of>() -> ElementwiseKernel { return plain_loop<Fn, Out, In, of...>; },
                     strides...);
}

}  // namespace tutti
