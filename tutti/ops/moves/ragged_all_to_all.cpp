// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/moves/ragged_all_to_all.hpp"

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/never_destroyed.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_to_all.hpp"
#include "tutti/ops/collectives/positions.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/cumulative.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/indexing.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/stacking.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/ops/zero_tangent.hpp"

namespace tutti {
namespace {

const NeverDestroyed<AreIndices> known_indices({false, false, true});
const AreIndices& are_indices = *known_indices;
constexpr std::string_view device_word = "device";

/// all_to_all of [.., K, ..] along `dim`: each device gets what the others hold for it.
Array exchanged(const Array& x, const Axes& axes, Dim dim, const Groups& groups) {
  return apply_one(AllToAll{axes, dim, dim, Stacking::tiled, groups}, {x});
}

/// Slices [B, K, 4] as the receiver sees them: slice k is from device k / (K/N).
Array received(const Array& slices, const Axes& axes, const Groups& groups) {
  Array sent = slice_in_dim(slices, 0, 3, 1, 2);
  Array own = slice_in_dim(slices, 3, 4, 1, 2);
  return concatenate({exchanged(sent, axes, Dim{1}, groups), own}, 2);
}

/// The slices of the way back. What a device received it sends to where it came from.
Array sent_back(const Array& slices, const Axes& axes, const Groups& groups) {
  Array arrived = received(slices, axes, groups);
  return slices_of(column_of(arrived, SliceColumn::to), column_of(slices, SliceColumn::expected),
                   column_of(arrived, SliceColumn::from), column_of(slices, SliceColumn::size));
}

Array gathered_and_copied(const RaggedAllToAll& op, const Array& operand, const Array& output,
                          const Array& slices) {
  int n = group_size(op.groups, op.axes);
  State to = op.groups.empty() ? State::invariant : State::varying;
  Array operands = all_gather(operand, op.axes, Dim{1}, Stacking::new_dim, to, op.groups);
  Array arrived = received(slices, op.axes, op.groups);
  const Shape& shape = arrived.shape();
  Array table = reshape(arrived, Shape{shape[0], n, 1, n == 0 ? 0 : shape[1] / n, slice_columns});
  Array result = apply_one(RaggedCopy{op.landing, device_word, "block", op.axes, op.groups},
                           {operands, insert_dim(output, Dim{1}, 1), table});
  return reshape(result, output.shape());
}

/// Does not check the groups.
void require_divides(std::int64_t slices, const Axes& axes, const Groups& groups) {
  int n = group_size(groups, axes);
  require(n == 0 ? slices == 0 : slices % n == 0, Code::shape,
          "{} do not split over the {} of {}{}; give the same number for each device, and sizes of 0 where "
          "there is nothing to send",
          counted(slices, "slice"), counted(n, "device"), groups.empty() ? "" : "each group of ", axes);
}

// ---- batch over an own axis

/// The table of slices from every position to every position: [n, n, B, M, 4], target first. Positions of
/// other groups send nothing.
Array table_of_all(const Array& slices, const Axes& axes, const Groups& given) {
  // slices: [n, B, K, 4] of all positions
  Groups groups = written_out(given, axes);
  std::vector<PlaceInGroup> places = places_in(groups);
  auto n = static_cast<int>(places.size());
  auto members = static_cast<int>(groups[0].size());
  const Shape& shape = slices.shape();
  std::int64_t each = members == 0 ? 0 : shape[2] / members;
  Array by_peer = reshape(slices, Shape{n, shape[1], members, each, slice_columns});
  by_peer = reshape(move_dim(by_peer, Dim{2}, Dim{1}),
                    Shape{std::int64_t{n} * members, shape[1], each, slice_columns});
  std::vector<int> sent, own;
  for (int target = 0; target < n; ++target)
    for (int source = 0; source < n; ++source) {
      const PlaceInGroup &to = places[static_cast<std::size_t>(target)],
                         &from = places[static_cast<std::size_t>(source)];
      bool together = to.group == from.group;
      sent.push_back(together ? source * members + to.place : -1);
      own.push_back(together ? target * members + from.place : -1);
    }
  Array arrived = slice_in_dim(take_rows(by_peer, sent), 0, 3, 1, 3);
  Array wanted = slice_in_dim(take_rows(by_peer, own), 3, 4, 1, 3);
  return reshape(concatenate({arrived, wanted}, 3), Shape{n, n, shape[1], each, slice_columns});
}

/// Values of all positions, [n, B, ..] -> blocks of each lane, [B, n, ..].
Array as_blocks(const Array& positions) { return move_dim(positions, Dim{1}, Dim{0}); }

}  // namespace

Parameters RaggedAllToAll::parameters() const {
  Parameters parameters{{"axes", to_string(axes)}, {"landing", std::string(ops::name(landing))}};
  if (!groups.empty()) parameters.emplace_back("groups", to_string(groups));
  return parameters;
}

std::vector<AxisStates> RaggedAllToAll::wants(const Types& operands) const {
  Types alike;
  for (Type type : operands) alike.push_back(type.with(varying_over(type, axes)));
  return states_by_indices(alike, are_indices);
}

Types RaggedAllToAll::infer(const Types& operands) const {
  const Type &operand = operands[0], &output = operands[1], &slices = operands[2];
  require_groups(groups, axes, GroupSizes::equal);
  for (const Type& type : operands)
    require_states(type, axes, {State::varying}, "an exchange moves values, not terms; psum it first");
  require(operand.rank() >= 2 && output.rank() == operand.rank(), Code::shape,
          "the operand is {}, the output {}; both need rows", operand, output);
  require(operand.dtype() == output.dtype(), Code::dtype,
          "the operand is {}, the output {}; both must have one dtype: convert one of them", operand, output);
  if (landing == Landing::add) require_summable(operand);
  const Shape &in = operand.shape(), &out = output.shape();
  require(in[0] == out[0] && std::equal(in.begin() + 2, in.end(), out.begin() + 2), Code::shape,
          "the operand is {}, the output {}; they may differ in the number of rows only", operand, output);
  require_index(slices, "ragged_all_to_all_c1");
  const Shape& given = slices.shape();
  require(given.rank() == 3 && given[0] == in[0] && given[2] == slice_columns, Code::shape,
          "the slices are {}, for {} they must be [{},K,{}]", slices, operand, in[0], slice_columns);
  require_divides(given[1], axes, groups);
  return {output.with(agreed_states_by_indices(operands, are_indices))};
}

SubProgram RaggedAllToAll::by_gather(const Types& operands) const {
  auto body = [&](const Arrays& x) { return Arrays{gathered_and_copied(*this, x[0], x[1], x[2])}; };
  return shared(trace(operands, body).program);
}

// At most all rows of the output come from other devices, and as many go to each of them.
Traffic RaggedAllToAll::traffic(const Types& operands) const {
  const std::int64_t others = group_size(groups, axes) > 1 ? group_size(groups, axes) - 1 : 0;
  const auto most = [&](std::int64_t bytes) { return others > 0 ? bytes : 0; };
  return {.sent = others * static_cast<std::int64_t>(operands[0].bytes()),
          .received = most(static_cast<std::int64_t>(operands[1].bytes())),
          .peers = groups,
          .depends_on_values = true};
}

Kernel RaggedAllToAll::kernel(const Layout& layout) const {
  return kernel::Sub{kernel::Sub::Control::call, {by_gather(layout.operands())}};
}

Jvp RaggedAllToAll::jvp(const Arrays& operands, const Tangents& tangents) const {
  return jvp_by_indices(*this, operands, tangents, are_indices);
}

// Where slices replaced rows, the output's rows have no part in the result.
Tangents RaggedAllToAll::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  require_known_indices(operands, are_indices);
  const Array &ct = *cotangents[0], &slices = *operands[2].known;
  Array zeros = zero_tangent(ct.type().with(operands[0].type.shape()));
  Tangents result(3);
  if (operands[0].linear()) {
    Landing back = landing == Landing::replace ? Landing::add : Landing::replace;
    result[0] = apply_one(RaggedAllToAll{axes, back, groups}, {ct, zeros, sent_back(slices, axes, groups)});
  }
  if (operands[1].linear()) result[1] = landing == Landing::add ? ct : apply_one(*this, {zeros, ct, slices});
  return result;
}

