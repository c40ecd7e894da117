// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/stablehlo/tree.hpp"

namespace tutti::stablehlo {

struct WriteOptions {
  bool locations = false;  // loc("file":line:column) behind every operation that has a place
};

/// The module as StableHLO text that MLIR, XLA and JAX read: operations in generic form, their own attributes
/// in <{..}> and foreign ones (`mhlo.`, `sdy.`) in {..}. The same tree gives the same text: values are %0,
/// %1, .., block arguments %arg0, %arg1, .., counted in each function.
/// Throws I001 for a value that is used before it is defined.
std::string write(const Module& module, const WriteOptions& options = {});

}  // namespace tutti::stablehlo
