// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/all_reduce.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/own_block.hpp"
#include "tutti/ops/collectives/positions.hpp"
#include "tutti/ops/collectives/traffic_of.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {
namespace {

bool same_size(const Groups& groups) {
  return std::ranges::all_of(groups, [&](const auto& group) { return group.size() == groups[0].size(); });
}

// How many devices there are in this device's group: of the sizes by position, its own.
Array own_group_size(const Groups& groups, const Axes& axes, DType dtype) {
  std::vector<std::int32_t> sizes;
  for (PlaceInGroup own : places_in(groups))
    sizes.push_back(static_cast<std::int32_t>(groups[static_cast<std::size_t>(own.group)].size()));
  Array by_position = constant(Tensor(Shape{joint_size(axes)}, sizes));
  return convert(own_block(by_position, axes, Dim{0}, Stacking::new_dim), dtype);
}

}  // namespace

Parameters AllReduce::parameters() const {
  Parameters parameters{{"kind", std::string(ops::name(kind))}, {"axes", to_string(axes)}};
  if (!groups.empty()) parameters.emplace_back("groups", to_string(groups));
  return parameters;
}

// I and R over an own axis are taken as varying: the sum of n equal values is n times the value.
std::vector<AxisStates> AllReduce::wants(const Types& operands) const {
  return {varying_over(operands[0], axes)};
}

Types AllReduce::infer(const Types& operands) const {
  const Type& x = operands[0];
  require_groups(groups, axes, GroupSizes::any);
  State to = groups.empty() ? State::invariant : State::varying;
  if (kind == ReduceKind::sum) {
    require_summable(x);
    if (!groups.empty()) require_states(x, axes, {State::varying}, only_sums_over_all);
    require_states(x, axes, {State::varying, State::unreduced},
                   "a sum takes varying values and unreduced terms");
    return {x.with(axes, to)};
  }
  require(kind != ReduceKind::prod, Code::dtype,
          "a product over devices, which all_reduce does not compute; gather the factors and multiply them: "
          "prod(all_gather(x, \"axis\"), 0)");
  bool is_of_bits = kind == ReduceKind::logical_and || kind == ReduceKind::logical_or;
  require(!is_of_bits || !is_inexact(x.dtype()), Code::dtype,
          "{} is {}, which has no bits to combine; compare it first: not_equal(x, 0)", x,
          is_float(x.dtype()) ? "float" : "complex");
  require_order(x);
  require_states(x, axes, {State::varying}, "a maximum or minimum takes values, not terms; psum it first");
  agreed_states(operands, Mixing::alike);  // refuses U over the other axes
  return {x.with(axes, to)};
}

Traffic AllReduce::traffic(const Types& operands) const { return sum_traffic(operands[0], axes, groups); }

Kernel AllReduce::kernel(const Layout& layout) const {
  if (groups.empty()) return kernel::Fold{kind, axes, {}};
  kernel::Shuffle shuffle{{}, kernel::identity_view(layout.operands()[0].shape()).digits, {}, {}, kind};
  const PeerFinder finder(layout, axes, groups);
  for (int device = 0; device < layout.devices(); ++device) {
    shuffle.pieces.push_back({finder.of(device).devices});
    std::ranges::sort(shuffle.pieces.back().devices);
  }
  return shuffle;
}

Jvp AllReduce::jvp(const Arrays& operands, const Tangents& tangents) const {
  if (kind == ReduceKind::sum) return linear_jvp(*this, operands, tangents);
  Array extreme = apply_one(*this, operands);
  if (!tangents[0]) return {{extreme}, {std::nullopt}};
  auto sum = [&](const Array& x) { return all_reduce(x, axes, ReduceKind::sum, groups); };
  Array hit = convert(equal(operands[0], extreme), extreme.dtype());
  return {{extreme}, {sum(hit * *tangents[0]) / sum(hit)}};
}

Tangents AllReduce::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  if (!groups.empty())
    return {all_reduce(*cotangents[0], axes, kind, groups)};  // V: the sum over the same group
  return {cast_to(*cotangents[0], dual(operands[0].type).states())};
}

std::string_view AllReduce::refusal(Rule rule) const {
  return rule == Rule::transpose && kind != ReduceKind::sum ? "a maximum or minimum is not linear" : "";
}

// The lanes of the batch are devices along that axis: fold them here, the other axes stay a collective.
BatchedArrays AllReduce::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  if (!contains(axes, axis)) return {{apply_one(*this, {operands[0].array}), operands[0].batched}};
  if (!groups.empty())
    return to_own_positions(fold_groups(of_all_positions(operands[0], axes, axis), kind, axes, groups), axes,
                            axis);
  Array folded = apply_one(Reduce{kind, {Dim{0}}}, {materialised(operands[0], axis)});
  Axes rest = without(axes, axis);
  if (rest.empty()) return {{folded, false}};
  return {{apply_one(AllReduce{kind, rest, {}, without(equal_axes, axis)}, {folded}), false}};
}