// Lanes of another axis are lanes. Over an own axis every position's slices are known here, and only those
// for our own positions are copied.
BatchedArrays RaggedAllToAll::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  if (!contains(axes, axis)) return batch_as_lanes(*this, axis, operands);
  Array sources = as_blocks(of_all_positions(operands[0], axes, axis));
  Array table = table_of_all(of_all_positions(operands[2], axes, axis), axes, groups);
  Batched own = to_own_positions(table, axes, axis)[0];         // [own n, n, B, M, 4]
  Array slices = tutti::transpose(own.array, {2, 1, 0, 3, 4});  // [B, n, own n, M, 4]
  Array outputs = as_blocks(materialised(operands[1], axis));   // [B, own n, rows, ..]
  Array result = apply_one(RaggedCopy{landing, device_word, device_word}, {sources, outputs, slices});
  return {{as_blocks(result), true}};
}

namespace {

/// Slices of the devices along `axes`, `each` for every device of the group, of 0 to 2 rows. They overlap
/// where they may:
/// where they are taken from if they replace, else where they land. The others lie without gaps.
ExampleOperand example_slices(const Axes& axes, const Groups& given, int each, Landing landing) {
  Groups groups = written_out(given, axes);
  auto n = static_cast<int>(groups[0].size());
  int slices = n * each;
  auto size = [](int sender, int slice) { return (sender + slice) % 3; };
  // The rows of the slices before slice k of `sender` that also go to its receiver, or that it also sends.
  auto packed = [&](int sender, int k) {
    int rows = 0;
    if (landing == Landing::add)
      for (int i = 0; i < k; ++i) rows += size(sender, i);
    else
      for (int from = 0; from <= sender; ++from)
        for (int i = 0; i < (from < sender ? each : k % each); ++i) rows += size(from, k / each * each + i);
    return rows;
  };
  ExampleOperand::Given values{axes, {}};
  for (PlaceInGroup own : places_in(groups)) {
    std::vector<std::int32_t> rows;
    for (int k = 0; k < slices; ++k) {
      int free = k % 2;
      bool adds = landing == Landing::add;
      rows.push_back(adds ? packed(own.place, k) : free);
      rows.push_back(size(own.place, k));
      rows.push_back(adds ? free : packed(own.place, k));
      rows.push_back(size(k / each, own.place * each + k % each));
    }
    values.at_positions.emplace_back(Shape{1, slices, slice_columns}, rows);
  }
  return ExampleOperand(std::move(values));
}

}  // namespace

