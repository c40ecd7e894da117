// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/moves/ragged_copy.hpp"

#include <fmt/core.h>

#include <cstring>

#include "tutti/base/error.hpp"
#include "tutti/base/never_destroyed.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/indexing.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/plain/slices.hpp"

namespace tutti {
namespace {

const NeverDestroyed<AreIndices> known_indices({false, false, true});
const AreIndices& are_indices = *known_indices;

/// The sizes of a call, in the letters of the header.
struct Sizes {
  std::int64_t lanes, sources, targets, each;  // B, S, D, M
  std::int64_t source_rows, target_rows, row_elements;

  Sizes(const Shape& operand, const Shape& output, const Shape& slices)
      : lanes(operand[0]),
        sources(operand[1]),
        targets(output[1]),
        each(slices[3]),
        source_rows(operand[2]),
        target_rows(output[2]),
        row_elements(1) {
    for (int i = 3; i < operand.rank(); ++i) row_elements *= operand[i];
  }
  std::int64_t slices() const { return sources * targets * each; }  // of a lane
  std::int64_t source_elements() const { return sources * source_rows * row_elements; }
  std::int64_t target_elements() const { return targets * target_rows * row_elements; }
};

// ---- run

struct Run {
  Sizes sizes;
  Landing landing;
  DType dtype, index_dtype;
  std::string_view source, target;
  std::vector<std::string> receivers;     // of each unit: "i=1, j=0"; empty: all devices
  std::vector<std::vector<int>> senders;  // of each unit: the device of each source; none: its number

  void operator()(const kernel::Unit& unit) const {
    try {
      copy(unit);
    } catch (const Error& error) {
      throw error.at({}, "ragged_all_to_all");  // as users know it
    }
  }

  void copy(const kernel::Unit& unit) const {
    std::vector<std::vector<RowSlice>> of_lanes;
    for (std::int64_t lane = 0; lane < sizes.lanes; ++lane) {
      of_lanes.push_back(slices_of_lane(unit.operands[2], lane, unit));
      check(of_lanes.back(), lane, unit);
    }
    const bool widen = landing == Landing::add && is_half(dtype);
    if (widen) return add_in_f32(unit, of_lanes);
    for (std::int64_t lane = 0; lane < sizes.lanes; ++lane)
      move(of_lanes[static_cast<std::size_t>(lane)], lane, unit.operands[0], unit.operands[1],
           unit.results[0], dtype);
  }

  void move(const std::vector<RowSlice>& slices, std::int64_t lane, const std::byte* operand,
            const std::byte* output, std::byte* result, DType type) const {
    auto bytes = static_cast<std::int64_t>(bytes_per_element(type));
    std::int64_t to = lane * sizes.target_elements() * bytes;
    RowArrays rows{operand + lane * sizes.source_elements() * bytes,
                   result + to,
                   sizes.source_rows,
                   sizes.target_rows,
                   sizes.targets,
                   sizes.row_elements};
    if (landing == Landing::replace)
      replace_slices(rows, output + to, slices, static_cast<std::size_t>(bytes));
    else add_slices(rows, output + to, slices, type);
  }

  // Sums of f16 and bf16 are rounded once: all stand in scratch as f32 until they are complete.
  void add_in_f32(const kernel::Unit& unit, const std::vector<std::vector<RowSlice>>& of_lanes) const {
    std::int64_t sums = sizes.lanes * sizes.target_elements(), terms = sizes.lanes * sizes.source_elements();
    std::byte *wide_sums = unit.scratch, *wide_terms = unit.scratch + in_lines(sums * 4);
    convert_kernel(dtype, DType::f32)(wide_terms, &unit.operands[0], terms);
    convert_kernel(dtype, DType::f32)(wide_sums, &unit.operands[1], sums);
    for (std::int64_t lane = 0; lane < sizes.lanes; ++lane)
      move(of_lanes[static_cast<std::size_t>(lane)], lane, wide_terms, wide_sums, wide_sums, DType::f32);
    const std::byte* const complete[] = {wide_sums};
    convert_kernel(DType::f32, dtype)(unit.results[0], complete, sums);
  }

