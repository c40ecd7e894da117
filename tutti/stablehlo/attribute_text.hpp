// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tutti/stablehlo/tree.hpp"

namespace tutti::stablehlo {

/// "tensor<8x4xf32>".
std::string to_string(const TensorType& type);
/// "tensor<8x4xf32>", "!stablehlo.future<tensor<8x4xf32>>", "!stablehlo.token".
std::string to_string(const ValueType& type);
/// "tensor<2xf32>, tensor<3xf32>"
std::string listed_types(const std::vector<ValueType>& types);
/// "(tensor<2xf32>) -> tensor<3xf32>"; several results, and one that is a function, stand in parentheses.
std::string functional_type(const std::vector<ValueType>& operands, const std::vector<ValueType>& results);
/// "<["x"=4, "y"=2]>".
std::string to_string(const MeshAxes& mesh);
/// "<@mesh, [{"x"}, {}]>".
std::string to_string(const ValueSharding& sharding);
/// "[<@mesh, [{"x"}]>, ..]".
std::string to_string(const ShardingPerValue& all);
/// "{"x", "y"}".
std::string to_string(const ManualAxes& axes);
/// As MLIR reads it; reading it back gives the same bits, NaN and infinities included.
std::string to_string(const Attribute& attribute);
/// "{channel_id = 1 : i64, use_global_device_ids}".
std::string to_string(const Attributes& attributes);
/// "dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>"; more than 100 elements as one string of bytes.
std::string to_string(const Dense& dense);
/// In quotes, with escapes.
std::string quoted(std::string_view text);
/// "@main", or quoted where the name needs it.
std::string symbol(std::string_view name);

}  // namespace tutti::stablehlo
