// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/cumulative.hpp"

#include <limits>

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/lines_along_dim.hpp"
#include "tutti/ops/odd_even_scan.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {
namespace {

std::string_view name_of(Order order) {
  switch (order) {
    case Order::forward: return "forward";
    case Order::backward: return "backward";
  }
  return {};
}

double nanoseconds_per_element(CumulativeKind kind) {
  switch (kind) {
    case CumulativeKind::sum: return 0.7;
    case CumulativeKind::prod: return 5;
    case CumulativeKind::max:
    case CumulativeKind::min: return 3.5;
    case CumulativeKind::logsumexp: return 25;
  }
  return 0;
}

}  // namespace

std::string_view Cumulative::name() const {
  switch (kind) {
    case CumulativeKind::sum: return "cumsum";
    case CumulativeKind::prod: return "cumprod";
    case CumulativeKind::max: return "cummax";
    case CumulativeKind::min: return "cummin";
    case CumulativeKind::logsumexp: return "cumlogsumexp";
  }
  return {};
}

About Cumulative::about() const {
  switch (kind) {
    case CumulativeKind::sum:
      return {"Running sums along a dim: of all elements up to each, itself among them.",
              "cumsum, packed_offsets"};
    case CumulativeKind::prod:
      return {"Running products along a dim: of all elements up to each, itself among them.", "cumprod"};
    case CumulativeKind::max: return {"The largest element so far, along a dim.", "cummax"};
    case CumulativeKind::min: return {"The smallest element so far, along a dim.", "cummin"};
    case CumulativeKind::logsumexp:
      return {"Running log(sum(exp)) along a dim: of all elements up to each, itself among them.",
              "cumlogsumexp"};
  }
  return {};
}

Parameters Cumulative::parameters() const {
  return {{"dim", std::to_string(dim.index)}, {"order", std::string(name_of(order))}};
}

Types Cumulative::infer(const Types& operands) const {
  const Type& x = operands[0];
  require_in_range({dim}, x, std::string(name()) + "_c1");
  switch (kind) {
    case CumulativeKind::sum:
      require(x.dtype() != DType::boolean, Code::dtype,
              "{} is bool, which has no sum (cumsum_c2); to count, convert it first: {}", x,
              conversion_to(DType::i32));
      break;
    case CumulativeKind::prod:
      require(
          x.dtype() != DType::boolean, Code::dtype,
          "{} is bool, which has no product (cumprod_c2); use cummin for \"all so far\", or convert it: {}",
          x, conversion_to(DType::i32));
      break;
    case CumulativeKind::max:
    case CumulativeKind::min: require_order(x); break;
    case CumulativeKind::logsumexp:
      require(is_float(x.dtype()), Code::dtype,
              "{} is not of floats, so it has no exponentials here (cumlogsumexp_c2); convert it: {}", x,
              conversion_to(DType::f32));
      break;
  }
  return {x.with(agreed_states(operands, mixing()))};
}

Kernel Cumulative::kernel(const Layout& layout) const {
  Type x = layout.operands()[0];
  const AlongDim shape = along_dim(x.shape(), dim);
  const LinesAlongDim lines(shape, shape.n);
  return kernel::Opaque{.nanoseconds = 20 + nanoseconds_per_element(kind) * static_cast<double>(x.elements()),
                        .run =
                            [lines, dtype = x.dtype(), kind = kind, order = order](const kernel::Unit& unit) {
                              const LinesAlongDim::Part part = lines.part(unit.lines);
                              cumulative(element_at(unit.results[0], part.result, dtype),
                                         element_at(unit.operands[0], part.operand, dtype), part.shape, dtype,
                                         kind, order);
                            },
                        .shared = lines.shared()};
}

