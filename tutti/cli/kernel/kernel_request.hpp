// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/cli/words/options.hpp"
#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::cli {

/// What `tutti kernel` is asked for. The spec may have no kernel.
struct KernelRequest {
  kernels::CollectiveSpec spec;
  kernels::Encoding encoding = kernels::Encoding::poll;
  kernels::Target target = kernels::Target::nvidia;
  std::string type_name;  // as the user wrote it: f8E4M3FN moves as u8
};

/// Throws R002 for a word that is none, T015 for an element type that kernels do not take.
KernelRequest request_of(const KernelArguments& arguments);

}  // namespace tutti::cli
