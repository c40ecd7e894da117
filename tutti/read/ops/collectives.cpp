// SPDX-License-Identifier: Apache-2.0
// Operations between devices.
#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/all_to_all.hpp"
#include "tutti/ops/collectives/axis_index.hpp"
#include "tutti/ops/collectives/broadcast.hpp"
#include "tutti/ops/collectives/permute.hpp"
#include "tutti/ops/collectives/reduce_scatter.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/moves/ragged_all_to_all.hpp"
#include "tutti/read/maps/groups.hpp"
#include "tutti/read/operation_rows.hpp"
#include "tutti/read/patterns/scalar_region.hpp"

namespace tutti {
namespace {

Communication communication(const OpReader& op, const stablehlo::Attribute& groups) {
  const Reading& reading = op.reading();
  return communication_of(rows_of(reading.source(), groups, reading.mesh()), reading.mesh(), reading.bound());
}

Communication communication(const OpReader& op) {
  const stablehlo::Attribute* groups = op.attribute("replica_groups");
  require(groups != nullptr, Code::groups, "the attribute 'replica_groups' is missing");
  return communication(op, *groups);
}

/// A value that is equal on devices is also a value that may differ: a cast that costs nothing.
Array varying_along(const Array& x, const Axes& axes) {
  Axes equal;
  for (const Axis& axis : axes)
    if (!is_stored_per_device(x.type().at(axis))) equal.push_back(axis);
  return equal.empty() ? x : cast_to(x, equal, State::varying);
}

Array reduced_over(const Array& x, const Communication& over, ReduceKind kind) {
  const AllReduceOptions options{over.groups};
  switch (kind) {
    case ReduceKind::sum: return psum(x, over.axes, options);
    case ReduceKind::max:
    case ReduceKind::logical_or: return pmax(x, over.axes, options);
    case ReduceKind::min:
    case ReduceKind::logical_and: return pmin(x, over.axes, options);
    case ReduceKind::prod: break;
  }
  fail(Code::unsupported, "a product over devices is not run here; use the sum of logarithms");
}

bool is_known_over_devices(ReduceKind kind, bool of_bool) {
  if (kind == ReduceKind::logical_or || kind == ReduceKind::logical_and) return of_bool;
  return kind != ReduceKind::prod;
}

bool is_of_bool(const stablehlo::Operation& op) {
  const auto* type =
      op.operand_types.empty() ? nullptr : std::get_if<stablehlo::TensorType>(&op.operand_types[0]);
  return type && type->element == "i1";
}

std::optional<Refusal> refusal_of_reducer(const SourceModule&, const stablehlo::Operation& op) {
  const auto kind = op.regions.empty() ? std::nullopt : reducer_of(op.regions[0]);
  if (kind && is_known_over_devices(*kind, is_of_bool(op))) return {};
  return Refusal{"a reduction over devices by other than add, maximum, minimum", "gather, and reduce there"};
}

Arrays all_reduce_read(const OpReader& op) {
  const auto kind = reducer_of(op.op().regions.at(0));
  require(kind.has_value(), Code::unsupported, "the reducer is none of add, maximum, minimum");
  const Communication over = communication(op);
  Arrays results;
  for (const Array& x : op.operands())
    results.push_back(over.axes.empty() ? x : reduced_over(x, over, *kind));
  return results;
}

Arrays all_gather_read(const OpReader& op) {
  const Communication over = communication(op);
  const int dim = op.dim("all_gather_dim");
  // The text does not say whether the result differs between devices. One that does not may be used as one
  // that does.
  const State to = over.groups.empty() ? State::invariant : State::varying;
  Arrays results;
  for (const Array& x : op.operands())
    results.push_back(over.axes.empty()
                          ? x
                          : all_gather(varying_along(x, over.axes), over.axes, {dim, true, to, over.groups}));
  return results;
}

Arrays reduce_scatter_read(const OpReader& op) {
  const auto kind = reducer_of(op.op().regions.at(0));
  require(kind == ReduceKind::sum, Code::unsupported, "a reduce_scatter by other than add is not run here");
  const Communication over = communication(op);
  if (over.axes.empty()) return {op.operand(0)};
  const int dim = op.dim("scatter_dimension");
  return {psum_scatter(varying_along(op.operand(0), over.axes), over.axes, {dim, true, over.groups})};
}

std::optional<Refusal> refusal_of_reduce_scatter(const SourceModule&, const stablehlo::Operation& op) {
  if (!op.regions.empty() && reducer_of(op.regions[0]) == ReduceKind::sum) return {};
  return Refusal{"a reduction by other than add", "reduce over all devices, and slice"};
}

Arrays all_to_all_read(const OpReader& op) {
  const Communication over = communication(op);
  const int split = op.dim("split_dimension"), concat = op.dim("concat_dimension");
  Arrays results;
  for (const Array& x : op.operands())
    results.push_back(over.axes.empty() ? x
                                        : all_to_all(varying_along(x, over.axes), over.axes,
                                                     {split, concat, true, over.groups}));
  return results;
}

Arrays permute_read(const OpReader& op) {
  const std::vector<std::int64_t> numbers = op.integers("source_target_pairs");
  require(numbers.size() % 2 == 0, Code::groups, "source_target_pairs has {}; a pair has two",
          counted(std::ssize(numbers), "number"));
  Pairs devices;
  const Mesh& mesh = op.reading().mesh();
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) {
    for (const std::int64_t device : {numbers[i], numbers[i + 1]})
      if (device < 0 || device >= mesh.devices())
        fail(Code::groups, "a pair has device {}; the mesh {} has devices 0 to {}", device, to_string(mesh),
             mesh.devices() - 1);
    devices.emplace_back(static_cast<int>(numbers[i]), static_cast<int>(numbers[i + 1]));
  }
  const Permutation permutation = permutation_of(devices, mesh, op.reading().bound());
  const Array& x = op.operand(0);
  if (permutation.axes.empty())
    return {permutation.pairs.empty() && mesh.devices() > 1
                ? broadcast_in_dim(convert(constant(0), x.dtype()), x.shape(), {})
                : x};
  return {ppermute(varying_along(x, permutation.axes), permutation.axes, permutation.pairs)};
}

/// A row begins with the device that the others hear from. All rows must have it at one position.
Arrays broadcast_read(const OpReader& op) {
  const Reading& reading = op.reading();
  const Mesh& mesh = reading.mesh();
  const stablehlo::Attribute* groups = op.attribute("replica_groups");
  require(groups != nullptr, Code::groups, "the attribute 'replica_groups' is missing");
  const Groups rows = rows_of(reading.source(), *groups, mesh);
  Groups ascending = rows;
  for (std::vector<int>& row : ascending) std::ranges::sort(row);
  const Communication over = communication_of(ascending, mesh, reading.bound());
  if (over.axes.empty()) return {op.operand(0)};
  require(over.groups.empty(), Code::unsupported, "the groups of this broadcast are no axes of the mesh {}",
          mesh);
  const int root = mesh.position(rows[0][0], over.axes);
  for (const std::vector<int>& row : rows)
    require(mesh.position(row[0], over.axes) == root, Code::unsupported,
            "the groups of this broadcast begin with devices at different positions along {}", over.axes);
  Arrays results;
  for (const Array& x : op.operands())
    results.push_back(pbroadcast(varying_along(x, over.axes), over.axes, {root}));
  return results;
}

std::int64_t count_of_module(const OpReader& op, std::string_view name) {
  const auto* count = find_as<stablehlo::Integer>(op.reading().source().module().attributes, name);
  return count ? count->value : 1;
}

/// The number of the device; 0 along axes that no map has made manual.
Arrays device_number(const OpReader& op) {
  const Mesh& mesh = op.reading().mesh();
  Array number = constant(0);
  for (const Axis& axis : mesh.axes())
    if (axis.size > 1 && contains(op.reading().bound(), axis))
      number = number + axis_index(Axes{axis}) * constant(mesh.stride(axis));
  op.reading().value(op.op().results[0]).digits = DeviceDigits{1, mesh.devices()};
  return {convert(number, op.dtype())};
}

/// Devices are partitions, or replicas: a module of several replicas has one partition each.
bool has_replicas(const OpReader& op) {
  const bool several = count_of_module(op, "mhlo.num_replicas") > 1;
  require(!several || count_of_module(op, "mhlo.num_partitions") == 1, Code::unsupported,
          "a module of several replicas with several partitions each");
  return several;
}

Arrays partition_id_read(const OpReader& op) {
  return has_replicas(op) ? Arrays{convert(constant(0), op.dtype())} : device_number(op);
}

Arrays replica_id_read(const OpReader& op) {
  return has_replicas(op) ? device_number(op) : Arrays{convert(constant(0), op.dtype())};
}

using namespace forms;
constexpr OperationRow rows[] = {
    {"stablehlo.all_gather", some, all_gather_read},
    {"stablehlo.all_reduce", {1, -1, 1, pair}, all_reduce_read, refusal_of_reducer},
    {"stablehlo.all_to_all", some, all_to_all_read},
    {"stablehlo.collective_broadcast", one, broadcast_read},
    {"stablehlo.collective_permute", one, permute_read},
    {"stablehlo.partition_id", none, partition_id_read},
    {"stablehlo.replica_id", none, replica_id_read},
    {"stablehlo.reduce_scatter", {1, 1, 1, pair}, reduce_scatter_read, refusal_of_reduce_scatter},
};

}  // namespace

OperationRows collective_rows() { return rows; }

/// stablehlo.custom_call @ragged_all_to_all(operand, output, input_offsets, send_sizes, output_offsets,
/// recv_sizes)
Arrays ragged_all_to_all_read(const OpReader& op) {
  const auto* entries = find_as<stablehlo::Dictionary>(op.op().attributes, "backend_config");
  const stablehlo::Attribute* groups = entries ? find(entries->entries, "replica_groups") : nullptr;
  require(groups && op.operands().size() == 6, Code::groups,
          "ragged_all_to_all takes six arrays, and replica_groups in its backend_config");
  const Communication over = communication(op, *groups);
  const auto operand = [&](std::size_t i) { return varying_along(op.operand(i), over.axes); };
  return {ragged_all_to_all(operand(0), operand(1), {operand(2), operand(3), operand(4), operand(5)},
                            over.axes, {over.groups})};
}

}  // namespace tutti