namespace {

Array log_add_exp(const Array& a, const Array& b) {
  const Array apart = a - b, both = a + b, large = maximum(a, b), small = exp(-abs(apart));
  return select(not_equal(apart, apart), both, large + log1p(small));  // inf - inf is NaN
}

// The share of `term` in a sum of two exponentials. Where the sum is infinite the larger term has it all, and
// equal ones have half of it each, as in logaddexp.
Array share_of(const Array& term, const Array& other, const Array& sum) {
  const Array is_infinite = equal(abs(sum), std::numeric_limits<double>::infinity());
  const Array of_larger = select(equal(term, other), 0.5, convert(term > other, sum.dtype()));
  return select(is_infinite, of_larger, exp(select(is_infinite, 0.0, term - sum)));
}

// Combines two pairs (value, tangent).
Arrays combined(CumulativeKind kind, const Arrays& a, const Arrays& b) {
  auto by_rule = [&](BinaryFn fn) {
    const Jvp both = Binary{fn}.jvp({a[0], b[0]}, {a[1], b[1]});
    return Arrays{both.results[0], *both.tangents[0]};
  };
  switch (kind) {
    case CumulativeKind::sum: return by_rule(BinaryFn::add);
    case CumulativeKind::prod: return by_rule(BinaryFn::mul);
    case CumulativeKind::max: return by_rule(BinaryFn::maximum);
    case CumulativeKind::min: return by_rule(BinaryFn::minimum);
    case CumulativeKind::logsumexp: break;
  }
  const Array sum = log_add_exp(a[0], b[0]), of_a = a[1] * share_of(a[0], b[0], sum);
  return {sum, of_a + b[1] * share_of(b[0], a[0], sum)};
}

}  // namespace

Jvp Cumulative::jvp(const Arrays& operands, const Tangents& tangents) const {
  if (kind == CumulativeKind::sum) return linear_jvp(*this, operands, tangents);
  if (!tangents[0]) return constant_jvp(*this, operands);
  auto combine = [&](const Arrays& a, const Arrays& b) { return combined(kind, a, b); };
  Array result = apply_one(*this, operands);
  return {{result}, {odd_even_scan(combine, {operands[0], *tangents[0]}, {dim, order, name()})[1]}};
}

// An element is in all later sums, so it gets the cotangents from there on.
Tangents Cumulative::transpose(const LinearOperands&, const Tangents& cotangents) const {
  Order turned = order == Order::forward ? Order::backward : Order::forward;
  return {apply_one(Cumulative{kind, dim, turned}, {*cotangents[0]})};
}

std::string_view Cumulative::refusal(Rule rule) const {
  if (rule != Rule::transpose || kind == CumulativeKind::sum) return "";
  return "only running sums are linear";
}

BatchedArrays Cumulative::batch(const Axis&, const BatchedArrays& operands, const Types&) const {
  const auto& [x, batched] = operands[0];
  return {{apply_one(Cumulative{kind, Dim{dim.index + (batched ? 1 : 0)}, order}, {x}), batched}};
}

namespace {

ReduceKind reduction_of(CumulativeKind kind) {
  switch (kind) {
    case CumulativeKind::sum: return ReduceKind::sum;
    case CumulativeKind::prod: return ReduceKind::prod;
    case CumulativeKind::max: return ReduceKind::max;
    case CumulativeKind::min: return ReduceKind::min;
    case CumulativeKind::logsumexp: break;
  }
  fail(Code::internal, "log(sum(exp)) is no reduction of one op");
}

// log(exp(a) + exp(b)) of scalars; of two infinities, whose difference is NaN, it is a + b.
stablehlo::Value emit_log_add_exp(Emitter& emitter, const Lowered& x, Type scalar) {
  auto emit = [&](std::string_view op, const Lowered& operands) {
    return emitter.emit(op, operands, scalar);
  };
  stablehlo::Value apart = emit("stablehlo.subtract", x), distance = emit("stablehlo.abs", {apart});
  stablehlo::Value small = emit("stablehlo.exponential", {emit("stablehlo.negate", {distance})});
  stablehlo::Value sum =
      emit("stablehlo.add", {emit("stablehlo.maximum", x), emit("stablehlo.log_plus_one", {small})});
  stablehlo::Value is_nan =
      emitter.emit("stablehlo.compare", {apart, apart}, Type(DType::boolean, {}),
                   {{"comparison_direction", stablehlo::enumeration("comparison_direction", "NE")},
                    {"compare_type", stablehlo::enumeration("comparison_type", order_of(scalar.dtype()))}});
  return emit("stablehlo.select", {is_nan, emit("stablehlo.add", x), sum});
}

// In f32 for halves, rounded once.
stablehlo::Value emit_log_sum_exps(Emitter& emitter, stablehlo::Value x, Type own,
                                   const stablehlo::Attributes& windows) {
  const Type wide = is_half(own.dtype()) ? own.with(DType::f32) : own, scalar = wide.with(Shape{});
  if (!(wide == own)) x = emitter.emit("stablehlo.convert", {x}, wide);
  Tensor none(Shape{}, wide.dtype());
  write_neutral_element(ReduceKind::max, wide.dtype(), none.mutable_bytes());
  auto body = [&](const Lowered& both) -> Lowered { return {emit_log_add_exp(emitter, both, scalar)}; };
  stablehlo::Value found = emitter.emit_with_regions("stablehlo.reduce_window", {x, emitter.constant(none)},
                                                     {wide}, {{{scalar, scalar}, body}}, windows)[0];
  return wide == own ? found : emitter.emit("stablehlo.convert", {found}, own);
}

}  // namespace

