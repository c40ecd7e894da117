// SPDX-License-Identifier: Apache-2.0
// Parts of both texts of a kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// The attribute of a load or store of Memory::own. Tools keep attributes that they do not know.
inline constexpr std::string_view own_memory = "tutti.own";
inline constexpr int every_address_space = 31;  // of ttg.barrier

std::string joined_names(const Function& function, const std::vector<Value>& values);  // "%a, %3"
std::string joined_types(const std::vector<ValueType>& types);                         // "i32, tensor<8xi32>"
std::string joined_types(const Function& function, const std::vector<Value>& values);
std::string with_types(const Function& function, const std::vector<Value>& values);  // "%a: i32, %3: i1"
/// "(i32) -> i1"
std::string signature(const Function& function, const Op& op);

/// "1 : i32", "true", "dense<0.000000e+00> : tensor<8xf32>"
std::string constant_text(const Constant& constant);
/// "{tt.divisibility = 16 : i32}", of a pointer that an int_to_ptr makes, or of an argument; "" without a hint.
std::string hint_text(std::optional<int> divisibility, const ValueType& type);
/// "#tt.cache_policy<..>"
std::string cache_text(Cache cache);
std::string quoted(std::string_view text);

}  // namespace tutti::kernels
