// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <string_view>

#include "tutti/base/error.hpp"

namespace tutti {

/// Fails unless `program` throws an Error with this code, whose text has all parts.
void expect_refusal(const std::function<void()>& program, Code code,
                    std::initializer_list<std::string_view> parts);

}  // namespace tutti
