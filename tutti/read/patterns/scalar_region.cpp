// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/patterns/scalar_region.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "tutti/stablehlo/element.hpp"

namespace tutti {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();

/// -0 before 0, NaN last.
bool totally_less(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
  if (x == 0 && y == 0) return std::signbit(x) && !std::signbit(y);
  return x < y;
}

std::optional<double> compared(const stablehlo::Operation& op, double x, double y) {
  const auto word = [&](const char* name) -> std::string {
    const auto* found = find_as<stablehlo::Enumeration>(op.attributes, name);
    return found ? found->value : "";
  };
  const std::string direction = word("comparison_direction");
  const bool is_total = word("compare_type") == "TOTALORDER";
  const bool less = is_total ? totally_less(x, y) : x < y, greater = is_total ? totally_less(y, x) : x > y;
  const bool same = is_total ? !less && !greater : x == y;
  if (direction == "LT") return less;
  if (direction == "GT") return greater;
  if (direction == "LE") return less || same;
  if (direction == "GE") return greater || same;
  if (direction == "EQ") return same;
  if (direction == "NE") return !same;
  return std::nullopt;
}

/// Reads the bits of a float as an integer. Floats of all lengths are ordered as those of 32 bits.
double ordered_bits(double x) {
  return static_cast<double>(std::bit_cast<std::int32_t>(static_cast<float>(x)));
}

std::optional<double> computed(const stablehlo::Operation& op, const std::vector<double>& x) {
  const std::string_view name = op.name;
  if (name == "stablehlo.constant") return number_of_constant(op);
  if (name == "stablehlo.compare" && x.size() == 2) return compared(op, x[0], x[1]);
  if (name == "stablehlo.select" && x.size() == 3) return x[0] != 0 ? x[1] : x[2];
  if (name == "stablehlo.and" && x.size() == 2) return x[0] != 0 && x[1] != 0;
  if (name == "stablehlo.or" && x.size() == 2) return x[0] != 0 || x[1] != 0;
  if (name == "stablehlo.xor" && x.size() == 2) return (x[0] != 0) != (x[1] != 0);
  if (name == "stablehlo.not" && x.size() == 1) return x[0] == 0;
  if (name == "stablehlo.negate" && x.size() == 1) return -x[0];
  if (name == "stablehlo.bitcast_convert" && x.size() == 1) return ordered_bits(x[0]);
  if ((name == "stablehlo.convert" || name == "sdy.sharding_constraint" || name == "stablehlo.reshape") &&
      x.size() == 1)
    return x[0];
  return std::nullopt;
}

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

template <class F>
void for_each_choice(const std::vector<double>& samples, std::size_t count, const F& f) {
  std::vector<std::size_t> at(count, 0);
  std::vector<double> chosen(count, samples[0]);
  while (f(chosen)) {
    std::size_t i = 0;
    for (; i < count && ++at[i] == samples.size(); ++i) {
      at[i] = 0;
      chosen[i] = samples[0];
    }
    if (i == count) return;
    chosen[i] = samples[at[i]];
  }
}

/// The order of Sort: -0 equals 0, NaNs are equal and last.
int order_of(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return static_cast<int>(std::isnan(x)) - static_cast<int>(std::isnan(y));
  return static_cast<int>(x > y) - static_cast<int>(x < y);
}

bool orders_by(const stablehlo::Block& region, const SortOrder& order, const std::vector<double>& samples,
               const OuterNumbers& outer) {
  const std::size_t operands = region.arguments.size() / 2;
  const std::size_t looked_at = std::min(operands, static_cast<std::size_t>(order.keys) + 1);
  bool agrees = true;
  for_each_choice(samples, 2 * looked_at, [&](const std::vector<double>& chosen) {
    std::vector<double> arguments(2 * operands, 0.0);
    std::ranges::copy(chosen, arguments.begin());
    int first = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(order.keys) && first == 0; ++k) {
      const double x = chosen[2 * k], y = chosen[2 * k + 1];
      first = order.is_total ? static_cast<int>(totally_less(y, x)) - static_cast<int>(totally_less(x, y))
                             : order_of(x, y);
    }
    const auto found = tried(region, arguments, outer);
    const bool is_before = order.is_descending ? first > 0 : first < 0;
    agrees = found && found->size() == 1 && (found->front() != 0) == is_before;
    return agrees;
  });
  return agrees;
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
    case Kind::natural: return static_cast<double>(bits);
    case Kind::integer: return static_cast<double>(stablehlo::integer_of(*element, bits));
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

std::optional<std::vector<double>> tried(const stablehlo::Block& region, const std::vector<double>& arguments,
                                         const OuterNumbers& outer) {
  std::unordered_map<int, double> values;
  for (std::size_t i = 0; i < arguments.size(); ++i) values[region.arguments[i].id] = arguments[i];
  for (const stablehlo::Operation& op : region.operations) {
    std::vector<double> operands;
    for (const stablehlo::Value operand : op.operands) {
      const auto known = values.find(operand.id);
      const std::optional<double> number = known != values.end() ? known->second : outer(operand);
      if (!number) return std::nullopt;
      operands.push_back(*number);
    }
    if (op.name == "stablehlo.return") return operands;
    const std::optional<double> result = computed(op, operands);
    if (!result || op.results.size() != 1) return std::nullopt;
    values[op.results[0].id] = *result;
  }
  return std::nullopt;
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

bool returns_second(const stablehlo::Block& region) {
  if (region.arguments.size() != 2) return false;
  const auto no_numbers = [](stablehlo::Value) { return std::optional<double>(); };
  const auto found = tried(region, {1, 2}, no_numbers);
  return found && *found == std::vector<double>{2};
}

std::optional<ReduceKind> arg_reducer_of(const stablehlo::Block& region, bool of_floats,
                                         const OuterNumbers& outer) {
  if (region.arguments.size() != 4) return std::nullopt;
  std::vector<double> samples{0, 1};  // of bools and unsigned integers, too
  if (of_floats) samples = {-HUGE_VAL, -1, 0, 1, HUGE_VAL, nan};
  for (const ReduceKind kind : {ReduceKind::max, ReduceKind::min}) {
    bool agrees = true;
    for_each_choice(samples, 2, [&](const std::vector<double>& v) {
      const auto found = tried(region, {v[0], 3, v[1], 5}, outer);
      const bool is_larger = kind == ReduceKind::max ? v[0] >= v[1] : v[0] <= v[1];
      const bool first = std::isnan(v[0]) || is_larger;
      agrees = found && found->size() == 2 && (*found)[1] == (first ? 3 : 5);
      return agrees;
    });
    if (agrees) return kind;
  }
  return std::nullopt;
}

std::optional<SortOrder> sort_order_of(const stablehlo::Block& region, bool of_floats,
                                       const OuterNumbers& outer) {
  // A comparator of floats that does not place NaN has no order for it: it is not tried.
  const std::vector<double> plain =
      of_floats ? std::vector<double>{-1, -0.0, 0, 2} : std::vector<double>{0, 1, 2};
  const int operands = static_cast<int>(region.arguments.size() / 2);
  for (int keys = 1; keys <= std::min(operands, 3); ++keys)
    for (const bool is_descending : {false, true})
      if (orders_by(region, {keys, is_descending}, plain, outer)) return SortOrder{keys, is_descending};
  const SortOrder total{.keys = 1, .is_descending = true, .is_total = true};
  if (of_floats && orders_by(region, total, {-1, -0.0, 0, 2, nan}, outer)) return total;
  return std::nullopt;
}

}  // namespace tutti
