// SPDX-License-Identifier: Apache-2.0
// An exchange by collectives that StableHLO has: slices, one permutation of devices, one all_to_all, one
// all_gather.
#include <algorithm>
#include <optional>

#include "tutti/ir/builder.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_to_all.hpp"
#include "tutti/ops/collectives/assume_invariant.hpp"
#include "tutti/ops/collectives/axis_index.hpp"
#include "tutti/ops/collectives/permute.hpp"
#include "tutti/ops/dynamic_slice.hpp"
#include "tutti/ops/moves/exchange.hpp"
#include "tutti/ops/moves/exchange_digits.hpp"
#include "tutti/ops/moves/exchange_peers.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/stacking.hpp"
#include "tutti/ops/transpose.hpp"

namespace tutti {
namespace {

using DigitId = std::size_t;  // the number of a digit of the exchange
using PartId = std::size_t;

/// Per part of an axis the digit whose value it is on every device; none: the devices along it hold equal
/// values.
using DigitOfPart = std::vector<std::optional<DigitId>>;

// --- Blocks that stay whole --------------------------------------------------------------------------------

/// Every dim is split into as many blocks as before.
bool keeps_blocks(const Exchange& op) {
  for (std::size_t dim = 0; dim < op.from.dims.size(); ++dim)
    if (joint_size(op.from.dims[dim]) != joint_size(op.to.dims[dim])) return false;
  return true;
}

/// Per dim the part of the block's number that the axes give at this position.
BlockKey block_number(int position, const Axes& axes, const Sharding& sharding) {
  BlockKey number;
  for (const Axes& of_dim : sharding.dims) {
    std::int64_t n = 0;
    for (const Axis& axis : of_dim)
      n = n * axis.size + (contains(axes, axis) ? coordinate_of(axes, position, axis) : 0);
    number.push_back(n);
  }
  return number;
}

Array permuted_blocks(const Array& x, const Exchange& op) {
  Axes axes = op.communicates();
  if (axes.empty()) return x;
  std::ranges::sort(axes);
  auto keys = [&](const Sharding& sharding) {
    return keys_of(axes, [&](int position) { return block_number(position, axes, sharding); });
  };
  return apply_one(Permute{axes, matched(keys(op.from), keys(op.to))}, {x});
}

// --- Digits that move --------------------------------------------------------------------------------------

class Mover {
 public:
  /// x: the block under `from`, V over all axes that split a dim in one of the shardings.
  Mover(const Array& x, std::vector<kernel::Digit> digits) : digits_(std::move(digits)), value_(x) {
    find_places();
    value_ = reshape(x, sizes_of(order_));
  }

  /// One dim for each digit in the block under `to`, in order of the digits.
  Array moved() && {
    slice_in_place();
    if (some_digit_changes_its_part()) {
      slice_onto_free_parts();
      permute();
      slice_in_place();
    }
    all_to_all();
    gather();
    std::vector<DigitId> order = order_;
    std::ranges::sort(order);
    return with_first(order);
  }

 private:
  void find_places() {
    for (DigitId digit = 0; digit < digits_.size(); ++digit) {
      const auto& [size, from, to] = digits_[digit];
      if (from.of == kernel::Coordinate::Source::dim) order_.push_back(digit);
      else held_[part_at(from, size)] = digit;
      if (to.of != kernel::Coordinate::Source::dim) wanted_[part_at(to, size)] = digit;
    }
  }

  PartId part_at(const kernel::Coordinate& place, std::int64_t size) {
    const AxisPart part{place.axis, place.weight, size};
    const auto found = std::ranges::find(parts_, part);
    if (found != parts_.end()) return static_cast<PartId>(found - parts_.begin());
    parts_.push_back(part);
    held_.emplace_back();
    wanted_.emplace_back();
    return parts_.size() - 1;
  }

  Shape sizes_of(const std::vector<DigitId>& some) const {
    std::vector<std::int64_t> sizes;
    for (DigitId digit : some) sizes.push_back(digits_[digit].size);
    return Shape(std::move(sizes));
  }
  bool is_local(DigitId digit) const { return std::ranges::find(order_, digit) != order_.end(); }
  /// True if a device's block at last has all values of the digit.
  bool leaves(DigitId digit) const { return digits_[digit].to.of == kernel::Coordinate::Source::dim; }
  bool awaits(PartId part) const { return wanted_[part] && is_local(*wanted_[part]); }

