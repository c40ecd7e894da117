// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/pargmax.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/axis_index.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/stop_gradient.hpp"

namespace tutti {
namespace {

Array first_with(ReduceKind kind, const Operand& x, const AxisNames& names) {
  Array value = stop_gradient(as_array(x));
  Axes axes = names.resolve();
  Array hit = equal(value, all_reduce(value, axes, kind));
  if (is_float(value.dtype())) hit = hit | not_equal(value, value);  // where one is NaN, it is the extreme
  return all_reduce(select(hit, axis_index(axes), joint_size(axes)), axes, ReduceKind::min);
}

}  // namespace

Array pargmax(const Operand& x, const AxisNames& axes) {
  return front_end("pargmax", x.where(), [&] { return first_with(ReduceKind::max, x, axes); });
}

Array pargmin(const Operand& x, const AxisNames& axes) {
  return front_end("pargmin", x.where(), [&] { return first_with(ReduceKind::min, x, axes); });
}

}  // namespace tutti
