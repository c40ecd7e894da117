// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/patterns/ordering.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tutti/read/patterns/scalar_region.hpp"
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

std::string word_of(const stablehlo::Operation& op, const char* attribute) {
  const auto* found = find_as<stablehlo::Enumeration>(op.attributes, attribute);
  return found ? found->value : "";
}

bool compared(const stablehlo::Operation& op, double x, double y) {
  const std::string direction = word_of(op, "comparison_direction");
  const bool is_total = word_of(op, "compare_type") == "TOTALORDER";
  const bool less = is_total ? totally_less(x, y) : x < y, greater = is_total ? totally_less(y, x) : x > y;
  const bool same = is_total ? !less && !greater : x == y;
  if (direction == "LT") return less;
  if (direction == "GT") return greater;
  if (direction == "LE") return less || same;
  if (direction == "GE") return greater || same;
  return direction == "EQ" ? same : !same;
}

/// The bits of x as an f32, read as an integer. This stands for bitcast_convert of f16, bf16 and f64 too:
/// the order of their bits is the same.
double ordered_bits(double x) {
  return static_cast<double>(std::bit_cast<std::int32_t>(static_cast<float>(x)));
}

std::optional<stablehlo::Element> element_of(const stablehlo::ValueType& type) {
  const auto* tensor = std::get_if<stablehlo::TensorType>(&type);
  return tensor && tensor->shape.empty() ? stablehlo::element_named(tensor->element) : std::nullopt;
}

bool is_bool(const stablehlo::ValueType& type) {
  const auto element = element_of(type);
  return element && element->kind == stablehlo::Element::Kind::boolean;
}

/// One region and what its values are.
class Region {
 public:
  Region(const stablehlo::Block& block, const OuterNumbers& outer) : block_(block), outer_(outer) {
    for (std::size_t i = 0; i < block.arguments.size(); ++i) arguments_[block.arguments[i].id] = i;
    for (const stablehlo::Operation& op : block.operations) only_compares_ = only_compares_ && look_at(op);
  }

  /// True if the results follow from the order of the arguments alone.
  bool only_compares() const { return only_compares_; }

  /// The results for these arguments. Bools are 0 and 1.
  std::vector<double> operator()(const std::vector<double>& arguments) const {
    std::unordered_map<int, double> values;
    for (std::size_t i = 0; i < arguments.size(); ++i) values[block_.arguments[i].id] = arguments[i];
    std::vector<double> x;
    for (const stablehlo::Operation& op : block_.operations) {
      x.clear();
      for (const stablehlo::Value operand : op.operands) {
        const auto known = values.find(operand.id);
        x.push_back(known != values.end() ? known->second : outer_(operand).value_or(nan));
      }
      if (op.name == "stablehlo.return") break;
      values[op.results[0].id] = computed(op, x);
    }
    return x;
  }

 private:
  static double computed(const stablehlo::Operation& op, const std::vector<double>& x) {
    const std::string_view name = op.name;
    if (name == "stablehlo.constant") return number_of_constant(op).value_or(nan);
    if (name == "stablehlo.compare") return compared(op, x[0], x[1]) ? 1 : 0;
    if (name == "stablehlo.select") return x[0] != 0 ? x[1] : x[2];
    if (name == "stablehlo.and") return x[0] != 0 && x[1] != 0 ? 1 : 0;
    if (name == "stablehlo.or") return x[0] != 0 || x[1] != 0 ? 1 : 0;
    if (name == "stablehlo.xor") return (x[0] != 0) != (x[1] != 0) ? 1 : 0;
    if (name == "stablehlo.not") return x[0] == 0 ? 1 : 0;
    if (name == "stablehlo.bitcast_convert") return ordered_bits(x[0]);
    return x[0];
  }

  std::optional<std::size_t> argument(stablehlo::Value value) const {
    const auto found = arguments_.find(value.id);
    return found == arguments_.end() ? std::nullopt : std::optional(found->second);
  }

  std::optional<double> number(stablehlo::Value value) const {
    const auto own = numbers_.find(value.id);
    if (own != numbers_.end()) return own->second;
    return argument(value) || made_.contains(value.id) ? std::nullopt : outer_(value);
  }

  /// A comparison of one argument with a constant, or with itself.
  enum class Fact { is_zero, is_nan };
  struct Found {
    Fact fact;
    std::size_t argument;
  };

