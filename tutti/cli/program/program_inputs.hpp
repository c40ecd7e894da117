// SPDX-License-Identifier: Apache-2.0
// The arguments of a program, as the options of `tutti run` give them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tutti/api/load.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/tensor/tensor.hpp"

namespace tutti::cli {

/// The values of parameters without --in.
enum class Missing { refused, random, zeros };

struct InputWords {
  /// One each: "x.npy", "params.npz:w1", "params.npz" (its arrays by name, or in order), "2x3xf32=0.5",
  /// "f32=1,2,3"; in front of each may stand the name of a parameter: "x=x.npy".
  std::vector<std::string> in;
  Missing missing = Missing::refused;
  std::uint64_t seed = 0;    // of random ones
  std::string command = {};  // to complete in an error: "tutti run step.mlir"
};

/// One tensor per parameter, of its type. Random floats are from [-1, 1), integers from 0 to 7.
/// Throws R001 for a file that is no array, R002 for a word that cannot be read, T015 for too few, too many,
/// or others than the program takes; the error lists all parameters, and for too few completes the command.
Tensors inputs_of(const Loaded& program, const InputWords& words);

/// NumPy has no bf16, so a file may hold the bits of one as u16. Returns such an array as bf16 if `wanted` is
/// bf16, and other arrays as they are.
Tensor with_bf16(Tensor tensor, DType wanted);

/// "f32[8,4]".
std::string type_text(const Shape& shape, DType dtype);

/// "x: f32[8,4] P(data)", one a line.
std::vector<std::string> lines_of(const std::vector<LoadedArray>& arrays);

}  // namespace tutti::cli
