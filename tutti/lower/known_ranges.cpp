// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/known_ranges.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>

namespace tutti {
namespace {

using Range = KnownRanges::Range;
using Ranges = std::vector<Range>;  // of the operands
constexpr std::int64_t end = std::int64_t{1} << 31;

std::optional<Range> same(const Ranges& x) { return x[0]; }
std::optional<Range> sum(const Ranges& x) { return Range{x[0].least + x[1].least, x[0].most + x[1].most}; }
std::optional<Range> product(const Ranges& x) {
  return Range{x[0].least * x[1].least, x[0].most * x[1].most};
}
std::optional<Range> quotient(const Ranges& x) {
  if (x[1].least == 0) return {};
  return Range{x[0].least / x[1].most, x[0].most / x[1].least};
}
std::optional<Range> remainder(const Ranges& x) {
  if (x[1].least == 0) return {};
  return Range{x[0].most < x[1].least ? x[0].least : 0, std::min(x[0].most, x[1].most - 1)};
}
std::optional<Range> all_of_them(const Ranges& x) {
  return Range{std::ranges::min(x, {}, &Range::least).least, std::ranges::max(x, {}, &Range::most).most};
}

std::optional<Range> clamped(const std::optional<Range>& low, const std::optional<Range>& high) {
  if (!low || !high) return {};
  return Range{std::min(low->least, high->least), high->most};
}

/// Ranges of ops whose result has one only if all operands have.
struct Rule {
  std::string_view op;
  std::optional<Range> (*range)(const Ranges& operands);
};
constexpr Rule rules[] = {{"stablehlo.add", sum},
                          {"stablehlo.multiply", product},
                          {"stablehlo.divide", quotient},
                          {"stablehlo.remainder", remainder},
                          {"stablehlo.convert", same},
                          {"stablehlo.broadcast_in_dim", same},
                          {"stablehlo.reshape", same},
                          {"stablehlo.concatenate", all_of_them},
                          {"stablehlo.transpose", same},
                          {"stablehlo.slice", same},
                          {"stablehlo.minimum", all_of_them},
                          {"stablehlo.maximum", all_of_them}};

const stablehlo::Attribute* attribute(const stablehlo::Operation& operation, std::string_view name) {
  const auto found = std::ranges::find(operation.attributes, name, &stablehlo::NamedAttribute::name);
  return found == operation.attributes.end() ? nullptr : &found->value;
}

template <class T>
std::optional<Range> range_of_elements(const std::vector<std::byte>& data) {
  Ranges each;
  for (std::size_t at = 0; at + sizeof(T) <= data.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, data.data() + at, sizeof value);
    each.push_back({value, value});
  }
  if (each.empty()) return {};
  return all_of_them(each);
}

std::optional<Range> of_constant(const stablehlo::Operation& operation, std::string_view element) {
  const stablehlo::Attribute* value = attribute(operation, "value");
  if (!value) return {};
  const std::vector<std::byte>& data = std::get<stablehlo::Dense>(value->value).data;
  return element == "i64" ? range_of_elements<std::int64_t>(data) : range_of_elements<std::int32_t>(data);
}

std::optional<Range> of_iota(const stablehlo::Operation& operation, const stablehlo::TensorType& type) {
  const stablehlo::Attribute* dim = attribute(operation, "iota_dimension");
  if (!dim) return {};
  const auto at = static_cast<std::size_t>(std::get<stablehlo::Integer>(dim->value).value);
  return Range{0, std::max<std::int64_t>(type.shape[at] - 1, 0)};
}

}  // namespace

void KnownRanges::note(const stablehlo::Operation& operation) {
  if (operation.results.size() != 1) return;
  const auto* type = std::get_if<stablehlo::TensorType>(&operation.result_types[0]);
  if (!type || (type->element != "i32" && type->element != "i64" && type->element != "ui32")) return;
  const std::optional<Range> found = range_of(operation, *type);
  if (found && found->least >= 0 && found->most < end) ranges_.emplace(operation.results[0].id, *found);
}

std::optional<Range> KnownRanges::range_of(const stablehlo::Operation& operation,
                                           const stablehlo::TensorType& type) const {
  if (operation.name == "stablehlo.constant") return of_constant(operation, type.element);
  if (operation.name == "stablehlo.iota") return of_iota(operation, type);
  if (operation.name == "stablehlo.partition_id") return Range{0, devices_ - 1};
  const auto known = [&](stablehlo::Value value) {
    const auto at = ranges_.find(value.id);
    return at == ranges_.end() ? std::nullopt : std::optional(at->second);
  };
  if (operation.name == "stablehlo.clamp")
    return clamped(known(operation.operands[0]), known(operation.operands[2]));
  const auto* rule = std::ranges::find(rules, operation.name, &Rule::op);
  if (rule == std::end(rules)) return {};
  Ranges operands;
  for (const stablehlo::Value operand : operation.operands) {
    const std::optional<Range> range = known(operand);
    if (!range) return {};
    operands.push_back(*range);
  }
  return rule->range(operands);
}

bool KnownRanges::lies_in(stablehlo::Value value, std::int64_t last) const {
  const auto known = ranges_.find(value.id);
  return known != ranges_.end() && known->second.most <= last;
}

}  // namespace tutti
