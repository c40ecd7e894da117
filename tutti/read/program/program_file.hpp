// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/base/inside.hpp"

namespace tutti {

/// The text of a file; of "-" that of the standard input.
/// Throws R001 for a file that cannot be read, and for one that is no text of StableHLO: MLIR's bytecode,
/// the file of jax.export's serialize(), HLO, a jaxpr, a compressed or an empty file. The error says which,
/// and how to get the text.
std::string text_of_program_file(const std::string& path);

}  // namespace tutti
