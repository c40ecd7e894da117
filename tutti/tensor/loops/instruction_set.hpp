// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tutti {

/// "AVX-512", "AVX2", ..: the instruction set that the loops run with; results are reproducible within one.
const char* instruction_set();

}  // namespace tutti
