// SPDX-License-Identifier: Apache-2.0
// A scan as a while: the number of the iteration, the operands and the stacked results go from iteration to
// iteration.
#include "tutti/control/flow/scan.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ir/program.hpp"

namespace tutti {
namespace {

const Type counter(DType::i32, {});

class Loop {
 public:
  Loop(const Scan& scan, Emitter& emitter) : scan_(scan), emitter_(emitter) {}

  Lowered lower(const Lowered& operands) {
    auto ys = scan_.body->outputs.size() - static_cast<std::size_t>(scan_.carries);
    Types types{counter};
    Lowered start{number(0)};
    for (std::size_t i = 0; i < operands.size(); ++i) {
      types.push_back(emitter_.operand_types()[i]);
      start.push_back(operands[i]);
    }
    const Types results = emitter_.result_types();
    for (std::size_t i = results.size() - ys; i < results.size(); ++i) {
      types.push_back(results[i]);
      start.push_back(emitter_.emit("stablehlo.broadcast_in_dim",
                                    {emitter_.constant(Tensor({}, results[i].dtype()))}, results[i],
                                    {{"broadcast_dimensions", stablehlo::integers({})}}));
    }
    auto goes_on = [&](const Lowered& v) -> Lowered { return {less(v[0], number(scan_.length))}; };
    auto iteration = [&](const Lowered& v) { return one_iteration(v, types); };
    // Zero iterations: the result is the initial carries, and xs has no slice.
    Lowered end = scan_.length == 0 ? start
                                    : emitter_.emit_with_regions("stablehlo.while", start, types,
                                                                 {{types, goes_on}, {types, iteration}});
    Lowered found(end.begin() + 1 + scan_.consts, end.begin() + 1 + scan_.consts + scan_.carries);
    found.insert(found.end(), end.end() - static_cast<std::ptrdiff_t>(ys), end.end());
    return found;
  }

 private:
  Lowered one_iteration(const Lowered& v, const Types& types) {
    std::size_t inputs = scan_.body->inputs.size();
    auto before_xs = static_cast<std::size_t>(scan_.consts) + static_cast<std::size_t>(scan_.carries);
    stablehlo::Value at = v[0];
    if (scan_.reverse) at = emitter_.emit("stablehlo.subtract", {number(scan_.length - 1), v[0]}, counter);
    Lowered given(v.begin() + 1, v.begin() + 1 + static_cast<std::ptrdiff_t>(before_xs));
    for (std::size_t i = before_xs; i < inputs; ++i) given.push_back(slice(v[1 + i], types[1 + i], at));
    Lowered found = emitter_.lower_iteration(*scan_.body, v[0], given);
    Lowered next = v;
    next[0] = emitter_.emit("stablehlo.add", {v[0], number(1)}, counter);
    for (std::size_t i = 0; i < found.size(); ++i) {
      auto carries = static_cast<std::size_t>(scan_.carries), consts = static_cast<std::size_t>(scan_.consts);
      if (i < carries) next[1 + consts + i] = found[i];
      else {
        std::size_t y = 1 + inputs + i - carries;
        next[y] = updated(v[y], types[y], found[i], at);
      }
    }
    return next;
  }

  stablehlo::Value number(std::int64_t value) {
    return emitter_.constant(Tensor::scalar(static_cast<std::int32_t>(value)));
  }

  stablehlo::Value less(stablehlo::Value a, stablehlo::Value b) {
    return emitter_.emit("stablehlo.compare", {a, b}, Type(DType::boolean, {}),
                         {{"comparison_direction", stablehlo::enumeration("comparison_direction", "LT")},
                          {"compare_type", stablehlo::enumeration("comparison_type", "SIGNED")}});
  }

  Lowered indices(stablehlo::Value at, int rank) {
    Lowered all{at};
    for (int i = 1; i < rank; ++i) all.push_back(number(0));
    return all;
  }

  stablehlo::Value slice(stablehlo::Value x, Type type, stablehlo::Value at) {
    Lowered operands{x};
    for (stablehlo::Value index : indices(at, type.rank())) operands.push_back(index);
    Type one = type.with(type.shape().with(Dim{0}, 1));
    stablehlo::Value row = emitter_.emit("stablehlo.dynamic_slice", operands, one,
                                         {{"slice_sizes", stablehlo::integers(one.shape().sizes())}});
    return emitter_.emit("stablehlo.reshape", {row}, type.erased(Dim{0}));
  }

  stablehlo::Value updated(stablehlo::Value stack, Type type, stablehlo::Value y, stablehlo::Value at) {
    Type one = type.with(type.shape().with(Dim{0}, 1));
    Lowered operands{stack, emitter_.emit("stablehlo.reshape", {y}, one)};
    for (stablehlo::Value index : indices(at, type.rank())) operands.push_back(index);
    return emitter_.emit("stablehlo.dynamic_update_slice", operands, type);
  }

  const Scan& scan_;
  Emitter& emitter_;
};

}  // namespace

Lowered Scan::lower(Emitter& emitter, const Lowered& operands) const {
  return Loop(*this, emitter).lower(operands);
}

}  // namespace tutti
