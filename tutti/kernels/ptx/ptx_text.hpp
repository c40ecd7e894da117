// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "tutti/kernels/ir/op.hpp"
#include "tutti/kernels/ptx/atomics.hpp"
#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::kernels {

struct PtxOptions {
  PtxTarget target = PtxTarget::sm_80;  // code for sm_80 runs on later GPUs too
  int warps = 4;                        // of a block, a power of two
};

/// The kernels as one module of PTX 7.8, which a driver of CUDA 11.8 or later compiles: an entry for each of them, with the
/// arguments of the kernel in order and no others. A block must have warps * 32 threads.
/// Throws I001 if a kernel does not verify, T015 if PTX cannot do an op, or if the warps are no power of two up to 32.
std::string ptx_text(std::span<const Function> kernels, const PtxOptions& options);
/// The kernels of a manifest, with its warps. Throws R001 if it is not valid, T015 if it is not for nvidia.
std::string ptx_text(const Manifest& manifest, PtxTarget target);

// The parts of a module.
std::string ptx_header(PtxTarget target);
std::string ptx_entry(const Function& kernel, const PtxOptions& options);

}  // namespace tutti::kernels
