// SPDX-License-Identifier: Apache-2.0
// The values that functions make of arrays, on one device.
#pragma once

#include <functional>

#include "tests/support/print.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/run/machine.hpp"

namespace tutti {

inline Tensors all_made(const Tensors& arguments, const std::function<Arrays(const Arrays&)>& function) {
  Arrays given(arguments.begin(), arguments.end());
  Tensors results;
  for (const Array& result : open_local(Mesh({{"x", 1}}), {.workers = 1}).compile(function, given)(given))
    results.push_back(result.tensor());
  return results;
}

inline Tensor made(const Tensors& arguments, const std::function<Array(const Arrays&)>& function) {
  return all_made(arguments, [&](const Arrays& x) { return Arrays{function(x)}; })[0];
}

/// The refusal of the trace of `function`: "T005: squeeze: ..".
inline std::string refused(const Types& types, const std::function<Array(const Arrays&)>& function) {
  return refusal_of([&] { trace(types, [&](const Arrays& x) { return Arrays{function(x)}; }); });
}

/// i32 elements in row-major order.
inline Tensor numbers(const Shape& shape, const std::vector<std::int32_t>& values) { return {shape, values}; }
/// 1, 2, 3, ..
inline Tensor counted_i32(const Shape& shape) { return counted(DType::i32, shape); }

inline int equations(const Types& types, std::string_view op,
                     const std::function<Array(const Arrays&)>& function) {
  int n = 0;
  for (const Equation& equation :
       trace(types, [&](const Arrays& x) { return Arrays{function(x)}; }).program.equations)
    if (equation.op->name() == op) ++n;
  return n;
}

}  // namespace tutti
