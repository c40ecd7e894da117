// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/stablehlo/tree.hpp"

namespace tutti::stablehlo {

enum class TextForm { generic, pretty };

struct WriteOptions {
  TextForm form = TextForm::generic;
  bool locations = false;  // loc("file":line:column) behind every operation that has a place
};

/// The module as StableHLO text that MLIR, XLA and JAX read. Generic form: own attributes of operations in
/// <{..}>, foreign ones (`mhlo.`, `sdy.`) in {..}. Pretty form: as MLIR prints it, with the generic form for
/// operations that have no other. The same tree gives the same text: values are %0, %1, .., block arguments
/// %arg0, %arg1, .., counted in each function.
/// Throws I001 for a value that is used before it is defined.
std::string write(const Module& module, const WriteOptions& options = {});

}  // namespace tutti::stablehlo
