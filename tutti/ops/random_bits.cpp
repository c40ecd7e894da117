// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/random_bits.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {
namespace {

Shape shape_of_keys(Type key) { return key.shape().erased(Dim{key.rank() - 1}); }

void require_lies_inside(const Shape& block, const Shape& whole) {
  bool lies_inside = block.rank() == whole.rank();
  for (int i = 0; lies_inside && i < block.rank(); ++i) lies_inside = block[i] <= whole[i];
  require(lies_inside, Code::shape,
          "a block [{}] of a draw [{}]: it has as many dims, none of them larger (random_bits_c5)", block,
          whole);
  whole.check();
}

/// A block as runs of elements with consecutive numbers.
struct Runs {
  struct Loop {
    std::int64_t size;
    std::uint64_t numbers;  // from one position to the next
  };
  std::vector<Loop> loops;  // outermost first
  std::int64_t length = 1;
  std::size_t bytes_of_run = 0;
  RandomRange range = {};
  RandomBitsKernel draw = nullptr;

  /// Writes the elements of the loops from `depth` on; returns the end of what it has written.
  std::byte* write(std::byte* out, const std::uint32_t* key, std::uint64_t first,
                   std::size_t depth = 0) const {
    if (depth == loops.size()) {
      draw(out, key, first, length, range);
      return out + bytes_of_run;
    }
    for (std::int64_t i = 0; i < loops[depth].size; ++i, first += loops[depth].numbers)
      out = write(out, key, first, depth + 1);
    return out;
  }
};

Runs runs_of(const RandomBits& op) {
  Runs runs;
  std::uint64_t numbers = 1;
  bool consecutive = true;
  for (int i = op.block.rank(); i-- > 0;) {
    if (consecutive) runs.length *= op.block[i];
    else runs.loops.insert(runs.loops.begin(), {op.block[i], numbers});
    consecutive = consecutive && op.block[i] == op.whole[i];
    numbers *= static_cast<std::uint64_t>(op.whole[i]);
  }
  runs.bytes_of_run = static_cast<std::size_t>(runs.length) * bytes_per_element(op.dtype);
  runs.range = op.range;
  runs.draw = random_bits_kernel(op.dtype);
  return runs;
}

}  // namespace

Parameters RandomBits::parameters() const {
  Parameters all{{"block", bracketed(block.sizes())}, {"whole", bracketed(whole.sizes())}};
  if (range != RandomRange()) all.emplace_back("low", fmt::format("{}", range.low));
  if (range != RandomRange()) all.emplace_back("width", fmt::format("{}", range.width));
  return all;
}

Types RandomBits::infer(const Types& operands) const {
  Type key = operands[0];
  require(key.dtype() == DType::u32, Code::dtype,
          "the key is {}, not u32 (random_bits_c1); make it by key(seed), split or fold_in", key);
  require(random_bits_kernel(dtype) != nullptr, Code::dtype,
          "a draw of {}, which is neither unsigned nor a float (random_bits_c2); convert what is drawn",
          tutti::name(dtype));
  require(range == RandomRange() || dtype == DType::f32 || dtype == DType::f64, Code::dtype,
          "a range of {}; draw from [0, 1) and scale it (random_bits_c6)", tutti::name(dtype));
  require(key.rank() > 0 && key.shape()[key.rank() - 1] == 2, Code::shape,
          "the key is {}; a key has two words, along the last dim (random_bits_c3)", key);
  if (operands.size() > 1) {
    Type start = operands[1];
    require(start.dtype() == DType::u64, Code::dtype, "the start is {}, not u64 (random_bits_c1)", start);
    require(start.rank() == 0 || start.shape() == shape_of_keys(key), Code::shape,
            "the start is {} beside the key {}; give one number, or one for each key (random_bits_c4)", start,
            key);
  }
  require_lies_inside(block, whole);
  std::vector<std::int64_t> sizes = shape_of_keys(key).sizes();
  sizes.insert(sizes.end(), block.begin(), block.end());
  return {Type(dtype, Shape(sizes), agreed_states(operands, mixing()))};
}