  std::size_t scratch_bytes() const {
    if (landing != Landing::add || !is_half(dtype)) return 0;
    return static_cast<std::size_t>(in_lines(sizes.lanes * sizes.target_elements() * 4) +
                                    sizes.lanes * sizes.source_elements() * 4);
  }
  static std::int64_t in_lines(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

  std::int64_t index_at(const std::byte* slices, std::int64_t i) const {
    if (index_dtype == DType::i64) {
      std::int64_t index = 0;
      std::memcpy(&index, slices + i * 8, sizeof index);
      return index;
    }
    std::int32_t index = 0;
    std::memcpy(&index, slices + i * 4, sizeof index);
    return index;
  }

  /// In the order of the operand: source, target, number.
  std::vector<RowSlice> slices_of_lane(const std::byte* at, std::int64_t lane,
                                       const kernel::Unit& unit) const {
    std::vector<RowSlice> slices;
    slices.reserve(static_cast<std::size_t>(sizes.slices()));
    for (std::int64_t i = 0; i < sizes.slices(); ++i) {
      std::int64_t first = (lane * sizes.slices() + i) * slice_columns;
      RowSlice slice{index_at(at, first), index_at(at, first + 1), index_at(at, first + 2)};
      slice.source = i / (sizes.targets * sizes.each);
      slice.target = i / sizes.each % sizes.targets;
      std::int64_t expected = index_at(at, first + 3);
      if (slice.size != expected)
        fail(Code::data, "{} has {}, recv_sizes says {}; they must be equal, or leave recv_sizes out",
             named(slices.size(), slice, lane, unit), rows_of(slice.size), expected);
      slices.push_back(slice);
    }
    return slices;
  }

  void check(const std::vector<RowSlice>& slices, std::int64_t lane, const kernel::Unit& unit) const {
    Disjoint side = landing == Landing::replace ? Disjoint::targets : Disjoint::sources;
    std::optional<WrongSlice> wrong = wrong_slice(slices, sizes.source_rows, sizes.target_rows, side);
    if (!wrong) return;
    const RowSlice& slice = slices[wrong->slice];
    std::string name = named(wrong->slice, slice, lane, unit);
    switch (wrong->fault) {
      case WrongSlice::Fault::size:
        fail(Code::data, "{} has {}; sizes are at least 0", name, rows_of(slice.size));
      case WrongSlice::Fault::from:
        fail(Code::data, "{} is {} from row {} on, the operand has {}; it must lie inside", name,
             rows_of(slice.size), slice.from, rows_of(sizes.source_rows));
      case WrongSlice::Fault::to:
        fail(Code::data, "{} lands as {} from row {} on, the output has {}; it must lie inside", name,
             rows_of(slice.size), slice.to, rows_of(sizes.target_rows));
      case WrongSlice::Fault::overlap: {
        const RowSlice& other = slices[wrong->other];
        bool lands = side == Disjoint::targets;
        fail(Code::data,
             "{} ({} from row {} on) and {} ({} from row {} on) overlap where they {}; packed_offsets gives "
             "offsets without gaps",
             name, rows_of(slice.size), lands ? slice.to : slice.from, named(wrong->other, other, lane, unit),
             rows_of(other.size), lands ? other.to : other.from, lands ? "land" : "are taken from");
      }
    }
  }

  static std::string rows_of(std::int64_t count) {
    return fmt::format("{} row{}", count, count == 1 ? "" : "s");
  }

  /// "slice 0 of device 2 for i=1".
  std::string named(std::size_t number, const RowSlice& slice, std::int64_t lane,
                    const kernel::Unit& unit) const {
    auto value = static_cast<std::size_t>(unit.number);
    const std::int64_t sender =
        value < senders.size() ? senders[value][static_cast<std::size_t>(slice.source)] : slice.source;
    std::string text =
        fmt::format("slice {} of {} {}", static_cast<std::int64_t>(number) % sizes.each, source, sender);
    if (sizes.targets > 1) text += fmt::format(" for {} {}", target, slice.target);
    if (sizes.lanes > 1) text += fmt::format(" in lane {}", lane);
    const bool is_of_some = value < receivers.size() && !receivers[value].empty();
    return is_of_some ? text + " for " + receivers[value] : text;
  }
};

/// For each distinct value of the result: the group of the device that holds it; empty without groups.
std::vector<std::vector<int>> senders_of(const Layout& layout, const Axes& axes, const Groups& groups) {
  std::vector<std::vector<int>> senders;
  if (groups.empty()) return senders;
  const std::vector<PlaceInGroup> places = places_in(groups);
  Type result = layout.results()[0];
  senders.resize(static_cast<std::size_t>(layout.shards(result)));
  for (int device = 0; device < layout.devices(); ++device) {
    const auto position = static_cast<std::size_t>(layout.position(axes, device));
    senders[static_cast<std::size_t>(layout.shard(result, device))] =
        groups[static_cast<std::size_t>(places[position].group)];
  }
  return senders;
}

// ---- shapes

void require_rank(Type x, int rank, std::string_view what, std::string_view dims) {
  require(x.rank() >= rank, Code::shape, "the {} is {}, it needs dims [{}]", what, x, dims);
}

/// Blocks on both sides change places.
Array turned(const Array& slices) {
  auto by_target = [&](SliceColumn column) { return transpose(column_of(slices, column), {0, 2, 1, 3}); };
  return slices_of(by_target(SliceColumn::to), by_target(SliceColumn::expected), by_target(SliceColumn::from),
                   by_target(SliceColumn::size));
}

}  // namespace

std::string_view ops::name(Landing landing) {
  switch (landing) {
    case Landing::replace: return "replace";
    case Landing::add: return "add";
  }
  return {};
}

std::vector<AxisStates> RaggedCopy::wants(const Types& operands) const {
  return states_by_indices(operands, are_indices);
}

Types RaggedCopy::infer(const Types& operands) const {
  const Type &operand = operands[0], &output = operands[1], &slices = operands[2];
  require_rank(operand, 3, "operand", "lanes, blocks, rows, ..");
  require_rank(output, 3, "output", "lanes, blocks, rows, ..");
  require(operand.dtype() == output.dtype(), Code::dtype,
          "the operand is {}, the output {}; both must have one dtype: convert one of them", operand, output);
  if (landing == Landing::add) require_summable(operand);
  require_index(slices, "ragged_copy_c1");
  const Shape &in = operand.shape(), &out = output.shape();
  require(in.rank() == out.rank() && std::equal(in.begin() + 3, in.end(), out.begin() + 3) && in[0] == out[0],
          Code::shape,
          "the operand is {}, the output {}; they must have the same lanes and rows of one shape", operand,
          output);
  const Shape& given = slices.shape();
  require(given.rank() == 5 && given[0] == in[0] && given[1] == in[1] && given[2] == out[1] &&
              given[4] == slice_columns,
          Code::shape, "the slices are {}, for {} and {} they must be [{},{},{},n,{}]", slices, operand,
          output, in[0], in[1], out[1], slice_columns);
  return {output.with(agreed_states_by_indices(operands, are_indices))};
}

Kernel RaggedCopy::kernel(const Layout& layout) const {
  const Types& operands = layout.operands();
  Sizes sizes(operands[0].shape(), operands[1].shape(), operands[2].shape());
  Run run{sizes,
          landing,
          operands[0].dtype(),
          operands[2].dtype(),
          source,
          target,
          layout.holders(layout.results()[0]),
          senders_of(layout, axes, groups)};
  std::size_t scratch = run.scratch_bytes();
  bool in_place = scratch == 0;
  return kernel::Opaque{.nanoseconds = 50 + 20 * static_cast<double>(sizes.lanes * sizes.slices()) +
                                       0.05 * static_cast<double>(operands[0].bytes() + operands[1].bytes()),
                        .scratch_bytes = scratch,
                        .run = std::move(run),
                        .may_throw = true,
                        .changes = in_place ? std::optional<std::size_t>(1) : std::nullopt};
}

Jvp RaggedCopy::jvp(const Arrays& operands, const Tangents& tangents) const {
  return jvp_by_indices(*this, operands, tangents, are_indices);
}

// Where slices replaced rows, the output's rows have no part in the result.
Tangents RaggedCopy::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  require_known_indices(operands, are_indices);
  const Array &ct = *cotangents[0], &slices = *operands[2].known;
  Array zeros = zero_tangent(ct.type().with(operands[0].type.shape()));
  Tangents result(3);
  if (operands[0].linear()) {
    Landing back = landing == Landing::replace ? Landing::add : Landing::replace;
    result[0] = apply_one(RaggedCopy{back, target, source}, {ct, zeros, turned(slices)});
  }
  if (operands[1].linear()) result[1] = landing == Landing::add ? ct : apply_one(*this, {zeros, ct, slices});
  return result;
}

BatchedArrays RaggedCopy::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return batch_as_lanes(*this, axis, operands);
}

