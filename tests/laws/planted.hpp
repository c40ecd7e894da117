// SPDX-License-Identifier: Apache-2.0
// Ops with one wrong rule: the laws must catch them.
#pragma once

#include <algorithm>

#include "tutti/base/error.hpp"
#include "tutti/control/flow/scan.hpp"
#include "tutti/control/flow/switch.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/axis_index.hpp"
#include "tutti/ops/collectives/mask.hpp"
#include "tutti/ops/collectives/own_block.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti::planted {

inline const Axis& axis_a() { return example_mesh().axes()[0]; }
inline const Axis& axis_b() { return example_mesh().axes()[1]; }

/// Its derivative is twice what it should be.
struct TanhOfDoubleSlope : Unary {
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const {
    Jvp right = Unary::jvp(operands, tangents);
    return {right.results, {2 * *right.tangents[0]}};
  }
  static std::vector<Example> examples() {
    return {{TanhOfDoubleSlope{{UnaryFn::tanh}}, {Type(DType::f64, {3}).with(axis_a(), varying)}}};
  }
  bool operator==(const TanhOfDoubleSlope&) const = default;
};

/// It forgets its first operand's part of the derivative.
struct ProductOfOneTangent : Binary {
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const {
    return Binary::jvp(operands, {std::nullopt, tangents[1]});
  }
  static std::vector<Example> examples() {
    Type x(DType::f64, {3});
    return {{ProductOfOneTangent{{BinaryFn::mul}}, {x, x}}};
  }
  bool operator==(const ProductOfOneTangent&) const = default;
};

/// Its transpose conjugates the other factor, as an inner product would.
struct ProductTransposedConjugated : Binary {
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const {
    if (operands[0].linear()) return {*cotangents[0] * conj(*operands[1].known), {}};
    return {{}, conj(*operands[0].known) * *cotangents[0]};
  }
  static std::vector<Example> examples() {
    Type z(DType::complex128, {3});
    return {{ProductTransposedConjugated{{BinaryFn::mul}}, {z, z}}};
  }
  bool operator==(const ProductTransposedConjugated&) const = default;
};

/// A gather of equal blocks for all, whose cotangent is summed as if each device had a term of it.
struct GatherTransposedToSum : AllGather {
  Tangents transpose(const LinearOperands&, const Tangents& cotangents) const {
    return {own_block(all_reduce(*cotangents[0], axes), axes, dim, stacking)};
  }
  static std::vector<Example> examples() {
    Type x = Type(DType::f64, {3}).with(axis_a(), varying);
    return {{GatherTransposedToSum{{{axis_a()}, Dim{0}}}, {x}}};
  }
  bool operator==(const GatherTransposedToSum&) const = default;
};

/// The values of its cotangent are right, but not their states.
struct GatherTransposedToEqual : AllGather {
  Tangents transpose(const LinearOperands&, const Tangents& cotangents) const {
    return {reduce_sum(*cotangents[0], 0)};
  }
  static std::vector<Example> examples() {
    Type x = Type(DType::f64, {3}).with(axis_a(), varying);
    return {{GatherTransposedToEqual{{{axis_a()}, Dim{0}}}, {x}}};
  }
  bool operator==(const GatherTransposedToEqual&) const = default;
};

/// Each device takes its neighbour's block.
struct BlockOfNeighbour : OwnBlock {
  Kernel kernel(const Layout& layout) const {
    kernel::View view = std::get<kernel::View>(OwnBlock::kernel(layout));
    for (kernel::Digit& digit : view.digits)
      if (digit.to.of == kernel::Coordinate::Source::axis && digit.to.axis == axis_a())
        digit.to.axis = axis_b();
      else if (digit.to.of == kernel::Coordinate::Source::axis) digit.to.axis = axis_a();
    return view;
  }
  static std::vector<Example> examples() {
    return {{BlockOfNeighbour{{{axis_a(), axis_b()}, Dim{0}, Stacking::tiled}}, {Type(DType::f64, {8})}}};
  }
  bool operator==(const BlockOfNeighbour&) const = default;
};

/// Batched, it folds the dim that its number names now: the wrong one.
struct ReduceWithoutShift : Reduce {
  BatchedArrays batch(const Axis&, const BatchedArrays& operands, const Types&) const {
    return {{reduce_sum(operands[0].array, dims), operands[0].batched}};
  }
  static std::vector<Example> examples() {
    return {
        {ReduceWithoutShift{{ReduceKind::sum, {Dim{0}}}}, {Type(DType::f64, {3}).with(axis_a(), varying)}}};
  }
  bool operator==(const ReduceWithoutShift&) const = default;
};

