// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/spec/collective_spec.hpp"
#include "tutti/base/inside.hpp"

#include <array>

#include <fmt/format.h>

#include "tutti/base/require.hpp"
#include "tutti/control/wrapped/composite.hpp"
#include "tutti/control/wrapped/start.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/all_to_all.hpp"
#include "tutti/ops/collectives/permute.hpp"
#include "tutti/ops/collectives/reduce_scatter.hpp"

namespace tutti::kernels {
namespace {

// Writes out the groups on the whole mesh: `along_axes` once for each position along the other axes.
Groups groups_on(const Mesh& mesh, const Axes& axes, const Groups& along_axes) {
  const Groups groups = written_out(along_axes, axes);
  Axes others = mesh.axes();
  for (const Axis& axis : axes) others = without(others, axis);
  const auto n = static_cast<std::size_t>(joint_size(axes));
  std::vector<std::vector<int>> devices(static_cast<std::size_t>(joint_size(others)), std::vector<int>(n));
  for (int device = 0; device < mesh.devices(); ++device)
    devices[static_cast<std::size_t>(mesh.position(device, others))]
           [static_cast<std::size_t>(mesh.position(device, axes))] = device;
  Groups whole;
  for (const std::vector<int>& along : devices)
    for (const std::vector<int>& group : groups) {
      std::vector<int>& added = whole.emplace_back();
      for (int position : group) added.push_back(along[static_cast<std::size_t>(position)]);
    }
  return whole;
}

CollectiveSpec spec_on(const Mesh& mesh, const Op& op, Type x, const Groups& groups) {
  const Axes axes = op->communicates();
  for (const Axis& axis : axes)
    require(contains(mesh.axes(), axis), Code::axis_unbound,
            "{}: axis '{}' is none of the mesh {}; hand in the mesh of the program, and batch over vmap axes "
            "first",
            op->name(), axis.name, mesh);
  op->infer({x});
  CollectiveSpec spec{.dtype = x.dtype(), .shape = x.shape(), .world = group_size(groups, axes)};
  spec.groups = groups_on(mesh, axes, groups);
  return spec;
}

CollectiveSpec spec_of_gather(const AllGather& op, Type x, const Mesh& mesh) {
  CollectiveSpec spec = spec_on(mesh, op, x, op.groups);
  spec.kind = CollectiveKind::all_gather;
  spec.dim = op.dim;
  if (op.stacking == Stacking::new_dim) spec.shape = spec.shape.inserted(op.dim, 1);
  return spec;
}

CollectiveSpec spec_of_sum(const AllReduce& op, Type x, const Mesh& mesh) {
  CollectiveSpec spec = spec_on(mesh, op, x, op.groups);
  spec.kind = CollectiveKind::all_reduce;
  spec.reduction = op.kind;
  spec.variant = Variant::one_shot;
  return spec;
}

CollectiveSpec spec_of_scatter(const ReduceScatter& op, Type x, const Mesh& mesh) {
  CollectiveSpec spec = spec_on(mesh, op, x, op.groups);
  spec.kind = CollectiveKind::reduce_scatter;
  spec.reduction = ReduceKind::sum;
  spec.dim = op.dim;
  spec.shape = x.shape().with(op.dim, x.shape()[op.dim] / spec.world);
  return spec;
}

// If the op stacks blocks along a new dim that is not in the place of the split dim, the block gets a dim of
// size 1 there, as in StableHLO.
CollectiveSpec spec_of_exchange(const AllToAll& op, Type x, const Mesh& mesh) {
  CollectiveSpec spec = spec_on(mesh, op, x, op.groups);
  spec.kind = CollectiveKind::all_to_all;
  spec.shape = x.shape().with(op.split, x.shape()[op.split] / spec.world);
  Dim from = op.split, to = op.concat;
  if (op.stacking == Stacking::new_dim && from != to) {
    ++(from < to ? to : from).index;
    spec.shape = spec.shape.inserted(to, 1);
  }
  spec.dim = from;
  if (from != to) spec.concat = to;
  return spec;
}

CollectiveSpec spec_of_permute(const Permute& op, Type x, const Mesh& mesh) {
  CollectiveSpec spec = spec_on(mesh, op, x, {});
  spec.kind = CollectiveKind::ppermute;
  spec.pairs = op.pairs;
  return spec;
}

}  // namespace

std::span<const CollectiveKind> all_collectives() {
  static constexpr std::array all{CollectiveKind::all_gather, CollectiveKind::all_reduce,
                                  CollectiveKind::reduce_scatter, CollectiveKind::all_to_all,
                                  CollectiveKind::ppermute};
  return all;
}

std::span<const Variant> all_variants() {
  static constexpr std::array all{Variant::standard, Variant::swizzled, Variant::push,
                                  Variant::one_shot, Variant::two_shot, Variant::two_launches,
                                  Variant::packets};
  return all;
}

std::span<const Encoding> all_encodings() {
  static constexpr std::array all{Encoding::threads, Encoding::atomics, Encoding::poll};
  return all;
}

std::string_view name(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_gather: return "all_gather";
    case CollectiveKind::all_reduce: return "all_reduce";
    case CollectiveKind::reduce_scatter: return "reduce_scatter";
    case CollectiveKind::all_to_all: return "all_to_all";
    case CollectiveKind::ppermute: break;
  }
  return "ppermute";
}

