// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/arg_reduce.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/dynamic_slice.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/lines_along_dim.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {
namespace {

Array arg_reduce(Extreme extreme, const Operand& x, int dim, DType index_dtype) {
  return front_end(ArgReduce{extreme, {}}.name(), x.where(), [&] {
    Array array = as_array(x);
    return apply_one(ArgReduce{extreme, as_dim(dim, array.type()), index_dtype}, {array});
  });
}

stablehlo::Value compared(Emitter& emitter, std::string direction, stablehlo::Value a, stablehlo::Value b,
                          std::string type) {
  return emitter.emit("stablehlo.compare", {a, b}, Type(DType::boolean, {}),
                      {{"comparison_direction",
                        stablehlo::enumeration("comparison_direction", std::move(direction))},
                       {"compare_type", stablehlo::enumeration("comparison_type", std::move(type))}});
}

// Keeps one of two pairs (value, index): the NaN, else the better value, else the lower index.
class Pick {
 public:
  Pick(Emitter& emitter, Extreme extreme, Type value, Type index)
      : emitter_(emitter), extreme_(extreme), value_(value), index_(index) {}

  Lowered operator()(const Lowered& pairs) const {
    stablehlo::Value a = pairs[0], at_a = pairs[1], b = pairs[2], at_b = pairs[3];
    stablehlo::Value better = compare(extreme_ == Extreme::largest ? "GT" : "LT", a, b),
                     tied = compare("EQ", a, b);
    if (is_float(value_.dtype())) {
      stablehlo::Value a_is_nan = compare("NE", a, a), b_is_nan = compare("NE", b, b);
      better = both(either(better, a_is_nan), not_(b_is_nan));
      tied = either(tied, both(a_is_nan, b_is_nan));
    }
    stablehlo::Value first = compared(emitter_, "LT", at_a, at_b, "SIGNED");
    stablehlo::Value keep = either(better, both(tied, first));
    return {emitter_.emit("stablehlo.select", {keep, a, b}, value_),
            emitter_.emit("stablehlo.select", {keep, at_a, at_b}, index_)};
  }

 private:
  stablehlo::Value compare(std::string direction, stablehlo::Value a, stablehlo::Value b) const {
    return compared(emitter_, std::move(direction), a, b, order_of(value_.dtype()));
  }
  stablehlo::Value bits(std::string_view op, const Lowered& operands) const {
    return emitter_.emit(op, operands, Type(DType::boolean, {}));
  }
  stablehlo::Value both(stablehlo::Value a, stablehlo::Value b) const {
    return bits("stablehlo.and", {a, b});
  }
  stablehlo::Value either(stablehlo::Value a, stablehlo::Value b) const {
    return bits("stablehlo.or", {a, b});
  }
  stablehlo::Value not_(stablehlo::Value a) const { return bits("stablehlo.not", {a}); }

  Emitter& emitter_;
  Extreme extreme_;
  Type value_, index_;
};

}  // namespace

std::string_view ArgReduce::name() const {
  switch (extreme) {
    case Extreme::largest: return "argmax";
    case Extreme::smallest: return "argmin";
  }
  return {};
}

About ArgReduce::about() const {
  switch (extreme) {
    case Extreme::largest:
      return {"Where the largest element along a dim stands: the first NaN, else the first of equal ones.",
              "argmax"};
    case Extreme::smallest:
      return {"Where the smallest element along a dim stands: the first NaN, else the first of equal ones.",
              "argmin"};
  }
  return {};
}

Parameters ArgReduce::parameters() const {
  return {{"dim", std::to_string(dim.index)}, {"index_dtype", std::string(tutti::name(index_dtype))}};
}

Types ArgReduce::infer(const Types& operands) const {
  const Type& x = operands[0];
  require_in_range({dim}, x, "argmax_c1");
  require(x.shape()[dim] > 0, Code::shape, "dim {} of {} has no elements, so none is the {} (argmax_c2)",
          dim.index, x, extreme == Extreme::largest ? "largest" : "smallest");
  require_order(x);
  require(index_dtype == DType::i32 || index_dtype == DType::i64, Code::dtype,
          "indices of {}; they are i32 or i64 (argmax_c3)", tutti::name(index_dtype));
  require(
      index_dtype == DType::i64 || x.shape()[dim] <= most_numbered_by_i32, Code::dtype,
      "dim {} of {} has more than 2^31 elements, beyond the indices of i32 (argmax_c4); ask for i64: {}(x, "
      "dim, DType::i64)",
      dim.index, x, name());
  return {Type(index_dtype, x.shape().erased(dim), agreed_states(operands, mixing()))};
}