  /// Dims of value_ in the order `first`, then the others; that is their order from now on.
  Array with_first(const std::vector<DigitId>& first) {
    std::vector<DigitId> order = first;
    for (DigitId digit : order_)
      if (std::ranges::find(first, digit) == first.end()) order.push_back(digit);
    std::vector<int> permutation;
    for (DigitId digit : order)
      permutation.push_back(static_cast<int>(std::ranges::find(order_, digit) - order_.begin()));
    order_ = order;
    return transpose(value_, permutation);
  }

  // --- Slices

  /// Each device keeps the value of the digit that it has along the part.
  struct Slice {
    DigitId digit;
    PartId part;
  };

  void slice(const std::vector<Slice>& slices) {
    if (slices.empty()) return;
    std::vector<Operand> starts(order_.size(), 0);
    std::vector<std::int64_t> sizes = value_.shape().sizes();
    for (const auto& [digit, part] : slices) {
      const auto dim = static_cast<std::size_t>(std::ranges::find(order_, digit) - order_.begin());
      const auto& [axis, weight, size] = parts_[part];
      Array start = axis_index(Axes{axis});
      if (weight > 1) start = start / weight;
      if (weight * size < axis.size) start = start % size;
      starts[dim] = start;
      sizes[dim] = 1;
      held_[part] = digit;
    }
    value_ = dynamic_slice(value_, starts, sizes);
    for (const Slice& done : slices) std::erase(order_, done.digit);
    value_ = reshape(value_, sizes_of(order_));
  }

  void slice_in_place() {
    std::vector<Slice> slices;
    for (PartId part = 0; part < parts_.size(); ++part)
      if (!held_[part] && awaits(part)) slices.push_back({*wanted_[part], part});
    slice(slices);
  }

  /// A smaller block is permuted if digits that will be sliced off are before, wherever there is room.
  void slice_onto_free_parts() {
    std::vector<Slice> slices;
    std::vector<bool> taken(parts_.size());
    for (PartId target = 0; target < parts_.size(); ++target) {
      if (!awaits(target)) continue;
      for (PartId part = 0; part < parts_.size(); ++part) {
        if (held_[part] || taken[part] || parts_[part].size != parts_[target].size) continue;
        slices.push_back({*wanted_[target], part});
        taken[part] = true;
        break;
      }
    }
    slice(slices);
  }

  // --- The permutation

  bool some_digit_changes_its_part() const {
    for (PartId part = 0; part < parts_.size(); ++part)
      if (held_[part] && !leaves(*held_[part]) && held_[part] != wanted_[part]) return true;
    return false;
  }

  /// Digits that stay on axes stand where they are wanted. The others stand where an all_to_all brings a
  /// digit in their place, then where they are already, then anywhere.
  DigitOfPart after_permutation() const {
    DigitOfPart after(parts_.size());
    std::vector<DigitId> others;
    for (PartId part = 0; part < parts_.size(); ++part) {
      if (wanted_[part] && !is_local(*wanted_[part])) after[part] = wanted_[part];
      if (held_[part] && leaves(*held_[part])) others.push_back(*held_[part]);
    }
    auto place = [&](auto&& fits) {
      std::erase_if(others, [&](DigitId digit) {
        for (PartId part = 0; part < parts_.size(); ++part) {
          if (after[part] || parts_[part].size != digits_[digit].size || !fits(part, digit)) continue;
          after[part] = digit;
          return true;
        }
        return false;
      });
    };
    place([&](PartId part, DigitId digit) { return awaits(part) && held_[part] == digit; });
    place([&](PartId part, DigitId) { return awaits(part); });
    place([&](PartId part, DigitId digit) { return held_[part] == digit; });
    place([](PartId, DigitId) { return true; });
    return after;
  }

  void permute() {
    const DigitOfPart after = after_permutation();
    Axes axes;
    for (PartId part = 0; part < parts_.size(); ++part)
      if (held_[part] != after[part] && !contains(axes, parts_[part].axis)) axes.push_back(parts_[part].axis);
    std::ranges::sort(axes);
    auto keys = [&](const DigitOfPart& held) {
      return keys_of(axes, [&](int position) { return values_at(position, axes, held); });
    };
    value_ = apply_one(Permute{axes, matched(keys(held_), keys(after))}, {value_});
    held_ = after;
  }