// Windows as long as the dim that end, or begin, at each element. XLA knows them for what they are.
Lowered Cumulative::lower(Emitter& emitter, const Lowered& operands) const {
  const Type& result = emitter.result_types()[0];
  const Shape& shape = result.shape();
  if (shape[dim] == 0) return operands;  // a window has one element at least
  auto rank = static_cast<std::size_t>(shape.rank());
  std::vector<std::int64_t> window(rank, 1), padding(2 * rank, 0);
  auto along = static_cast<std::size_t>(dim.index);
  window[along] = shape[dim];
  padding[2 * along + (order == Order::forward ? 0 : 1)] = shape[dim] - 1;
  const stablehlo::Attributes windows{{"window_dimensions", stablehlo::integers(window)},
                                      {"padding", stablehlo::dense_i64({shape.rank(), 2}, padding)}};
  if (kind == CumulativeKind::logsumexp) return {emit_log_sum_exps(emitter, operands[0], result, windows)};
  return {
      emitter.emit_with_reducer("stablehlo.reduce_window", reduction_of(kind), operands, result, windows)};
}

std::vector<Example> Cumulative::examples() {
  const Axes& axes = example_mesh().axes();
  Type row(DType::f64, {7}), matrix(DType::f64, {3, 5});
  using enum CumulativeKind;
  std::vector<Example> examples{
      {Cumulative{sum, Dim{0}}, {row}},
      {Cumulative{sum, Dim{0}, Order::backward}, {row.with(axes[0], varying)}},
      {Cumulative{sum, Dim{0}}, {matrix.with(axes[1], unreduced).with(axes[2], reduced)}},
      {Cumulative{sum, Dim{1}, Order::backward}, {matrix.with(axes[1], unreduced)}},
      {Cumulative{sum, Dim{1}}, {Type(DType::f32, {2, 4, 3}).with(axes[2], varying)}},
      {Cumulative{sum, Dim{0}}, {Type(DType::i32, {5})}},
      {Cumulative{sum, Dim{0}}, {Type(DType::f32, {0})}},
      {Cumulative{sum, Dim{1}}, {Type(DType::i64, {0, 3}).with(axes[0], varying)}},
  };
  for (CumulativeKind kind : {prod, max, min, logsumexp}) {
    examples.push_back({Cumulative{kind, Dim{0}}, {row}});
    examples.push_back({Cumulative{kind, Dim{0}, Order::backward}, {row.with(axes[0], varying)}});
    examples.push_back({Cumulative{kind, Dim{1}}, {Type(DType::f32, {2, 4, 3}).with(axes[2], reduced)}});
    examples.push_back({Cumulative{kind, Dim{1}, Order::backward}, {matrix}});
    examples.push_back({Cumulative{kind, Dim{0}}, {Type(DType::f32, {0})}});
    examples.push_back({Cumulative{kind, Dim{0}}, {Type(DType::f64, {1}).with(axes[0], varying)}});
    if (kind != logsumexp) examples.push_back({Cumulative{kind, Dim{0}}, {Type(DType::i32, {5})}});
  }
  return examples;
}

namespace {

Array cumulative_of(CumulativeKind kind, const Operand& x, int dim, Order order) {
  const Cumulative named{kind, {}, order};
  return front_end(named.name(), x.where(), [&] {
    Array array = as_array(x);
    return apply_one(Cumulative{kind, as_dim(dim, array.type()), order}, {array});
  });
}

}  // namespace

Array cumsum(const Operand& x, int dim, Order order) {
  return cumulative_of(CumulativeKind::sum, x, dim, order);
}
Array cumprod(const Operand& x, int dim, Order order) {
  return cumulative_of(CumulativeKind::prod, x, dim, order);
}
Array cummax(const Operand& x, int dim, Order order) {
  return cumulative_of(CumulativeKind::max, x, dim, order);
}
Array cummin(const Operand& x, int dim, Order order) {
  return cumulative_of(CumulativeKind::min, x, dim, order);
}
Array cumlogsumexp(const Operand& x, int dim, Order order) {
  return cumulative_of(CumulativeKind::logsumexp, x, dim, order);
}

}  // namespace tutti