std::vector<Example> RaggedAllToAll::examples() {
  std::vector<Example> examples;
  auto add = [&](const Axes& axes, Landing landing, DType dtype, const Shape& row, int each,
                 const Groups& groups) {
    int n = group_size(groups, axes);
    bool adds = landing == Landing::add;
    const std::int64_t few = 3, many = 2L * n * each;  // rows
    auto rows = [&](std::int64_t count) {
      return Type(dtype, row.inserted(Dim{0}, count).inserted(Dim{0}, 1)).with(axes, State::varying);
    };
    examples.push_back(
        {RaggedAllToAll{axes, landing, groups},
         {rows(adds ? many : few), rows(adds ? few : many), example_slices(axes, groups, each, landing)}});
  };
  for (const Axes& axes : example_axis_tuples()) {
    add(axes, Landing::replace, DType::f64, {2}, 1, {});
    add(axes, Landing::add, DType::f32, {}, 1, {});
    if (joint_size(axes) != 4) continue;
    add(axes, Landing::replace, DType::f32, {2}, 1, {{0, 2}, {3, 1}});
    add(axes, Landing::add, DType::f64, {}, 2, {{0, 2}, {3, 1}});
  }
  const Axis& a = example_mesh().axes()[0];
  add({a}, Landing::replace, DType::i64, {3}, 2, {});
  add({a}, Landing::replace, DType::boolean, {}, 1, {{1, 0}});
  return examples;
}

// ---- front ends

