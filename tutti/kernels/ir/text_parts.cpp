// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ir/text_parts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "tutti/base/overloaded.hpp"

namespace tutti::kernels {
namespace {

/// The hexadecimal text of an infinity or the quiet NaN, which MLIR cannot write in decimals.
std::string_view special_text(double value, Scalar scalar) {
  const int kind = std::isnan(value) ? 2 : value < 0 ? 1 : 0;
  static constexpr std::string_view of_f16[]{"0x7C00", "0xFC00", "0x7E00"};
  static constexpr std::string_view of_bf16[]{"0x7F80", "0xFF80", "0x7FC0"};
  static constexpr std::string_view of_f32[]{"0x7F800000", "0xFF800000", "0x7FC00000"};
  static constexpr std::string_view of_f64[]{"0x7FF0000000000000", "0xFFF0000000000000",
                                             "0x7FF8000000000000"};
  if (scalar == Scalar::f16) return of_f16[kind];
  if (scalar == Scalar::bf16) return of_bf16[kind];
  return scalar == Scalar::f32 ? of_f32[kind] : of_f64[kind];
}

std::string float_text(double value, Scalar scalar) {
  if (!std::isfinite(value)) return std::string(special_text(value, scalar));
  const std::string shorter = fmt::format("{:.6e}", value);
  return std::strtod(shorter.c_str(), nullptr) == value ? shorter : fmt::format("{:.17e}", value);
}

}  // namespace

std::string joined_names(const Function& function, const std::vector<Value>& values) {
  std::string all;
  for (Value value : values) all += (all.empty() ? "" : ", ") + value_name(function, value);
  return all;
}

std::string joined_types(const std::vector<ValueType>& types) {
  std::string all;
  for (const ValueType& type : types) all += (all.empty() ? "" : ", ") + to_string(type);
  return all;
}

std::string joined_types(const Function& function, const std::vector<Value>& values) {
  return joined_types(types_of(function, values));
}

std::string with_types(const Function& function, const std::vector<Value>& values) {
  std::string all;
  for (Value value : values)
    all += fmt::format("{}{}: {}", all.empty() ? "" : ", ", value_name(function, value),
                       to_string(type_of(function, value)));
  return all;
}

std::string signature(const Function& function, const Op& op) {
  const std::string results = joined_types(function, op.results);
  return fmt::format("({}) -> {}", joined_types(function, op.operands),
                     op.results.size() == 1 ? results : "(" + results + ")");
}

std::string constant_text(const Constant& constant) {
  const ValueType& type = constant.type;
  std::string number = std::visit(Overloaded{[&](double value) { return float_text(value, type.scalar); },
                                             [&](std::int64_t value) {
                                               if (type.scalar == Scalar::i1)
                                                 return std::string(value == 1 ? "true" : "false");
                                               return fmt::format("{}", value);
                                             }},
                                  constant.value);
  if (is_tensor(type)) return fmt::format("dense<{}> : {}", number, to_string(type));
  return type.scalar == Scalar::i1 ? number : fmt::format("{} : {}", number, to_string(type));
}

std::string hint_text(std::optional<int> divisibility, const ValueType& type) {
  if (!divisibility) return "";
  if (!is_tensor(type)) return fmt::format("{{tt.divisibility = {} : i32}}", *divisibility);
  return fmt::format("{{tt.divisibility = dense<{}> : tensor<{}xi32>}}", *divisibility, type.dims.size());
}

std::string cache_text(Cache cache) {
  return fmt::format("#tt.cache_policy<cache_modifier = {}, eviction_policy = evict_normal>",
                     to_string(cache));
}

std::string quoted(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\') all += fmt::format("\\{:02X}", byte);
    else all += c;
  }
  return all + "\"";
}

}  // namespace tutti::kernels
