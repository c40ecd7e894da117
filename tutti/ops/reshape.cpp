// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/reshape.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/linearity.hpp"

namespace tutti {
namespace {

// A dim and the number of elements between two of its neighbours in row-major order.
struct Span {
  Dim dim;
  std::int64_t stride, size;
};

std::vector<Span> spans_of(const Shape& shape) {
  std::vector<Span> spans;
  std::int64_t stride = 1;
  for (int i = shape.rank(); i-- > 0; stride *= shape[i])
    if (shape[i] != 1) spans.push_back({Dim{i}, stride, shape[i]});
  return spans;
}

// The coordinate of a digit with this stride in that shape.
kernel::Coordinate at_stride(const std::vector<Span>& spans, std::int64_t stride) {
  auto above = std::ranges::find_if(spans, [&](const Span& span) { return span.stride > stride; });
  const Span& span = *(above - 1);
  return kernel::along(span.dim, stride / span.stride);
}

// The digits that both shapes are made of: [4,6] and [2,2,6] are [2,2,6]; [4,6] and [6,4] have none.
std::optional<kernel::View> common_digits(const Shape& from, const Shape& to) {
  std::vector<Span> of_from = spans_of(from), of_to = spans_of(to);
  std::vector<std::int64_t> strides;
  for (const auto* spans : {&of_from, &of_to})
    for (const Span& span : *spans) strides.push_back(span.stride);
  std::ranges::sort(strides, std::greater{});
  strides.erase(std::ranges::unique(strides).begin(), strides.end());
  kernel::View view;
  std::int64_t above = from.elements();
  for (std::int64_t stride : strides) {
    if (above % stride != 0) return std::nullopt;
    view.digits.push_back({above / stride, at_stride(of_from, stride), at_stride(of_to, stride)});
    above = stride;
  }
  return view;
}

// One size of `to` may be -1: what the others leave of `elements`.
Shape completed(const Shape& to, Type x) {
  auto open = std::ranges::find(to, -1);
  if (open == to.end()) return to;
  require(std::ranges::count(to, -1) == 1, Code::shape,
          "[{}] has more than one -1; leave one size open at most", to);
  Dim dim{static_cast<int>(open - to.begin())};
  std::int64_t known = x.with(to.with(dim, 1)).elements();
  require(known > 0 && x.elements() % known == 0, Code::shape,
          "no size in the place of -1 gives [{}] the {} of {} (reshape_c2)", to,
          counted(x.elements(), "element"), x);
  return to.with(dim, x.elements() / known);
}

}  // namespace

Parameters Reshape::parameters() const { return {{"to", "[" + to_string(to) + "]"}}; }

Types Reshape::infer(const Types& operands) const {
  const Type& x = operands[0];
  Type result = x.with(to);
  require(result.elements() == x.elements(), Code::shape,
          "{} has {}, [{}] has {}; both must be as many (reshape_c2)", x, counted(x.elements(), "element"),
          to, result.elements());
  return {result};
}

// As digits it remains a view also of an operand that does not lie dense.
Kernel Reshape::kernel(const Layout& layout) const {
  const Shape& from = layout.operands()[0].shape();
  if (from.elements() > 0)
    if (std::optional<kernel::View> view = common_digits(from, to)) return *view;
  return kernel::View{.digits = {}, .reshape = true};
}

Jvp Reshape::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

Tangents Reshape::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  return {reshape(*cotangents[0], operands[0].type.shape())};
}

BatchedArrays Reshape::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  const auto& [x, batched] = operands[0];
  return {{reshape(x, batched ? to.inserted(Dim{0}, axis.size) : to), batched}};
}

Lowered Reshape::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit("stablehlo.reshape", operands, emitter.result_types()[0])};
}

std::vector<Example> Reshape::examples() {
  const Axes& axes = example_mesh().axes();
  Type matrix(DType::f64, {4, 6});
  return {
      {Reshape{{2, 2, 6}}, {matrix}},
      {Reshape{{6, 4}}, {matrix.with(axes[0], varying)}},
      {Reshape{{24}}, {matrix.with(axes[1], unreduced).with(axes[2], reduced)}},
      {Reshape{{3, 1, 5}}, {Type(DType::f32, {15})}},
      {Reshape{{}}, {Type(DType::i32, {1, 1})}},
      {Reshape{{1}}, {Type(DType::f32, {})}},
      {Reshape{{7, 0}}, {Type(DType::f32, {0, 3})}},
      {Reshape{{2, 3}}, {Type(DType::boolean, {6}).with(axes[0], varying)}},
  };
}

Array reshape(const Operand& x, Shape to) {
  return front_end(Reshape::name, x.where(), [&] {
    Array array = as_array(x);
    Shape shape = completed(to, array.type());
    return array.shape() == shape ? array : apply_one(Reshape{shape}, {array});
  });
}

}  // namespace tutti