  /// Notes the result of an operation. False: it may depend on more than the order of the arguments.
  bool look_at(const stablehlo::Operation& op) {
    if (op.name == "stablehlo.return") return true;
    if (op.results.size() != 1 || op.result_types.size() != 1 || !op.regions.empty()) return false;
    const int result = op.results[0].id;
    made_.insert(result);
    if (op.name == "stablehlo.constant") {
      const auto value = number_of_constant(op);
      if (value) numbers_[result] = *value;
      return value.has_value();
    }
    if (op.name == "stablehlo.compare") return op.operands.size() == 2 && look_at_compare(op);
    if (op.name == "stablehlo.select") return op.operands.size() == 3 && look_at_select(op);
    if (op.name == "stablehlo.bitcast_convert" && op.operands.size() == 1 && argument(op.operands[0]))
      return bits_.insert(result).second;
    const bool is_same = op.name == "stablehlo.convert" || op.name == "stablehlo.reshape" ||
                         op.name == "sdy.sharding_constraint";
    if (is_same && op.operands.size() == 1 && op.operand_types == op.result_types) {
      if (const auto of = argument(op.operands[0])) arguments_[result] = *of;
      if (const auto value = number(op.operands[0])) numbers_[result] = *value;
      return true;
    }
    const std::size_t operands = op.name == "stablehlo.not" ? 1 : 2;
    const bool is_logic = op.name == "stablehlo.and" || op.name == "stablehlo.or" ||
                          op.name == "stablehlo.xor" || op.name == "stablehlo.not";
    return is_logic && op.operands.size() == operands && is_bool(op.result_types[0]);
  }

  bool look_at_compare(const stablehlo::Operation& op) {
    const auto element = op.operand_types.empty() ? std::nullopt : element_of(op.operand_types[0]);
    if (!element || element->complex) return false;
    const auto x = argument(op.operands[0]), y = argument(op.operands[1]);
    const std::string direction = word_of(op, "comparison_direction");
    if (x && y) {
      if (x == y && direction == "NE") found_.insert({op.results[0].id, {Fact::is_nan, *x}});
      return true;
    }
    if (bits_.contains(op.operands[0].id)) return bits_.contains(op.operands[1].id);
    if (x && direction == "EQ" && number(op.operands[1]) == 0.0)
      return found_.insert({op.results[0].id, {Fact::is_zero, *x}}).second;
    return is_bool(op.operand_types[0]) && !x && !y;  // of what was decided before
  }

  /// A select of 0 where an argument is 0, or of NaN where it is NaN, is that argument.
  bool look_at_select(const stablehlo::Operation& op) {
    const auto found = found_.find(op.operands[0].id);
    const auto constant = number(op.operands[1]);
    const auto otherwise = argument(op.operands[2]);
    if (found == found_.end() || !constant) return !constant && !number(op.operands[2]);
    const bool is_what_it_was =
        found->second.fact == Fact::is_zero ? *constant == 0.0 : std::isnan(*constant);
    if (!is_what_it_was || otherwise != found->second.argument) return false;
    arguments_[op.results[0].id] = *otherwise;
    return true;
  }

  const stablehlo::Block& block_;
  const OuterNumbers& outer_;
  bool only_compares_ = true;
  std::unordered_map<int, std::size_t> arguments_;  // which argument a value is
  std::unordered_map<int, double> numbers_;         // of constants
  std::unordered_set<int> bits_;                    // values that are the bits of an argument
  std::unordered_map<int, Found> found_;
  std::unordered_set<int> made_;  // values of the region itself
};

using Pair = std::pair<double, double>;

