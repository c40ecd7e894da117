// SPDX-License-Identifier: Apache-2.0
// Results of concatenate and pad, and slices of them. A task that goes through elements reads the blocks
// where they lie; other tasks read a copy. It is dropped where nobody reads it.
#include <algorithm>

#include "tutti/run/graph/graph_builder.hpp"

namespace tutti {
namespace {

constexpr std::size_t most_blocks = 64;
constexpr int most_dims = 8;

/// The box, seen from `origin`.
Box from_origin(Box box, const std::vector<std::int64_t>& origin) {
  for (std::size_t i = 0; i < origin.size(); ++i) {
    box.begin[i] -= origin[i];
    box.end[i] -= origin[i];
  }
  return box;
}

Box box_of(const std::vector<std::int64_t>& begin, const std::vector<std::int64_t>& size) {
  Box box{begin, begin};
  for (std::size_t i = 0; i < size.size(); ++i) box.end[i] += size[i];
  return box;
}

/// The address of the element that stands `steps` further in each dim.
Address moved(Address address, const std::vector<std::int64_t>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) address.offset += steps[i] * address.dims[i];
  return address;
}

/// Where a view cuts a box out of its operand. None for other views.
std::optional<std::vector<std::int64_t>> start_of_cut(const kernel::View& view, int rank, const Shape& to) {
  if (view.reshape || rank != to.rank() || std::ssize(view.digits) != rank) return std::nullopt;
  for (int i = 0; i < to.rank(); ++i) {
    const kernel::Digit& digit = view.digits[static_cast<std::size_t>(i)];
    const auto is_along = [&](const kernel::Coordinate& coordinate) {
      return coordinate.of == kernel::Coordinate::Source::dim && coordinate.dim == Dim{i} &&
             coordinate.weight == 1;
    };
    if (digit.size != to[i] || !is_along(digit.from) || !is_along(digit.to)) return std::nullopt;
  }
  if (view.start.empty()) return std::vector<std::int64_t>(static_cast<std::size_t>(to.rank()), 0);
  return view.start;
}

}  // namespace

void GraphBuilder::add_cut(const std::vector<Block>& from, const Box& taken,
                           const std::vector<std::int64_t>& origin, std::vector<Block>& to) {
  for (const Block& block : from)
    if (const Box both = intersection(block.box, taken); both.elements() > 0)
      to.push_back({from_origin(both, origin), moved(block.address, origin)});
}

std::shared_ptr<const GraphBuilder::Blocks> GraphBuilder::blocks_of(const kernel::Opaque& opaque) {
  if (opaque.blocks.empty() || result_type().elements() == 0 || result_type().rank() > most_dims ||
      static_cast<std::int64_t>(result_type().bytes()) < options_.least_assembled_bytes)
    return nullptr;
  Blocks blocks{{}, *equation_};
  for (const kernel::Opaque::Block& block : opaque.blocks) {
    const Box box = box_of(block.begin, block.size);
    if (box.elements() == 0) continue;
    const Value& operand = value(equation().operands[block.operand]);
    if (block.from.empty()) {
      Address element = operand.address;
      element.dims.assign(block.begin.size(), 0);
      blocks.list.push_back({box, element});
      continue;
    }
    std::vector<std::int64_t> back;  // from the result to the operand
    for (std::size_t i = 0; i < block.from.size(); ++i) back.push_back(block.from[i] - block.begin[i]);
    const Box taken = box_of(block.from, block.size);
    if (operand.blocks) add_cut(operand.blocks->list, taken, back, blocks.list);
    else blocks.list.push_back({box, moved(operand.address, back)});
  }
  if (blocks.list.size() > most_blocks) return nullptr;
  return std::make_shared<const Blocks>(std::move(blocks));
}

std::shared_ptr<const GraphBuilder::Blocks> GraphBuilder::cut_out(const kernel::View& view, const Value& from,
                                                                  const Shape& to) {
  if (!from.blocks || to.elements() == 0) return nullptr;
  const int rank = static_cast<int>(from.blocks->list[0].box.begin.size());
  const auto start = start_of_cut(view, rank, to);
  if (!start) return nullptr;
  const Box taken = box_of(*start, to.sizes());
  Blocks cut{{}, from.blocks->equation};
  add_cut(from.blocks->list, taken, *start, cut.list);
  return std::make_shared<const Blocks>(std::move(cut));
}

Address GraphBuilder::read_by_elements(Var var) {
  Value& of = value(var);
  if (!of.blocks) return of.address;
  if (of.assembled) return *of.assembled;
  const std::vector<Block>& blocks = of.blocks->list;
  if (blocks.size() == 1) return *(of.assembled = blocks[0].address);
  AssembleWork work;
  std::vector<Address> operands;
  for (const Block& block : blocks) {
    work.boxes.push_back(block.box);
    operands.push_back(block.address);
  }
  const std::optional<std::size_t> reader = equation_;
  equation_ = of.blocks->equation;
  const BufferId buffer = new_buffer(type(var), stored_axes(type(var)), Spacing::staggered);
  of.assembled = natural_address(graph_, buffer);
  add(std::move(work), std::move(operands), {buffer}, type(var).shape(), stored_axes(type(var)));
  equation_ = reader;
  return *of.assembled;
}

}  // namespace tutti
