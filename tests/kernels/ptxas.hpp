// SPDX-License-Identifier: Apache-2.0
// Runs ptxas, the assembler of NVIDIA, which needs no GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tutti::kernels {

/// Finds the first ptxas: on PATH, in a CUDA toolkit, in the Python package nvidia-cuda-nvcc in .venv, in the
/// Triton wheel in .venv-triton.
std::optional<std::string> find_ptxas();
inline constexpr const char* no_ptxas =
    "there is no ptxas: put the one of a CUDA toolkit on PATH, or install nvidia-cuda-nvcc in .venv";

/// The resources of one entry, as ptxas reports them.
struct Assembled {
  std::string entry;
  int registers = 0, barriers = 0, spill_bytes = 0, stack_bytes = 0;
};
struct Assembly {
  std::vector<Assembled> entries;
  std::string errors;  // empty if ptxas accepts the text
};
Assembly assemble(const std::string& ptxas, const std::string& ptx, const std::string& architecture);

}  // namespace tutti::kernels