/// Two numbers of a type in each order, and on both sides of 0.
std::vector<Pair> pairs_of(const stablehlo::ValueType& type) {
  const auto element = element_of(type);
  std::vector<Pair> pairs{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  if (!element || element->kind == stablehlo::Element::Kind::boolean) return pairs;
  pairs.insert(pairs.end(), {{1, 2}, {2, 1}});
  if (element->kind == stablehlo::Element::Kind::natural) return pairs;
  pairs.insert(pairs.end(), {{-1, 0}, {0, -1}});
  if (stablehlo::is_float(*element))
    pairs.insert(
        pairs.end(),
        {{-2, -1}, {-1, -2}, {-1, 1}, {1, -1}, {-0.0, 0.0}, {0.0, -0.0}, {nan, 1}, {1, nan}, {nan, nan}});
  return pairs;
}

/// The order of Sort: -0 equals 0, NaNs are equal and last.
int order_of(const Pair& pair) {
  const auto [x, y] = pair;
  if (std::isnan(x) || std::isnan(y))
    return static_cast<int>(std::isnan(x)) - static_cast<int>(std::isnan(y));
  return static_cast<int>(x > y) - static_cast<int>(x < y);
}

int total_order_of(const Pair& pair) {
  const auto [x, y] = pair;
  return static_cast<int>(totally_less(y, x)) - static_cast<int>(totally_less(x, y));
}

bool has_nan(const std::vector<Pair>& chosen) {
  return std::ranges::any_of(chosen, [](const Pair& pair) {
    return std::isnan(pair.first) || std::isnan(pair.second);
  });
}

/// The comparator's answer, for the pairs as they are and with each one turned.
std::array<bool, 2> answers(const Region& region, const std::vector<Pair>& chosen, std::size_t operands) {
  std::array<bool, 2> found{};
  for (const int turned : {0, 1}) {
    std::vector<double> arguments(2 * operands, 0.0);
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      arguments[2 * k] = turned == 0 ? chosen[k].first : chosen[k].second;
      arguments[2 * k + 1] = turned == 0 ? chosen[k].second : chosen[k].first;
    }
    found[static_cast<std::size_t>(turned)] = region(arguments)[0] != 0;
  }
  return found;
}

bool orders_by(const stablehlo::Block& block, const Region& region, const SortOrder& order) {
  const std::size_t operands = block.arguments.size() / 2, keys = static_cast<std::size_t>(order.keys);
  std::vector<std::vector<Pair>> choices;
  for (std::size_t k = 0; k < std::min(operands, keys + 1); ++k)
    choices.push_back(pairs_of(block.argument_types[2 * k]));
  std::vector<std::size_t> at(choices.size(), 0);
  for (;;) {
    std::vector<Pair> chosen;
    for (std::size_t k = 0; k < choices.size(); ++k) chosen.push_back(choices[k][at[k]]);
    int first = 0;
    for (std::size_t k = 0; k < keys && first == 0; ++k)
      first = order.is_total ? total_order_of(chosen[k]) : order_of(chosen[k]);
    const bool is_before = order.is_descending ? first > 0 : first < 0;
    const auto [found, turned] = answers(region, chosen, operands);
    const bool leaves_nan_open = !order.is_total && has_nan(chosen) && !found && !turned;
    if (found != is_before && !leaves_nan_open) return false;
    std::size_t k = 0;
    while (k < at.size() && ++at[k] == choices[k].size()) at[k++] = 0;
    if (k == at.size()) return true;
  }
}

}  // namespace

std::optional<ReduceKind> arg_reducer_of(const stablehlo::Block& block, const OuterNumbers& outer) {
  if (block.arguments.size() != 4 || block.operations.empty()) return std::nullopt;
  const Region region(block, outer);
  if (!region.only_compares() || block.operations.back().operands.size() != 2) return std::nullopt;
  const auto is_same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  for (const ReduceKind kind : {ReduceKind::max, ReduceKind::min}) {
    const bool agrees = std::ranges::all_of(pairs_of(block.argument_types[0]), [&](const Pair& pair) {
      const auto [x, y] = pair;
      const bool is_first = std::isnan(x) || (kind == ReduceKind::max ? x >= y : x <= y);
      const std::vector<double> found = region({x, 3, y, 5});
      return is_same(found[0], is_first ? x : y) && found[1] == (is_first ? 3 : 5);
    });
    if (agrees) return kind;
  }
  return std::nullopt;
}

std::optional<SortOrder> sort_order_of(const stablehlo::Block& block, const OuterNumbers& outer) {
  constexpr int most_keys = 4;
  if (block.operations.empty()) return std::nullopt;
  const Region region(block, outer);
  if (!region.only_compares() || block.operations.back().operands.size() != 1) return std::nullopt;
  const int operands = static_cast<int>(block.arguments.size() / 2);
  for (int keys = 1; keys <= std::min(operands, most_keys); ++keys)
    for (const bool is_descending : {false, true})
      if (orders_by(block, region, {keys, is_descending})) return SortOrder{keys, is_descending};
  const SortOrder total{.keys = 1, .is_descending = true, .is_total = true};
  if (operands > 0 && orders_by(block, region, total)) return total;
  return std::nullopt;
}

}  // namespace tutti