Kernel RandomBits::kernel(const Layout& layout) const {
  const Types& types = layout.operands();
  std::int64_t keys = shape_of_keys(types[0]).elements();
  bool has_starts = types.size() > 1, has_one_start = has_starts && types[1].rank() == 0;
  auto elements = static_cast<double>(layout.results()[0].elements());
  return kernel::Opaque{.nanoseconds = 20 + 1.5 * elements,
                        .run = [keys, has_starts, has_one_start, runs = runs_of(*this),
                                is_empty = block.elements() == 0](const kernel::Unit& unit) {
                          if (is_empty) return;
                          auto* key = reinterpret_cast<const std::uint32_t*>(unit.operands[0]);
                          const std::uint64_t none = 0;
                          auto* start =
                              has_starts ? reinterpret_cast<const std::uint64_t*>(unit.operands[1]) : &none;
                          std::byte* out = unit.results[0];
                          for (std::int64_t k = 0; k < keys; ++k, key += 2) {
                            out = runs.write(out, key, *start);
                            if (has_starts && !has_one_start) ++start;
                          }
                        }};
}

Jvp RandomBits::jvp(const Arrays& operands, const Tangents&) const { return constant_jvp(*this, operands); }

// A draw for each lane. A start that all keys share may stay one number.
BatchedArrays RandomBits::batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const {
  if (std::ranges::none_of(operands, &Batched::batched)) {
    Arrays arrays;
    for (const Batched& x : operands) arrays.push_back(x.array);
    return {{apply_one(*this, arrays), false}};
  }
  Arrays arrays{materialised(operands[0], axis)};
  if (operands.size() > 1) {
    bool is_shared = types[1].rank() == 0 && !operands[1].batched;
    Array start = is_shared ? operands[1].array : materialised(operands[1], axis);
    Shape keys = shape_of_keys(arrays[0].type());
    if (!is_shared && start.rank() < keys.rank()) start = broadcast_in_dim(start, keys, {0});
    arrays.push_back(start);
  }
  return {{apply_one(*this, arrays), true}};
}

std::vector<Example> RandomBits::examples() {
  const Axes& axes = example_mesh().axes();
  auto key = [](const AxisStates& states = {}, const Shape& shape = {2}) {
    return ExampleOperand(Type(DType::u32, shape, states), 0, 4'000'000'000);
  };
  auto start = [](const AxisStates& states = {}, const Shape& shape = {}) {
    return ExampleOperand(Type(DType::u64, shape, states), 0, 1e12);
  };
  AxisStates on_a{{axes[0], varying}}, on_b{{axes[1], reduced}};
  return {
      {RandomBits{DType::u32, {5}, {5}}, {key()}},
      {RandomBits{DType::u32, {2, 3}, {4, 6}}, {key(on_a), start(on_a)}},
      {RandomBits{DType::u64, {2, 3}, {4, 3}}, {key(on_b), start(on_b)}},
      {RandomBits{DType::u8, {37}, {40}}, {key(on_a), start(on_a)}},
      {RandomBits{DType::u16, {2, 1, 3}, {2, 2, 3}}, {key(on_a)}},
      {RandomBits{DType::f32, {70}, {70}}, {key()}},
      {RandomBits{DType::f64, {3, 3}, {3, 3}}, {key(on_b), start(on_b)}},
      {RandomBits{DType::f16, {35}, {35}}, {key()}},
      {RandomBits{DType::bf16, {35}, {35}}, {key()}},
      {RandomBits{DType::u32, {3}, {6}}, {key(on_a, {4, 2}), start(on_a, {4})}},
      {RandomBits{DType::f32, {}, {}, {.low = -1, .width = 2}}, {key({}, {2, 2, 2}), start()}},
      {RandomBits{DType::u32, {2, 0}, {2, 4}}, {key()}},
      {RandomBits{DType::u32, {3}, {3}}, {key({}, {0, 2})}},
  };
}

Array random_bits(const Array& key, const std::optional<Array>& start, const RandomBits& draw) {
  return front_end(RandomBits::name, {}, [&] {
    Arrays operands{key};
    if (start) operands.push_back(*start);
    return apply_one(draw, operands);
  });
}

}  // namespace tutti
