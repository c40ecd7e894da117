// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linalg/lower_loop.hpp"

#include <utility>

#include "tutti/ir/builder.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/tensor/tensor.hpp"

namespace tutti {

Lowered ops::lower_function(Emitter& emitter, const Types& types, const ArrayFunction& function,
                            const Lowered& values) {
  const auto placed = [&](const Arrays& x) {
    // No place here: the emitter writes that of the equation that is lowered.
    auto place = Builder::current().on_behalf_of({});
    return function(x);
  };
  return emitter.lower(trace(types, placed).program, values);
}

Lowered ops::lower_counted(Emitter& emitter, std::int64_t trips, const Types& types,
                           const ArrayFunction& iteration, const Lowered& start) {
  Types all{Type(DType::i32, {})};
  all.insert(all.end(), types.begin(), types.end());
  Lowered values{emitter.constant(Tensor::scalar(std::int32_t{0}))};
  values.insert(values.end(), start.begin(), start.end());
  const auto condition = [&](const Arrays& x) { return Arrays{x[0] < static_cast<std::int32_t>(trips)}; };
  const auto counted = [&](const Arrays& x) {
    Arrays next = iteration(x);
    next.insert(next.begin(), x[0] + 1);
    return next;
  };
  const auto region = [&](const ArrayFunction& function) {
    return Emitter::Region{all, [&emitter, &all, function](const Lowered& given) {
                             return lower_function(emitter, all, function, given);
                           }};
  };
  const Lowered end =
      emitter.emit_with_regions("stablehlo.while", values, all, {region(condition), region(counted)});
  return {end.begin() + 1, end.end()};
}

}  // namespace tutti
