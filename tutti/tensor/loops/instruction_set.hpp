// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tutti {

/// Name of the instruction set that the loops use: "AVX-512", "AVX2", .. Results are reproducible within one
/// set.
const char* instruction_set();

}  // namespace tutti