Lowered AllReduce::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit_with_reducer("stablehlo.all_reduce", kind, operands, emitter.result_types()[0],
                                    emitter.collective(axes, true, groups))};
}

std::vector<Example> AllReduce::examples() {
  std::vector<Example> examples;
  for (const Axes& axes : example_axis_tuples()) {
    if (joint_size(axes) == 4) {
      Type x = Type(DType::f32, {3, 2}).with(axes, State::varying);
      examples.push_back({AllReduce{ReduceKind::sum, axes, {{0, 2}, {3, 1}}}, {x}});
      examples.push_back({AllReduce{ReduceKind::max, axes, {{2, 1}, {3, 0}}}, {x.with(DType::f64)}});
    }
    if (!std::ranges::is_sorted(axes)) continue;
    for (State from : {State::varying, State::unreduced})
      examples.push_back({AllReduce{ReduceKind::sum, axes}, {Type(DType::f32, {3, 2}).with(axes, from)}});
    for (ReduceKind kind : {ReduceKind::max, ReduceKind::min})
      examples.push_back({AllReduce{kind, axes}, {Type(DType::f64, {2, 3}).with(axes, State::varying)}});
  }
  const Axis &a = example_mesh().axes()[0], &b = example_mesh().axes()[1];
  Type mixed = Type(DType::f64, {5}).with(a, State::varying).with(b, State::unreduced);
  examples.push_back({AllReduce{ReduceKind::sum, {a, b}}, {mixed}});
  for (ReduceKind kind : {ReduceKind::sum, ReduceKind::min})
    examples.push_back({AllReduce{kind, {b, a}, {{3}, {0, 1, 2}}}, {mixed.with({a, b}, State::varying)}});
  examples.push_back({AllReduce{ReduceKind::sum, {a}}, {Type(DType::i32, {4}).with(a, State::varying)}});
  examples.push_back({AllReduce{ReduceKind::max, {b}}, {Type(DType::boolean, {4}).with(b, State::varying)}});
  for (ReduceKind kind : {ReduceKind::logical_and, ReduceKind::logical_or}) {
    examples.push_back({AllReduce{kind, {a, b}}, {Type(DType::i32, {4}).with({a, b}, State::varying)}});
    examples.push_back({AllReduce{kind, {a}}, {Type(DType::boolean, {4}).with(a, State::varying)}});
  }
  for (DType dtype : more_dtypes()) {
    Type x = Type(dtype, {3, 2}).with({a, b}, State::varying);
    examples.push_back({AllReduce{ReduceKind::sum, {a, b}}, {x}});
    if (!is_complex(dtype)) examples.push_back({AllReduce{ReduceKind::min, {a, b}}, {x}});
  }
  return examples;
}

Array ops::all_reduce(const Array& x, Axes axes, ReduceKind kind, const Groups& groups) {
  if (groups.empty()) std::ranges::sort(axes);
  return apply_one(AllReduce{kind, std::move(axes), groups}, {x});
}

namespace {

// The array to sum. Refuses a plain number: its sum is the number times axis_size.
Array to_sum(const Operand& x, const Axes& axes, const Groups& groups) {
  if (x.array()) return *x.array();
  require(groups.empty(), Code::number,
          "a number is equal on all devices; its sum is the number times the size of the group, in C++");
  std::string names;
  for (const Axis& axis : axes) names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", axis.name);
  fail(Code::number, "a number is equal on all devices; its sum is the number times axis_size({}), in C++",
       axes.size() == 1 ? names : "{" + names + "}");
}

}  // namespace

Array psum(const Operand& x, const AxisNames& axes, const AllReduceOptions& options) {
  return front_end("psum", x.where(), [&] {
    Axes over = axes.resolve();
    Array terms = to_sum(x, over, options.groups);
    if (terms.dtype() == DType::boolean) terms = convert(terms, DType::i32);
    Axes equal = equal_along(terms.type(), over);
    if (options.groups.empty()) std::ranges::sort(over);
    return apply_one(AllReduce{ReduceKind::sum, over, options.groups, std::move(equal)}, {terms});
  });
}

Array pmean(const Operand& x, const AxisNames& axes, const AllReduceOptions& options) {
  return front_end("pmean", x.where(), [&] {
    Array terms = as_array(x);
    if (!is_inexact(terms.dtype())) terms = convert(terms, DType::f32);
    Axes over = axes.resolve();
    Array sum = all_reduce(terms, over, ReduceKind::sum, options.groups);
    if (same_size(options.groups)) return sum / group_size(options.groups, over);
    return sum / own_group_size(options.groups, over, sum.dtype());
  });
}

Array pmax(const Operand& x, const AxisNames& axes, const AllReduceOptions& options) {
  return front_end("pmax", x.where(),
                   [&] { return all_reduce(as_array(x), axes.resolve(), ReduceKind::max, options.groups); });
}

Array pmin(const Operand& x, const AxisNames& axes, const AllReduceOptions& options) {
  return front_end("pmin", x.where(),
                   [&] { return all_reduce(as_array(x), axes.resolve(), ReduceKind::min, options.groups); });
}

}  // namespace tutti
