// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/patterns/counted_loop.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "tutti/control/flow/loops.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/read/patterns/inlined.hpp"
#include "tutti/read/patterns/scalar_region.hpp"

namespace tutti {
namespace {

/// The carry that counts, and up to which number.
struct Counter {
  std::size_t carry;
  std::int64_t length;
};

/// How the body uses one carry.
enum class Role { counter, carried, unchanged, sliced, stacked };

/// A while loop whose body has the calls of JAX's helpers written out.
class CountedLoop {
 public:
  explicit CountedLoop(const OpReader& op)
      : op_(op),
        next_(std::max(number_behind(op.op()), op.reading().values())),
        body_(inlined(op.reading().source(), op.op().regions.at(1), next_)) {
    for (const stablehlo::Operation& each : body_.operations) {
      for (const stablehlo::Value result : each.results) made_by_[result.id] = &each;
      count_uses(each);
    }
  }

  std::optional<Arrays> results() {
    counter_ = counter();
    if (!counter_) return std::nullopt;
    find_roles();
    return scanned();
  }

 private:
  void count_uses(const stablehlo::Operation& op) {
    for (const stablehlo::Value operand : op.operands) ++uses_[operand.id];
    for (const stablehlo::Block& region : op.regions)
      for (const stablehlo::Operation& inner : region.operations) count_uses(inner);
  }

  const stablehlo::Operation* maker(stablehlo::Value value) const {
    const auto known = made_by_.find(value.id);
    return known == made_by_.end() ? nullptr : known->second;
  }
  bool is_made_by(stablehlo::Value value, std::string_view name) const {
    const stablehlo::Operation* op = maker(value);
    return op && op->name == name;
  }

  /// The number that a value is, made inside of the body or outside of the loop.
  std::optional<double> number(stablehlo::Value value) const {
    if (const stablehlo::Operation* op = maker(value)) return number_of_constant(*op);
    return op_.reading().value_if_known(value).number;
  }

  /// `carry < number`, from 0, in steps of 1.
  std::optional<Counter> counter() const {
    const stablehlo::Block& condition = op_.op().regions.at(0);
    std::unordered_map<int, double> inside;
    const stablehlo::Operation* compare = nullptr;
    for (const stablehlo::Operation& op : condition.operations) {
      if (op.name == "stablehlo.return") continue;
      const std::optional<double> constant = number_of_constant(op);
      if (constant) inside[op.results[0].id] = *constant;
      else if (op.name == "stablehlo.compare" && !compare) compare = &op;
      else return std::nullopt;
    }
    const stablehlo::Attribute* direction =
        compare ? find(compare->attributes, "comparison_direction") : nullptr;
    const auto* word = direction ? std::get_if<stablehlo::Enumeration>(&direction->value) : nullptr;
    const bool is_returned = compare && condition.operations.back().operands == compare->results;
    if (!word || word->value != "LT" || !is_returned) return std::nullopt;
    const auto at = std::ranges::find(condition.arguments, compare->operands[0]);
    if (at == condition.arguments.end()) return std::nullopt;
    const auto carry = static_cast<std::size_t>(at - condition.arguments.begin());
    const auto own = inside.find(compare->operands[1].id);
    const auto limit = own != inside.end() ? std::optional(own->second)
                                           : op_.reading().value_if_known(compare->operands[1]).number;
    const auto start = op_.known(carry).number;
    if (!limit || start != 0.0 || !(*limit >= 1 && *limit <= 0x7fffffff)) return std::nullopt;
    const stablehlo::Value next = returned(carry);
    const bool counts = is_made_by(next, "stablehlo.add") &&
                        maker(next)->operands[0] == body_.arguments[carry] &&
                        number(maker(next)->operands[1]) == 1.0;
    if (!counts || !is_integer(op_.operand(carry).dtype())) return std::nullopt;
    return Counter{carry, static_cast<std::int64_t>(*limit)};
  }

  stablehlo::Value returned(std::size_t carry) const { return body_.operations.back().operands[carry]; }

  /// 1: the count; -1: (length - count) - 1; 0: another value.
  int direction(stablehlo::Value value) const {
    const stablehlo::Value count = body_.arguments[counter_->carry];
    if (value == count) return 1;
    if (!is_made_by(value, "stablehlo.subtract")) return 0;
    const stablehlo::Operation& last = *maker(value);
    if (number(last.operands[1]) != 1.0 || !is_made_by(last.operands[0], "stablehlo.subtract")) return 0;
    const stablehlo::Operation& first = *maker(last.operands[0]);
    const bool is_left =
        number(first.operands[0]) == static_cast<double>(counter_->length) && first.operands[1] == count;
    return is_left ? -1 : 0;
  }

