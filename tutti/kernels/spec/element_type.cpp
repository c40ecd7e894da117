// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/spec/element_type.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::kernels {
namespace {

// The spellings of StableHLO and XLA.
constexpr std::string_view types_of_8_bits[] = {"f8E3M4",        "f8E4M3", "f8E4M3FN",   "f8E4M3FNUZ",
                                                "f8E4M3B11FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU"};
constexpr std::string_view types_of_4_bits[] = {"i4", "s4", "u4", "ui4", "f4E2M1FN"};

bool is_equal(std::string_view a, std::string_view b) {
  const auto lower = [](unsigned char c) { return std::tolower(c); };
  return std::ranges::equal(a, b, {}, lower, lower);
}

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::ranges::any_of(names, [&](std::string_view one) { return is_equal(one, name); });
}

}  // namespace

std::variant<DType, ElementRefusal> element_type(std::string_view type_name, CollectiveKind kind) {
  if (const std::optional<DType> dtype = dtype_named(type_name)) return *dtype;
  if (is_one_of(types_of_4_bits, type_name))
    return ElementRefusal{fmt::format("{} has 4 bits: an address is that of a byte, and two ranks would "
                                      "store halves of one; pack two in a u8",
                                      type_name)};
  if (is_one_of(types_of_8_bits, type_name)) {
    if (!is_reduction(kind)) return DType::u8;
    return ElementRefusal{fmt::format("{} moves, but kernels do not add it; convert to f16", type_name)};
  }
  std::vector<std::string_view> names;
  for (DType one : all_dtypes()) names.push_back(tutti::name(one));
  return ElementRefusal{fmt::format("there is no type '{}'; use one of {}, or of f8 for movement", type_name,
                                    fmt::join(names, ", "))};
}

}  // namespace tutti::kernels
