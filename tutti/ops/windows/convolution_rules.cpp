// SPDX-License-Identifier: Apache-2.0
// transpose and batch of a convolution are convolutions. Where groups are in the way, dims are split.
#include <algorithm>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/reverse.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/ops/windows/convolution.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti::ops {
namespace {

using Sizes = std::vector<std::int64_t>;

Dim moved_up(Dim dim) { return Dim{dim.index + 1}; }

/// Puts the lanes of dim 0 into a dim of groups: [lanes, .., groups * d, ..] -> [.., groups * lanes * d, ..].
Array with_lanes(const Array& x, Dim dim, std::int64_t groups) {
  const std::int64_t lanes = x.shape()[0], size = x.shape()[moved_up(dim)];
  Sizes split = x.shape().sizes();
  const auto at = static_cast<std::size_t>(dim.index) + 1;
  split[at] = groups;
  split.insert(split.begin() + static_cast<std::ptrdiff_t>(at) + 1, size / groups);
  // [lanes, .., groups, d, ..] -> [.., groups, lanes, d, ..]
  const Array apart = move_dim(reshape(x, Shape(split)), Dim{0}, moved_up(dim));
  Sizes whole(x.shape().sizes().begin() + 1, x.shape().sizes().end());
  whole[static_cast<std::size_t>(dim.index)] = lanes * size;
  return reshape(apart, Shape(whole));
}

/// The inverse of with_lanes: [.., groups * lanes * d, ..] -> [lanes, .., groups * d, ..].
Array without_lanes(const Array& y, Dim dim, std::int64_t groups, std::int64_t lanes) {
  const std::int64_t each = y.shape()[dim] / (groups * lanes);
  Sizes split = y.shape().sizes(), whole = split;
  const auto at = static_cast<std::ptrdiff_t>(dim.index);
  split[static_cast<std::size_t>(at)] = groups;
  split.insert(split.begin() + at + 1, {lanes, each});
  whole[static_cast<std::size_t>(at)] = groups * each;
  whole.insert(whole.begin(), lanes);
  return reshape(move_dim(reshape(y, Shape(split)), moved_up(dim), Dim{0}), Shape(whole));
}

/// Takes the groups of one dim away, and puts them before another: [.., g * a, .., b, ..] ->
/// [.., a, .., g * b, ..].
Array with_moved_groups(const Array& x, Dim from, Dim to, std::int64_t groups) {
  return groups == 1 ? x : with_lanes(without_lanes(x, from, 1, groups), to, 1);
}

/// Sizes along one spatial dim, with dilation: of the input, of the kernel, and of the result by its stride.
struct Spread {
  Spread(const Convolution& op, std::size_t i, Type input, Type kernel, Type result)
      : input(dilated(input.shape()[op.dims.input.spatial[i]], op.windows[i].input_dilation)),
        kernel(dilated(kernel.shape()[op.dims.kernel.spatial[i]], op.windows[i].kernel_dilation)),
        result(dilated(result.shape()[op.dims.result.spatial[i]], op.windows[i].stride)) {}
  std::int64_t input, kernel, result;
};

/// The cotangent of the input: a convolution of the result's cotangent with the kernel, read backwards.
Array input_cotangent(const Convolution& op, Type input, const Array& kernel, const Array& ct) {
  const auto& [of_input, of_kernel, of_result] = op.dims;
  const std::int64_t groups = op.feature_groups * op.batch_groups;
  Convolution back{{of_result, of_kernel.swapped(), of_input}, op.windows, groups, 1};
  for (std::size_t i = 0; i < op.windows.size(); ++i) {
    const Spread spread(op, i, input, kernel.type(), ct.type());
    ConvolutionWindow& window = back.windows[i];
    std::swap(window.stride, window.input_dilation);
    window.low = spread.kernel - op.windows[i].low - 1;
    window.high = spread.input + spread.kernel - 1 - spread.result - window.low;
    window.reversed = !window.reversed;
  }
  const Array y =
      apply_one(back, {ct, with_moved_groups(kernel, of_kernel.outer, of_kernel.feature, groups)});
  return with_moved_groups(y, of_input.feature, of_input.outer, op.batch_groups);
}

/// The cotangent of the kernel: a convolution over the images of the input with the result's cotangent.
Array kernel_cotangent(const Convolution& op, const Array& input, Type kernel, const Array& ct) {
  const auto& [of_input, of_kernel, of_result] = op.dims;
  Convolution back{{of_input.swapped(), of_result.swapped(), of_kernel.swapped()},
                   op.windows,
                   op.batch_groups,
                   op.feature_groups};
  Dims reversed;
  for (std::size_t i = 0; i < op.windows.size(); ++i) {
    const Spread spread(op, i, input.type(), kernel, ct.type());
    ConvolutionWindow& window = back.windows[i];
    std::swap(window.stride, window.kernel_dilation);
    window.high = spread.result - spread.input + spread.kernel - window.low - 1;
    window.reversed = false;
    if (op.windows[i].reversed) reversed.push_back(of_kernel.spatial[i]);
  }
  const Array y = apply_one(back, {input, ct});
  return reversed.empty() ? y : rev(y, reversed);
}

}  // namespace

Tangents Convolution::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  require(operands[0].known || operands[1].known, Code::refused_rule,
          "transpose is refused: convolution is linear in one operand at a time");
  const Array& ct = *cotangents[0];
  const Type input = operands[0].type, kernel = operands[1].type;
  // Without elements windows have no sizes that the other convolution could have.
  if (input.elements() == 0 || kernel.elements() == 0 || ct.type().elements() == 0)
    return {std::nullopt, std::nullopt};
  if (operands[0].linear()) return {input_cotangent(*this, input, *operands[1].known, ct), {}};
  return {{}, kernel_cotangent(*this, *operands[0].known, kernel, ct)};
}

// Lanes of the input only are more images; lanes of the kernel only are more output features, and lanes of
// both are more groups.
BatchedArrays Convolution::batch(const Axis&, const BatchedArrays& operands, const Types& types) const {
  const auto& [input, input_batched] = operands[0];
  const auto& [kernel, kernel_batched] = operands[1];
  if (!input_batched && !kernel_batched) return {{apply_one(*this, {input, kernel}), false}};
  const std::int64_t lanes = (input_batched ? input : kernel).shape()[0];
  const std::int64_t groups = feature_groups * batch_groups;
  if (lanes == 0) {
    const Type lane = apply_one(*this, {zeros_of(types[0].with(input.type().states())),
                                        zeros_of(types[1].with(kernel.type().states()))})
                          .type();
    return {{zeros_of(lane.with(lane.shape().inserted(Dim{0}, 0))), true}};
  }
  Convolution op = *this;
  if (input_batched && kernel_batched) {
    const bool in_batch = batch_groups > 1;
    (in_batch ? op.batch_groups : op.feature_groups) *= lanes;
    const Array y = apply_one(op, {with_lanes(input, in_batch ? dims.input.outer : dims.input.feature, 1),
                                   with_lanes(kernel, dims.kernel.outer, 1)});
    return {{without_lanes(y, dims.result.feature, 1, lanes), true}};
  }
  if (input_batched) {
    const Array y = apply_one(op, {with_lanes(input, dims.input.outer, batch_groups), kernel});
    return {{without_lanes(y, dims.result.outer, 1, lanes), true}};
  }
  const Array y = apply_one(op, {input, with_lanes(kernel, dims.kernel.outer, groups)});
  return {{without_lanes(y, dims.result.feature, groups, lanes), true}};
}

}  // namespace tutti::ops