  /// True if `op` reads, or writes, all of one position along dim 0 at the count, in the loop's direction.
  /// The starts begin at operand `first`.
  bool is_at_count(const stablehlo::Operation& op, std::size_t first, const std::vector<std::int64_t>& sizes,
                   const std::vector<std::int64_t>& shape) {
    if (shape.empty() || sizes.size() != shape.size() || shape[0] != counter_->length || sizes[0] != 1)
      return false;
    if (op.operands.size() != first + shape.size()) return false;
    for (std::size_t d = 1; d < shape.size(); ++d)
      if (sizes[d] != shape[d] || number(op.operands[first + d]) != 0.0) return false;
    const int way = direction(op.operands[first]);
    if (way == 0 || (way_ != 0 && way != way_)) return false;
    way_ = way;
    return true;
  }

  static const std::vector<std::int64_t>& shape_of(const stablehlo::ValueType& type) {
    return std::get<stablehlo::TensorType>(type).shape;
  }

  /// The slices of a carry that stays; empty if something else reads it.
  std::vector<const stablehlo::Operation*> slices_of(std::size_t carry) {
    std::vector<const stablehlo::Operation*> slices;
    for (const stablehlo::Operation& op : body_.operations) {
      if (op.name != "stablehlo.dynamic_slice" || !(op.operands[0] == body_.arguments[carry])) continue;
      const stablehlo::Attribute* sizes = find(op.attributes, "slice_sizes");
      const auto numbers = sizes ? integers_of(*sizes) : std::nullopt;
      if (!numbers || !is_at_count(op, 1, *numbers, shape_of(op.operand_types[0]))) return {};
      slices.push_back(&op);
    }
    const int uses = uses_[body_.arguments[carry].id];  // one is the return
    return static_cast<int>(slices.size()) == uses - 1 ? slices : std::vector<const stablehlo::Operation*>{};
  }

  bool is_stacked(std::size_t carry) {
    const stablehlo::Value last = returned(carry);
    if (!is_made_by(last, "stablehlo.dynamic_update_slice") || uses_[last.id] != 1) return false;
    const stablehlo::Operation& update = *maker(last);
    return update.operands[0] == body_.arguments[carry] && uses_[body_.arguments[carry].id] == 1 &&
           is_at_count(update, 2, shape_of(update.operand_types[1]), shape_of(update.operand_types[0]));
  }

  void find_roles() {
    const std::size_t carries = body_.arguments.size();
    for (std::size_t j = 0; j < carries; ++j) {
      Role role = Role::carried;
      if (j == counter_->carry) role = Role::counter;
      else if (is_stacked(j)) role = Role::stacked;
      else if (returned(j) == body_.arguments[j]) {
        slices_.push_back(slices_of(j));
        role = slices_.back().empty() ? Role::unchanged : Role::sliced;
        if (role == Role::unchanged) slices_.pop_back();
      }
      roles_.push_back(role);
    }
    if (way_ == 0) way_ = 1;
  }

  stablehlo::Value new_value() { return {next_++}; }

  static stablehlo::ValueType without_first_dim(const stablehlo::ValueType& type) {
    stablehlo::TensorType tensor = std::get<stablehlo::TensorType>(type);
    tensor.shape.erase(tensor.shape.begin());
    return tensor;
  }

  static stablehlo::Operation reshape(stablehlo::Value from, const stablehlo::ValueType& from_type,
                                      stablehlo::Value to, const stablehlo::ValueType& to_type,
                                      const stablehlo::Operation& like) {
    stablehlo::Operation op;
    op.name = "stablehlo.reshape";
    op.operands = {from};
    op.operand_types = {from_type};
    op.results = {to};
    op.result_types = {to_type};
    op.location = like.location;
    op.at = like.at;
    return op;
  }

