// SPDX-License-Identifier: Apache-2.0
// The parts that both texts of a kernel share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// The attribute that marks a load or store of Memory::own. Other tools keep attributes unknown to them.
inline constexpr std::string_view own_memory = "tutti.own";
inline constexpr int every_address_space = 31;  // of ttg.barrier

std::string joined_names(const Function& function, const std::vector<Value>& values);  // "%a, %3"
std::string joined_types(const std::vector<ValueType>& types);                         // "i32, tensor<8xi32>"
std::string joined_types(const Function& function, const std::vector<Value>& values);
std::string with_types(const Function& function, const std::vector<Value>& values);  // "%a: i32, %3: i1"
/// Prints the types of an op's operands and results: "(i32) -> i1".
std::string signature(const Function& function, const Op& op);

/// Prints a constant: "1 : i32", "true", "dense<0.000000e+00> : tensor<8xf32>".
std::string constant_text(const Constant& constant);
/// Prints the hint of an argument or of the result of an int_to_ptr: "{tt.divisibility = 16 : i32}"; "" if
/// there is none.
std::string hint_text(std::optional<int> divisibility, const ValueType& type);
/// Prints a cache policy: "#tt.cache_policy<..>".
std::string cache_text(Cache cache);
std::string quoted(std::string_view text);

}  // namespace tutti::kernels