  /// The values of the digits that the axes hold at this position.
  BlockKey values_at(int position, const Axes& axes, const DigitOfPart& held) const {
    BlockKey values(digits_.size());
    for (PartId part = 0; part < parts_.size(); ++part)
      if (held[part] && contains(axes, parts_[part].axis))
        values[*held[part]] = parts_[part].of(coordinate_of(axes, position, parts_[part].axis));
    return values;
  }

  // --- Exchanges in groups

  void all_to_all() {
    std::vector<PartId> parts;
    std::vector<DigitId> going, coming;  // to the axes, and off them
    for (PartId part = 0; part < parts_.size(); ++part) {
      if (!held_[part] || !leaves(*held_[part]) || !awaits(part)) continue;
      parts.push_back(part);
      going.push_back(*wanted_[part]);
      coming.push_back(*held_[part]);
    }
    if (parts.empty()) return;
    const auto [axes, groups] = groups_along(some(parts));
    Array chunks = apply_one(AllToAll{axes, Dim{0}, Dim{0}, Stacking::new_dim, groups},
                             {in_chunks(with_first(going), parts)});
    std::ranges::copy(coming, order_.begin());
    value_ = reshape(chunks, sizes_of(order_));
    for (PartId part : parts) held_[part] = wanted_[part];
  }

  void gather() {
    std::vector<PartId> parts;
    std::vector<DigitId> coming;
    for (PartId part = 0; part < parts_.size(); ++part) {
      if (!held_[part] || !leaves(*held_[part])) continue;
      parts.push_back(part);
      coming.push_back(*held_[part]);
    }
    if (parts.empty()) return;
    const auto [axes, groups] = groups_along(some(parts));
    const State to = groups.empty() ? State::invariant : State::varying;
    Array chunks = all_gather(value_, axes, Dim{0}, Stacking::new_dim, to, groups);
    order_.insert(order_.begin(), coming.begin(), coming.end());
    value_ = reshape(cast_to(chunks, axes, State::varying), sizes_of(order_));
    for (PartId part : parts) held_[part].reset();
  }

  /// [size of part 0, of part 1, .., rest] -> [number of devices, rest].
  Array in_chunks(const Array& x, const std::vector<PartId>& parts) const {
    const std::vector<std::int64_t>& sizes = x.shape().sizes();
    std::vector<std::int64_t> chunks{1};
    for (PartId part : parts) chunks[0] *= parts_[part].size;
    chunks.insert(chunks.end(), sizes.begin() + std::ssize(parts), sizes.end());
    return reshape(x, Shape(std::move(chunks)));
  }

  std::vector<AxisPart> some(const std::vector<PartId>& ids) const {
    std::vector<AxisPart> parts;
    for (PartId id : ids) parts.push_back(parts_[id]);
    return parts;
  }

  std::vector<kernel::Digit> digits_;
  std::vector<AxisPart> parts_;
  DigitOfPart held_, wanted_;
  std::vector<DigitId> order_;  // the dims of value_
  Array value_;
};

}  // namespace

Array ops::exchange_by_moves(const Array& x, const Exchange& op) {
  const auto digits = exchange_digits(op.shape, op.from, op.to, DigitCuts::parts);
  if (!digits && !keeps_blocks(op)) {
    const Sharding common = common_sharding(op.from, op.to);
    Array gathered = exchange_by_moves(x, {op.shape, op.from, common});
    return exchange_by_moves(gathered, {op.shape, common, op.to});
  }
  const Axes after = split_axes(op.to);
  Axes both = split_axes(op.from), equal;
  for (const Axis& axis : both)
    if (!contains(after, axis)) equal.push_back(axis);
  both.insert(both.end(), after.begin(), after.end());
  Array value = cast_to(x, both, State::varying);
  const Shape block = local_type(Type(x.dtype(), op.shape), op.to).shape();
  value = keeps_blocks(op) ? permuted_blocks(value, op) : reshape(Mover(value, *digits).moved(), block);
  std::ranges::sort(equal);
  return equal.empty() ? value : apply_one(AssumeInvariant{equal}, {value});
}

Lowered Exchange::lower(Emitter& emitter, const Lowered& operands) const {
  auto body = [this](const Arrays& x) { return Arrays{exchange_by_moves(x[0], *this)}; };
  return emitter.lower(trace({emitter.operand_types()[0]}, body).program, operands);
}

}  // namespace tutti
