// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "tutti/kernels/ir/op.hpp"
#include "tutti/kernels/ptx/atomics.hpp"
#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::kernels {

/// Options of ptx_text.
struct PtxOptions {
  PtxTarget target = PtxTarget::sm_80;  // PTX for sm_80 also runs on later GPUs
  int warps = 4;                        // warps per block, a power of two
};

/// Prints the kernels as one module of PTX 7.8, which drivers of CUDA 11.8 and later compile. Each kernel
/// becomes an entry with exactly the kernel's arguments, in order. A block must have warps * 32 threads.
/// Throws I001 if a kernel does not verify, T015 if PTX lacks an op or warps is no power of two up to 32.
std::string ptx_text(std::span<const Function> kernels, const PtxOptions& options);
/// Prints the kernels of a manifest, with its warps. Throws R001 if the manifest is not valid, T015 if its
/// target is not nvidia.
std::string ptx_text(const Manifest& manifest, PtxTarget target);

// The parts of a module.
/// The lines before the entries: version, target, address size.
std::string ptx_header(PtxTarget target);
/// One kernel as an entry.
std::string ptx_entry(const Function& kernel, const PtxOptions& options);

}  // namespace tutti::kernels