  /// The body of the scan: carries, the count, slices of xs -> carries, slices of ys.
  stablehlo::Block scan_body() {
    stablehlo::Block block;
    const auto take = [&](stablehlo::Value value, const stablehlo::ValueType& type) {
      block.arguments.push_back(value);
      block.argument_types.push_back(type);
    };
    for (std::size_t j = 0; j < roles_.size(); ++j)
      if (roles_[j] == Role::carried) take(body_.arguments[j], body_.argument_types[j]);
    take(body_.arguments[counter_->carry], body_.argument_types[counter_->carry]);
    std::unordered_map<const stablehlo::Operation*, stablehlo::Value> slice_of;
    for (const auto& slices : slices_) {
      const stablehlo::Value slice = new_value();
      take(slice, without_first_dim(slices[0]->result_types[0]));
      for (const stablehlo::Operation* op : slices) slice_of[op] = slice;
    }
    stablehlo::Operation last = body_.operations.back();
    std::vector<stablehlo::Value> results;
    std::vector<stablehlo::Operation> ends;
    for (std::size_t j = 0; j < roles_.size(); ++j)
      if (roles_[j] == Role::carried) results.push_back(returned(j));
    for (std::size_t j = 0; j < roles_.size(); ++j) {
      if (roles_[j] != Role::stacked) continue;
      const stablehlo::Operation& update = *maker(returned(j));
      const stablehlo::ValueType& type = update.operand_types[1];
      results.push_back(new_value());
      ends.push_back(reshape(update.operands[1], type, results.back(), without_first_dim(type), update));
      left_out_.push_back(&update);
    }
    const stablehlo::Value next = returned(counter_->carry);
    if (uses_[next.id] == 1) left_out_.push_back(maker(next));
    for (const stablehlo::Operation& op : body_.operations) {
      if (&op == &body_.operations.back() || std::ranges::find(left_out_, &op) != left_out_.end()) continue;
      if (const auto slice = slice_of.find(&op); slice != slice_of.end()) {
        const stablehlo::ValueType& type = op.result_types[0];
        block.operations.push_back(reshape(slice->second, without_first_dim(type), op.results[0], type, op));
      } else {
        block.operations.push_back(op);
      }
    }
    block.operations.insert(block.operations.end(), ends.begin(), ends.end());
    last.operands = results;
    block.operations.push_back(std::move(last));
    return block;
  }

  Arrays scanned() {
    const stablehlo::Block block = scan_body();
    Reading& reading = op_.reading();
    const Where where = op_.where();
    const std::size_t count = counter_->carry;
    const DType dtype = op_.operand(count).dtype();
    Arrays carries;
    Arrays xs = front_end(op_.op().name, where, [&] {
      const Array up = iota(Shape{counter_->length}, dtype, 0);
      const Array last = constant(Tensor::scalar_of(dtype, counter_->length - 1));
      return Arrays{way_ > 0 ? up : Operand(last) - up};
    });
    for (std::size_t j = 0; j < roles_.size(); ++j) {
      if (roles_[j] == Role::carried) carries.push_back(op_.operand(j));
      if (roles_[j] == Role::sliced) xs.push_back(op_.operand(j));
      if (roles_[j] == Role::unchanged) reading.value(body_.arguments[j]) = op_.known(j);
    }
    const auto iteration = [&](const Arrays& leaves) { return reading.block(block, leaves); };
    const ScanOptions options{.length = counter_->length, .reverse = way_ < 0};
    const Arrays found = scan_flat({"scan", iteration, carries, xs, options}, where);
    auto carried = found.begin(), stacked = found.begin() + std::ssize(carries);
    Arrays results;
    for (std::size_t j = 0; j < roles_.size(); ++j) switch (roles_[j]) {
        case Role::carried: results.push_back(*carried++); break;
        case Role::stacked: results.push_back(*stacked++); break;
        case Role::counter:
          results.push_back(front_end(op_.op().name, where,
                                      [&] { return constant(Tensor::scalar_of(dtype, counter_->length)); }));
          break;
        case Role::unchanged:
        case Role::sliced: results.push_back(op_.operand(j)); break;
      }
    return results;
  }

  const OpReader& op_;
  int next_;
  stablehlo::Block body_;
  std::unordered_map<int, const stablehlo::Operation*> made_by_;
  std::unordered_map<int, int> uses_;
  std::optional<Counter> counter_;
  int way_ = 0;  // 1: xs in order; -1: the last one first; 0: not known yet
  std::vector<Role> roles_;
  std::vector<std::vector<const stablehlo::Operation*>> slices_;  // per carry that is sliced
  std::vector<const stablehlo::Operation*> left_out_;
};

}  // namespace

std::optional<Arrays> counted_loop(const OpReader& op) {
  if (op.op().regions.size() != 2 || op.op().regions[1].operations.empty()) return std::nullopt;
  return CountedLoop(op).results();
}

}  // namespace tutti