BatchedArrays ops::batch_as_lanes(const Op& op, const Axis& axis, const BatchedArrays& operands) {
  if (std::ranges::none_of(operands, &Batched::batched))
    return {{apply_one(op, {operands[0].array, operands[1].array, operands[2].array}), false}};
  Arrays merged;
  Shape of_result;
  for (const Batched& x : operands) {
    Array lanes = materialised(x, axis);
    const Shape& shape = lanes.shape();
    if (merged.size() == 1) of_result = shape;
    merged.push_back(reshape(lanes, shape.erased(Dim{0}).with(Dim{0}, shape[0] * shape[1])));
  }
  return {{reshape(apply_one(op, merged), of_result), true}};
}

// Slices: overlapping where they may, empty ones that start where others do, rows that stay.
std::vector<Example> RaggedCopy::examples() {
  const Axes& axes = example_mesh().axes();
  auto slices = [](const Shape& shape, const std::vector<std::int32_t>& rows) {
    return ExampleOperand(ExampleOperand::Given{{}, {Tensor(shape, rows)}});
  };
  // from, size, to, expected: of source 0 for both targets, of source 1 for both targets
  const ExampleOperand replacing = slices({1, 2, 2, 1, 4}, {0, 2, 0, 2, 1, 3, 2, 3, 0, 0, 0, 0, 4, 1, 5, 1});
  const ExampleOperand adding = slices({1, 2, 2, 1, 4}, {0, 2, 0, 2, 2, 3, 1, 3, 1, 2, 1, 2, 3, 2, 2, 2});
  const ExampleOperand of_lanes = slices({2, 1, 1, 2, 4}, {0, 1, 2, 1, 2, 2, 0, 2, 3, 1, 0, 1, 0, 0, 3, 0});
  std::vector<Example> examples;
  auto add = [&](Landing landing, DType dtype, const ExampleOperand& with, const AxisStates& states) {
    Type operand(dtype, {1, 2, 5, 3}, states), output(dtype, {1, 2, 6, 3}, states);
    examples.push_back({RaggedCopy{landing}, {operand, output, with}});
  };
  add(Landing::replace, DType::f64, replacing, {});
  add(Landing::replace, DType::f32, replacing, {{axes[0], unreduced}, {axes[1], reduced}});
  add(Landing::replace, DType::boolean, replacing, {});
  add(Landing::add, DType::f64, adding, {});
  add(Landing::add, DType::f32, adding, {{axes[1], unreduced}});
  add(Landing::add, DType::i64, adding, {});
  for (Landing landing : {Landing::replace, Landing::add})
    examples.push_back(
        {RaggedCopy{landing}, {Type(DType::f64, {2, 1, 4}), Type(DType::f64, {2, 1, 3}), of_lanes}});
  examples.push_back({RaggedCopy{},
                      {Type(DType::f64, {1, 1, 0, 2}), Type(DType::f64, {1, 1, 2, 2}),
                       slices({1, 1, 1, 1, 4}, {0, 0, 2, 0})}});
  return examples;
}

Array ops::column_of(const Array& slices, SliceColumn column) {
  int last = slices.rank() - 1;
  return index_in_dim(slices, static_cast<std::int64_t>(column), last);
}

Array ops::slices_of(const Array& first, const Array& size, const Array& landed, const Array& wanted) {
  return stack({first, size, landed, wanted}, first.rank());
}

}  // namespace tutti
