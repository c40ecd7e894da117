// SPDX-License-Identifier: Apache-2.0
// Runs the PTX of kernels for all ranks of a group, and compares what they store with the definition.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tutti/kernels/check/check.hpp"
#include "tutti/kernels/ptx/atomics.hpp"

namespace tutti::kernels {

struct PtxRun {
  PtxTarget target = PtxTarget::sm_80;
  int calls = 3;
  std::uint32_t first_sequence = 1;
  std::uint32_t seed = 1;
  Numbers numbers = Numbers::any;
  std::int64_t wait_limit = 0;
  int absent = -1;       // a rank that launches nothing
  std::string ptx = {};  // replaces the PTX of the manifest
  std::int64_t most_steps = 200'000'000;
};

struct PtxOutcome {
  std::string fault;          // "": every output is bit-exact, if no wait was given up
  std::int64_t steps = 0;     // instructions of threads
  std::int64_t timeouts = 0;  // error words that report a wait given up
};

/// Runs the ranks in rounds, with all blocks resident. Each round draws the order of ranks anew and runs a
/// thread for some hundred instructions at most.
PtxOutcome run_ptx(const Manifest& manifest, const PtxRun& run = {});

}  // namespace tutti::kernels
