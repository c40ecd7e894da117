// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/cli/words/options.hpp"
#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::cli {

/// The request of a `tutti kernel` command line. A kernel for the spec need not exist.
struct KernelRequest {
  kernels::CollectiveSpec spec;
  kernels::Encoding encoding = kernels::Encoding::poll;
  kernels::Target target = kernels::Target::nvidia;
  std::string type_name;  // as the user wrote it: f8E4M3FN moves as u8
};

/// Reads a request from the command line's words. Throws R002 for a word that is not valid, T015 for an
/// element type that kernels do not take.
KernelRequest request_of(const KernelArguments& arguments);

}  // namespace tutti::cli
