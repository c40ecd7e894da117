// SPDX-License-Identifier: Apache-2.0
// Declarations that the sources of the fake driver share. No header declares its functions, which have C
// linkage and the driver's names.
#pragma once

#include "tests/kernels/fake_driver/state.hpp"

namespace fake_cuda {

std::vector<Context*>& context_stack();

enum Result {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  invalid_context = 201,
  invalid_handle = 400
};

}  // namespace fake_cuda
