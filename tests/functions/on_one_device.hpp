// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tutti/tutti.hpp"

namespace tutti {

/// The result of the function for these arguments.
inline Tensor on_one_device(const Tensors& arguments, const std::function<Array(const Arrays&)>& function) {
  const Arrays given(arguments.begin(), arguments.end());
  auto compiled = open_local(Mesh({{"x", 1}})).compile(function, given);
  return compiled(given).tensor();
}

/// Its derivative by the first argument, of the sum of the results.
inline Tensor slope_on_one_device(const Tensors& arguments,
                                  const std::function<Array(const Arrays&)>& function) {
  return on_one_device(arguments, [&](const Arrays& x) {
    return grad([&](const Array& first) {
      Arrays all = x;
      all[0] = first;
      return reduce_sum(function(all));
    })(x[0]);
  });
}

inline Tensor doubles(const std::vector<double>& values) {
  return {Shape{static_cast<std::int64_t>(values.size())}, values};
}

}  // namespace tutti
