// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/patterns/scalar_region.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <unordered_map>

#include "tutti/stablehlo/element.hpp"

namespace tutti {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();

/// The value that sharding constraints pass on.
stablehlo::Value before_constraints(const stablehlo::Block& region, stablehlo::Value value) {
  for (auto op = region.operations.rbegin(); op != region.operations.rend(); ++op)
    if (op->name == "sdy.sharding_constraint" && op->results[0] == value) value = op->operands[0];
  return value;
}

/// Finds the only operation of a region, apart from return and sharding constraints. Null if there are more,
/// or the region returns anything else.
const stablehlo::Operation* only_operation(const stablehlo::Block& region) {
  const stablehlo::Operation* only = nullptr;
  for (const stablehlo::Operation& op : region.operations) {
    if (op.name == "sdy.sharding_constraint" || op.name.ends_with(".return")) continue;
    if (only) return nullptr;
    only = &op;
  }
  if (!only || only->results.size() != 1) return nullptr;
  const std::vector<stablehlo::Value>& returned = region.operations.back().operands;
  const bool returns_it = returned.size() == 1 && before_constraints(region, returned[0]) == only->results[0];
  return returns_it ? only : nullptr;
}

/// None: an integer of 64 bits that is no double.
template <class T>
std::optional<double> exactly(T integer) {
  constexpr auto most = T{1} << 53;
  if (integer > most || (std::is_signed_v<T> && integer < -most)) return std::nullopt;
  return static_cast<double>(integer);
}

}  // namespace

std::optional<double> number_of_constant(const stablehlo::Operation& op) {
  if (op.name != "stablehlo.constant") return std::nullopt;
  const auto* dense = find_as<stablehlo::Dense>(op.attributes, "value");
  const auto element = dense ? stablehlo::element_named(dense->type.element) : std::nullopt;
  if (!element || dense->data.size() != element->bytes()) return std::nullopt;
  const std::size_t width = element->bytes() / (element->complex ? 2 : 1);
  std::uint64_t bits = 0, imaginary = 0;
  std::memcpy(&bits, dense->data.data(), width);
  if (element->complex) std::memcpy(&imaginary, dense->data.data() + width, width);
  if (imaginary != 0) return std::nullopt;
  using Kind = stablehlo::Element::Kind;
  switch (element->kind) {
    case Kind::f32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case Kind::f64: return std::bit_cast<double>(bits);
    case Kind::boolean:
    case Kind::natural: return exactly(bits);
    case Kind::integer: return exactly(stablehlo::integer_of(*element, bits));
    case Kind::other_float: break;
  }
  if (dense->type.element == "bf16") return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  if (dense->type.element != "f16") return std::nullopt;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const auto exponent = static_cast<int>((bits >> 10) & 0x1f), significand = static_cast<int>(bits & 0x3ff);
  if (exponent == 0x1f) return significand != 0 ? nan : sign * HUGE_VAL;
  return exponent == 0 ? sign * std::ldexp(significand, -24)
                       : sign * std::ldexp(1024 + significand, exponent - 25);
}

std::optional<ReduceKind> reducer_of(const stablehlo::Block& region) {
  const stablehlo::Operation* op = only_operation(region);
  if (!op || region.arguments.size() != 2 || op->operands.size() != 2) return std::nullopt;
  const stablehlo::Value x = before_constraints(region, op->operands[0]);
  const stablehlo::Value y = before_constraints(region, op->operands[1]);
  const bool takes_both = x != y && std::ranges::find(region.arguments, x) != region.arguments.end() &&
                          std::ranges::find(region.arguments, y) != region.arguments.end();
  if (!takes_both) return std::nullopt;
  const auto* type = std::get_if<stablehlo::TensorType>(&op->result_types[0]);
  const bool is_bool = type && type->element == "i1";
  if (op->name == "stablehlo.add") return is_bool ? ReduceKind::logical_or : ReduceKind::sum;
  if (op->name == "stablehlo.multiply") return is_bool ? ReduceKind::logical_and : ReduceKind::prod;
  if (op->name == "stablehlo.maximum") return ReduceKind::max;
  if (op->name == "stablehlo.minimum") return ReduceKind::min;
  if (op->name == "stablehlo.and") return ReduceKind::logical_and;
  if (op->name == "stablehlo.or") return ReduceKind::logical_or;
  return std::nullopt;
}

bool is_logaddexp(const stablehlo::Block& region) {
  constexpr std::size_t operations = 11;  // with the return
  if (region.arguments.size() != 2 || region.operations.size() != operations) return false;
  std::unordered_map<int, std::string> texts{{region.arguments[0].id, "x"}, {region.arguments[1].id, "y"}};
  for (const stablehlo::Operation& op : region.operations) {
    const auto* direction = find_as<stablehlo::Enumeration>(op.attributes, "comparison_direction");
    if (direction && direction->value != "NE") return false;
    std::string text = op.name.substr(op.name.find('.') + 1) + "(";
    for (const stablehlo::Value operand : op.operands) text += texts[operand.id] + ",";
    if (op.results.size() == 1) texts[op.results[0].id] = text + ")";
    else
      return text == "return(select(compare(subtract(x,y,),subtract(x,y,),),add(x,y,),add(maximum(x,y,),"
                     "log_plus_one(exponential(negate(abs(subtract(x,y,),),),),),),),";
  }
  return false;
}

namespace {

std::optional<Extreme> extreme_of(const stablehlo::Operation& op, stablehlo::Value x, stablehlo::Value y) {
  const auto* direction = find_as<stablehlo::Enumeration>(op.attributes, "comparison_direction");
  const auto* order = find_as<stablehlo::Enumeration>(op.attributes, "compare_type");
  const bool compares = op.name == "stablehlo.compare" && direction && op.operands.size() == 2 &&
                        op.operands[0] == x && op.operands[1] == y &&
                        (!order || order->value != "TOTALORDER");
  if (!compares || (direction->value != "GE" && direction->value != "LE")) return std::nullopt;
  return direction->value == "GE" ? Extreme::largest : Extreme::smallest;
}

bool selects(const stablehlo::Operation& op, stablehlo::Value which, stablehlo::Value x, stablehlo::Value y) {
  return op.name == "stablehlo.select" && op.operands == std::vector<stablehlo::Value>{which, x, y};
}

}  // namespace

std::optional<Extreme> kept_of(const stablehlo::Block& region) {
  const stablehlo::Operation* op = only_operation(region);
  if (!op || region.arguments.size() != 2) return std::nullopt;
  return extreme_of(*op, region.arguments[0], region.arguments[1]);
}

std::optional<Extreme> kept_pair_of(const stablehlo::Block& region) {
  const auto& x = region.arguments;
  const auto& ops = region.operations;
  if (x.size() != 4 || ops.size() != 4) return std::nullopt;
  const auto extreme = extreme_of(ops[0], x[0], x[2]);
  if (!extreme) return std::nullopt;
  const stablehlo::Value keeps = ops[0].results[0];
  const bool selects_pairs = selects(ops[1], keeps, x[0], x[2]) && selects(ops[2], keeps, x[1], x[3]);
  const bool returns_them =
      selects_pairs && ops[3].operands == std::vector<stablehlo::Value>{ops[1].results[0], ops[2].results[0]};
  return returns_them ? extreme : std::nullopt;
}

bool returns_second(const stablehlo::Block& region) {
  if (region.arguments.size() != 2 || region.operations.empty()) return false;
  const std::vector<stablehlo::Value>& returned = region.operations.back().operands;
  return returned.size() == 1 && before_constraints(region, returned[0]) == region.arguments[1];
}

}  // namespace tutti
