// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tutti::xla {

/// An XLA_FLAGS option for one program: {"xla_allow_excess_precision", false}.
using Override = std::pair<std::string, std::variant<std::string, bool, std::int64_t, double>>;

/// Overrides that make XLA keep the meaning of a program: it rounds where the program rounds. On CPUs, max
/// and min keep NaN and order -0 before +0.
std::vector<Override> exact_numbers(std::string_view platform);

/// Serialises PJRT's CompileOptionsProto. Replica i runs on the device device_ids[i].
/// Throws I001 if there is no device, a negative one, or one twice: XLA would end the process.
std::string compile_options(std::span<const int> device_ids, std::span<const Override> overrides = {});

}  // namespace tutti::xla