std::string_view name(Variant variant) {
  switch (variant) {
    case Variant::standard: return "standard";
    case Variant::swizzled: return "swizzled";
    case Variant::push: return "push";
    case Variant::one_shot: return "one_shot";
    case Variant::two_shot: return "two_shot";
    case Variant::two_launches: return "two_launches";
    case Variant::packets: break;
  }
  return "packets";
}

std::string_view name(Target target) {
  switch (target) {
    case Target::nvidia: return "nvidia";
    case Target::amd: break;
  }
  return "amd";
}

std::string_view name(Encoding encoding) {
  switch (encoding) {
    case Encoding::threads: return "threads";
    case Encoding::atomics: return "atomics";
    case Encoding::poll: break;
  }
  return "poll";
}

std::string to_string(const CollectiveSpec& spec) {
  std::string text(name(spec.kind));
  if (spec.reduction) text += fmt::format(" {}", ops::name(*spec.reduction));
  text += fmt::format(" {}[{}]", tutti::name(spec.dtype), to_string(spec.shape));
  if (spec.kind != CollectiveKind::all_reduce && spec.kind != CollectiveKind::ppermute)
    text += fmt::format(", dim {}", spec.dim.index);
  if (spec.concat) text += fmt::format(" to {}", spec.concat->index);
  text += fmt::format(", world {}, groups {}", spec.world, shortened(ops::to_string(spec.groups)));
  if (!spec.pairs.empty()) text += fmt::format(", pairs {}", shortened(ops::to_string(spec.pairs)));
  return text + fmt::format(", {}", name(spec.variant));
}

std::optional<CollectiveSpec> spec_of(const Op& op, Type operand, const Mesh& mesh) {
  if (const auto* start = op.as<Start>()) return spec_of(start->op, operand, mesh);
  if (const auto* done = op.as<Done>()) {
    const AppliedOp* of = started(operand);
    require(of != nullptr && of->op == done->op, Code::future,
            "{} is not what the start of {} returned; hand in the operand of the Done", operand, done->op);
    return spec_of(of->op, of->operands[0], mesh);
  }
  if (const auto* gather = op.as<AllGather>()) return spec_of_gather(*gather, operand, mesh);
  if (const auto* sum = op.as<AllReduce>()) return spec_of_sum(*sum, operand, mesh);
  if (const auto* scatter = op.as<ReduceScatter>()) return spec_of_scatter(*scatter, operand, mesh);
  if (const auto* exchange = op.as<AllToAll>()) return spec_of_exchange(*exchange, operand, mesh);
  if (const auto* permute = op.as<Permute>()) return spec_of_permute(*permute, operand, mesh);
  return std::nullopt;
}

}  // namespace tutti::kernels