Kernel ArgReduce::kernel(const Layout& layout) const {
  Type x = layout.operands()[0];
  const AlongDim shape = along_dim(x.shape(), dim);
  const LinesAlongDim lines(shape, 1);
  const double per_element = shape.inner == 1 ? 0.35 : 1.5;
  return kernel::Opaque{.nanoseconds = 20 + per_element * static_cast<double>(x.elements()),
                        .run =
                            [op = *this, lines, dtype = x.dtype()](const kernel::Unit& unit) {
                              const LinesAlongDim::Part part = lines.part(unit.lines);
                              index_of_extreme(element_at(unit.results[0], part.result, op.index_dtype),
                                               element_at(unit.operands[0], part.operand, dtype), part.shape,
                                               dtype, op.extreme, op.index_dtype);
                            },
                        .shared = lines.shared()};
}

namespace {

constexpr std::int64_t piece = 1 << 13, long_line = 1 << 17;  // elements

Array in_pieces_of(const ArgReduce& op, const Array& x) {
  const Array line = reshape(x, {x.type().elements()});
  const std::int64_t n = line.dim(0), whole = n / piece * piece;
  auto extremes = [&](const Array& rows) {
    return op.extreme == Extreme::largest ? reduce_max(rows, {1}) : reduce_min(rows, {1});
  };
  auto rows = [&](std::int64_t begin, std::int64_t end, std::int64_t size) {
    return extremes(reshape(slice_in_dim(line, begin, end), {(end - begin) / size, size}));
  };
  Arrays best{rows(0, whole, piece)};
  if (whole < n) best.push_back(rows(whole, n, n - whole));
  const Op along_line = ArgReduce{op.extreme, Dim{0}, op.index_dtype};
  const Array which = apply_one(along_line, {concatenate(best)});
  // The last piece is shorter. What the window has of the one before it is not as good.
  const Array begin = minimum(which * piece, n - piece);
  const Array window = dynamic_slice(line, {begin}, {piece});
  return reshape(begin + apply_one(along_line, {window}), x.shape().erased(op.dim));
}

}  // namespace

SubProgram ArgReduce::in_pieces(const Types& operands) const {
  const Type& x = operands[0];
  const bool one_long_line = x.shape()[dim] == x.elements() && x.elements() >= long_line;
  if (!one_long_line || x.dtype() == DType::boolean) return nullptr;
  auto body = [&](const Arrays& given) { return Arrays{in_pieces_of(*this, given[0])}; };
  return shared(trace(operands, body).program);
}

Jvp ArgReduce::jvp(const Arrays& operands, const Tangents&) const { return constant_jvp(*this, operands); }

BatchedArrays ArgReduce::batch(const Axis&, const BatchedArrays& operands, const Types&) const {
  const auto& [x, batched] = operands[0];
  ArgReduce op = *this;
  if (batched) ++op.dim.index;
  return {{apply_one(op, {x}), batched}};
}

// A reduction of the pairs (x, its index). All start at index 0, which no pair loses to that ties with it.
Lowered ArgReduce::lower(Emitter& emitter, const Lowered& operands) const {
  Type x = emitter.operand_types()[0], result = emitter.result_types()[0];
  Type value = x.with(Shape{}), index = result.with(Shape{});
  Tensor worst(Shape{}, x.dtype());
  write_neutral_element(extreme == Extreme::largest ? ReduceKind::max : ReduceKind::min, x.dtype(),
                        worst.mutable_bytes());
  stablehlo::Value counted = emitter.emit("stablehlo.iota", {}, result.with(x.shape()),
                                          {{"iota_dimension", stablehlo::integer(dim.index)}});
  Lowered pairs =
      emitter.emit_with_regions("stablehlo.reduce",
                                {operands[0], counted, emitter.constant(worst),
                                 emitter.constant(Tensor(Shape{}, index_dtype))},
                                {result.with(x.dtype()), result},
                                {{{value, index, value, index}, Pick(emitter, extreme, value, index)}},
                                {{"dimensions", stablehlo::integers({dim.index})}});
  return {pairs[1]};
}

std::vector<Example> ArgReduce::examples() {
  const Axes& axes = example_mesh().axes();
  std::vector<Example> examples;
  for (Extreme extreme : {Extreme::largest, Extreme::smallest}) {
    auto add = [&](int dim, Type x, DType index_dtype = DType::i32) {
      examples.push_back({ArgReduce{extreme, Dim{dim}, index_dtype}, {x}});
    };
    add(0, Type(DType::f64, {7}));
    add(1, Type(DType::f32, {3, 5}).with(axes[0], varying), DType::i64);
    add(1, Type(DType::f32, {2, 4, 3}).with(axes[1], reduced).with(axes[2], varying));
    add(0, Type(DType::i32, {9, 2}).with(axes[0], varying));  // with ties
    add(0, Type(DType::boolean, {6}));
    for (DType dtype : more_dtypes())
      if (!is_complex(dtype)) add(1, Type(dtype, {3, 5}));
    add(1, Type(DType::i64, {0, 2}));
    add(0, Type(DType::f64, {1}));
  }
  return examples;
}

Array argmax(const Operand& x, int dim, DType index_dtype) {
  return arg_reduce(Extreme::largest, x, dim, index_dtype);
}
Array argmin(const Operand& x, int dim, DType index_dtype) {
  return arg_reduce(Extreme::smallest, x, dim, index_dtype);
}

}  // namespace tutti
