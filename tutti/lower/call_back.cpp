// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/call_back.hpp"

#include <fmt/ranges.h>

#include <string>

namespace tutti {
namespace {

/// [dense<> : tensor<0xindex>, dense<[1, 0]> : tensor<2xindex>]: the dims of each type, the innermost first.
stablehlo::Attribute row_major_layouts(const Types& types) {
  std::vector<std::string> layouts;
  for (const Type& type : types) {
    std::vector<int> dims;
    for (int dim = type.rank(); dim-- > 0;) dims.push_back(dim);
    layouts.push_back(fmt::format("dense<{}> : tensor<{}xindex>",
                                  dims.empty() ? "" : fmt::format("[{}]", fmt::join(dims, ", ")),
                                  dims.size()));
  }
  return {stablehlo::Verbatim{fmt::format("[{}]", fmt::join(layouts, ", "))}};
}

}  // namespace

stablehlo::Attributes call_back_attributes(const Types& operands, const Types& results) {
  return {{"api_version", {stablehlo::Integer{4, "i32"}}},
          {"backend_config", {stablehlo::Dictionary{}}},
          {"call_target_name", {std::string(call_back_target)}},
          {"has_side_effect", {true}},
          {"operand_layouts", row_major_layouts(operands)},
          {"result_layouts", row_major_layouts(results)}};
}

}  // namespace tutti