/// Batched over its own axis, its lanes count backwards.
struct IndexBackwards : AxisIndex {
  BatchedArrays batch(const Axis& axis, const BatchedArrays&, const Types&) const {
    return {{(axis.size - 1) - iota(Shape{axis.size}, DType::i32, 0), true}};
  }
  static std::vector<Example> examples() { return {{IndexBackwards{{{axis_a()}}}, {}}}; }
  bool operator==(const IndexBackwards&) const = default;
};

/// Over one of its own axes it forgets the lanes.
struct SumOfOneLane : AllReduce {
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const {
    if (!contains(axes, axis)) return AllReduce::batch(axis, operands, types);
    return {{take_lane(operands[0].array, 0), false}};
  }
  static std::vector<Example> examples() {
    Type x = Type(DType::f64, {3}).with(axis_a(), varying);
    return {{SumOfOneLane{{ReduceKind::sum, {axis_a()}}}, {x}}};
  }
  bool operator==(const SumOfOneLane&) const = default;
};

/// The maximum over pairs of devices, which infer takes for equal on all of them: hole H1 of JAX.
struct MaximumOfPairs : AllReduce {
  Kernel kernel(const Layout&) const { return kernel::Fold{ReduceKind::max, {axis_a()}, {}}; }
  static std::vector<Example> examples() {
    Type x = Type(DType::f64, {3}).with({axis_a(), axis_b()}, varying);
    return {{MaximumOfPairs{{ReduceKind::max, {axis_a(), axis_b()}}}, {x}}};
  }
  bool operator==(const MaximumOfPairs&) const = default;
};

/// It lowers to a value of another shape.
struct ReshapeLoweredToOperand : Reshape {
  Lowered lower(Emitter&, const Lowered& operands) const { return operands; }
  static std::vector<Example> examples() {
    return {{ReshapeLoweredToOperand{{{6}}}, {Type(DType::f32, {2, 3})}}};
  }
  bool operator==(const ReshapeLoweredToOperand&) const = default;
};

/// It refuses a rule that it says it has.
struct RefusedInSecret : Reshape {
  BatchedArrays batch(const Axis&, const BatchedArrays&, const Types&) const {
    throw Error(Code::refused_rule, {}, "batch is refused: not today");
  }
  static std::vector<Example> examples() { return {{RefusedInSecret{{{6}}}, {Type(DType::f32, {2, 3})}}}; }
  bool operator==(const RefusedInSecret&) const = default;
};

/// The transpose of a loop goes through the slices in the order of the loop.
struct ScanTransposedForwards : Scan {
  OpSplit split(const LinearOperands& operands) const {
    OpSplit right = Scan::split(operands);
    if (right.linear) right.linear = ScanTransposedForwards{*right.linear->as<Scan>()};
    return right;
  }
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const {
    Scan backwards = *this;
    backwards.reverse = !reverse;
    return backwards.transpose(operands, cotangents);
  }
  ScanTransposedForwards with_programs(const std::vector<SubProgram>& programs) const {
    return {Scan::with_programs(programs)};
  }
  static std::vector<Example> examples() {
    std::vector<Example> all = Scan::examples();
    for (Example& example : all) example.op = ScanTransposedForwards{*example.op.as<Scan>()};
    return all;
  }
  bool operator==(const ScanTransposedForwards& other) const { return Scan::operator==(other); }
};

/// Devices take the branch after theirs; lanes take their own.
struct SwitchToNextBranch : Switch {
  Kernel kernel(const Layout&) const {
    std::vector<SubProgram> turned = branches;
    std::ranges::rotate(turned, turned.begin() + 1);
    return kernel::Sub{kernel::Sub::Control::choose, turned};
  }
  SwitchToNextBranch with_programs(const std::vector<SubProgram>& programs) const {
    return {Switch::with_programs(programs)};
  }
  static std::vector<Example> examples() {
    std::vector<Example> all = Switch::examples();
    for (Example& example : all) example.op = SwitchToNextBranch{*example.op.as<Switch>()};
    return all;
  }
  bool operator==(const SwitchToNextBranch& other) const { return Switch::operator==(other); }
};

}  // namespace tutti::planted
