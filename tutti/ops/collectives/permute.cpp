// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/permute.hpp"

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/collectives/positions.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/stacking.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {
namespace {

Pairs reversed(Pairs pairs) {
  for (auto& [source, target] : pairs) std::swap(source, target);
  return pairs;
}

void require_each_once(const std::vector<int>& positions, const Pairs& pairs, const Axes& axes,
                       std::string_view role, std::string_view advice) {
  int n = joint_size(axes);
  std::vector<bool> seen(static_cast<std::size_t>(n));
  for (int position : positions) {  // the text of thousands of pairs is made where it is read
    if (position < 0 || position >= n)
      fail(Code::groups, "there is no device {} along {} ({}); it has {}", position, to_string(axes),
           shortened(to_string(pairs)), devices_of(n));
    auto index = static_cast<std::size_t>(position);
    if (seen[index])
      fail(Code::groups, "device {} is the {} of two pairs ({}); {}", position, role,
           shortened(to_string(pairs)), advice);
    seen[index] = true;
  }
}

void require_pairs(const Pairs& pairs, const Axes& axes) {
  std::vector<int> sources, targets;
  for (auto [source, target] : pairs) {
    sources.push_back(source);
    targets.push_back(target);
  }
  require_each_once(sources, pairs, axes, "source", "a device sends once: use pbroadcast, or permute twice");
  require_each_once(targets, pairs, axes, "target", "a device receives once: use psum, or permute twice");
}

// Through all positions.
Pairs cycle(int n) {
  Pairs pairs;
  for (int i = 0; i < n; ++i) pairs.emplace_back(i, (i + 1) % n);
  return pairs;
}

}  // namespace

std::vector<int> ops::sources_of(const Pairs& pairs, int n) {
  std::vector<int> sources(static_cast<std::size_t>(n), -1);
  for (auto [source, target] : pairs) sources[static_cast<std::size_t>(target)] = source;
  return sources;
}

Parameters Permute::parameters() const { return {{"axes", to_string(axes)}, {"pairs", to_string(pairs)}}; }

std::vector<AxisStates> Permute::wants(const Types& operands) const {
  return {varying_over(operands[0], axes)};
}

Types Permute::infer(const Types& operands) const {
  require_pairs(pairs, axes);
  require_states(operands[0], axes, {State::varying}, "a permutation moves values, not terms; psum it first");
  return operands;
}

Traffic Permute::traffic(const Types& operands) const {
  const bool moves = std::ranges::any_of(pairs, [](const auto& pair) { return pair.first != pair.second; });
  const auto bytes = moves ? static_cast<std::int64_t>(operands[0].bytes()) : 0;
  return {.sent = bytes, .received = bytes, .peers = pairs};
}

Kernel Permute::kernel(const Layout& layout) const {
  std::vector<int> sources = sources_of(pairs, joint_size(axes)), source;
  for (int device = 0; device < layout.devices(); ++device) {
    int from = sources[static_cast<std::size_t>(layout.position(axes, device))];
    source.push_back(from < 0 ? -1 : layout.peer(axes, device, from));
  }
  return kernel::shuffle_of(source, layout.operands()[0].shape());
}

Jvp Permute::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

Tangents Permute::transpose(const LinearOperands&, const Tangents& cotangents) const {
  return {apply_one(Permute{axes, reversed(pairs)}, {*cotangents[0]})};
}

BatchedArrays Permute::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  if (!contains(axes, axis)) return {{apply_one(*this, {operands[0].array}), operands[0].batched}};
  Array all = of_all_positions(operands[0], axes, axis);
  return to_own_positions(take_rows(all, sources_of(pairs, joint_size(axes))), axes, axis);
}

Lowered Permute::lower(Emitter& emitter, const Lowered& operands) const {
  Type type = emitter.result_types()[0];
  if (pairs.empty()) return {emitter.constant(Tensor(type.shape(), type.dtype()))};
  return {emitter.emit("stablehlo.collective_permute", operands, type, emitter.permutation(axes, pairs))};
}

std::vector<Example> Permute::examples() {
  std::vector<Example> examples;
  for (const Axes& axes : example_axis_tuples()) {
    int n = joint_size(axes);
    Type x = Type(DType::f32, {3, 2}).with(axes, State::varying);
    examples.push_back({Permute{axes, cycle(n)}, {x}});
    examples.push_back({Permute{axes, {{0, n - 1}}}, {x.with(DType::f64)}});
    if (n > 2) examples.push_back({Permute{axes, {{2, 0}, {n - 1, n - 1}, {0, 1}}}, {x}});
  }
  const Axis& a = example_mesh().axes()[0];
  examples.push_back({Permute{{a}, {}}, {Type(DType::f32, {2}).with(a, State::varying)}});
  examples.push_back({Permute{{a}, {{1, 0}}}, {Type(DType::i32, {}).with(a, State::varying)}});
  examples.push_back({Permute{{a}, cycle(2)}, {Type(DType::boolean, {3}).with(a, State::varying)}});
  return examples;
}

Array ppermute(const Operand& x, const AxisNames& axes, const Pairs& pairs) {
  return front_end("ppermute", x.where(),
                   [&] { return apply_one(Permute{axes.resolve(), pairs}, {as_array(x)}); });
}

Array pshuffle(const Operand& x, const AxisNames& axes, const std::vector<int>& sources) {
  return front_end("pshuffle", x.where(), [&] {
    Axes over = axes.resolve();
    require(static_cast<int>(sources.size()) == joint_size(over), Code::groups,
            "{} for the {} of {}; name one for each, or use ppermute", counted(std::ssize(sources), "source"),
            counted(joint_size(over), "device"), over);
    Pairs pairs;
    for (int source : sources) pairs.emplace_back(source, static_cast<int>(pairs.size()));
    return apply_one(Permute{over, pairs}, {as_array(x)});
  });
}

}  // namespace tutti