namespace {

/// One of the four arrays, as [1, K].
Array checked(const Array& x, std::string_view what, const Array& like) {
  const Type type = x.type();
  require(type.dtype() == DType::i32 || type.dtype() == DType::i64, Code::dtype,
          "{} is {}, not of i32 or i64; convert it: {}", what, type, "convert(x, DType::i32)");
  require(type.dtype() == like.dtype(), Code::dtype,
          "{} is {}, input_offsets {}; all four must have one dtype: convert one of them", what, type,
          like.type());
  require(type.rank() == 1, Code::shape, "{} is {}; it must have one dim, with a number for each slice", what,
          type);
  require(type.shape()[0] > 0, Code::shape, "{} is {}; there must be a slice for each device at least", what,
          type);
  require(type.shape() == like.shape(), Code::shape,
          "{} is {}, input_offsets {}; they must have a number for each slice", what, type, like.type());
  return insert_dim(x, Dim{0}, 1);
}

}  // namespace

RaggedCall ops::ragged_call(const Array& rows, const Array& output, const RaggedSlices& slices,
                            const AxisNames& axes, const RaggedOptions& options) {
  require(rows.rank() >= 1 && output.rank() >= 1, Code::shape,
          "the operand is {}, the output {}; both need rows", rows.type(), output.type());
  require(rows.dtype() == output.dtype(), Code::dtype,
          "the operand is {}, the output {}; both must have one dtype: convert one of them", rows.type(),
          output.type());
  require(rows.shape().erased(Dim{0}) == output.shape().erased(Dim{0}), Code::shape,
          "the operand is {}, the output {}; they may differ in the number of rows only", rows.type(),
          output.type());
  Axes over = axes.resolve();
  const Array& first = slices.input_offsets;
  Array from = checked(first, "input_offsets", first);
  Array size = checked(slices.send_sizes, "send_sizes", first);
  Array to = checked(slices.output_offsets, "output_offsets", first);
  require_groups(options.groups, over, GroupSizes::equal);
  require_divides(first.shape()[0], over, options.groups);
  Array wanted = slices.recv_sizes
                     ? checked(*slices.recv_sizes, "recv_sizes", first)
                     : insert_dim(exchanged(slices.send_sizes, over, Dim{0}, options.groups), Dim{0}, 1);
  return {RaggedAllToAll{over, Landing::replace, options.groups},
          {insert_dim(rows, Dim{0}, 1), insert_dim(output, Dim{0}, 1), slices_of(from, size, to, wanted)}};
}

Array ragged_all_to_all(const Operand& operand, const Array& output, const RaggedSlices& slices,
                        const AxisNames& axes, const RaggedOptions& options) {
  return front_end(RaggedAllToAll::name, operand.where(), [&] {
    RaggedCall call = ragged_call(as_array(operand), output, slices, axes, options);
    return reshape(apply_one(call.op, call.operands), output.shape());
  });
}

Array ops::landed_slices(const RaggedCall& call) {
  Array arrived = received(call.operands[2], call.op.axes, call.op.groups);
  Array size = column_of(arrived, SliceColumn::size), to = column_of(arrived, SliceColumn::to);
  return insert_dim(insert_dim(slices_of(to, size, to, size), Dim{1}, 1), Dim{1}, 1);
}

Array ops::over_output(const RaggedCall& call, const Array& rows, const Array& landed) {
  const Array& output = call.operands[1];
  Array result =
      apply_one(RaggedCopy{}, {insert_dim(rows, Dim{1}, 1), insert_dim(output, Dim{1}, 1), landed});
  return reshape(result, output.shape().erased(Dim{0}));
}

// Device j's slices begin where those of the devices before it end, and its slice m after its slices before
// m. Each device computes that for what it receives, and tells the senders.
Array packed_offsets(const Array& send_sizes, const AxisNames& axes, const RaggedOptions& options) {
  return front_end("packed_offsets", axes.where(), [&] {
    Axes over = axes.resolve();
    checked(send_sizes, "send_sizes", send_sizes);
    require_groups(options.groups, over, GroupSizes::equal);
    require_divides(send_sizes.shape()[0], over, options.groups);
    Array sizes = exchanged(send_sizes, over, Dim{0}, options.groups);
    return exchanged(cumsum(sizes) - sizes, over, Dim{0}, options.groups);
  });
}

}  // namespace tutti
