// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tutti/xla/pjrt/abi.hpp"

namespace tutti::xla {

/// An error of a C function: a number of error_code, and a text.
struct Failure {
  std::int32_t code = error_code::unknown;
  std::string message;
  bool is_exception = false;  // the plugin threw a C++ exception
};

}  // namespace tutti::xla
