// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tutti/control/boundary.hpp"
#include "tutti/run/plan/plan.hpp"

namespace tutti {

/// For every output of a plan the input that it is written over when the caller gives that input away, or -1. It is
/// then handed out as the output: both are of one type and lie alike. No input is taken twice. The steps stay as they
/// are: only the output's slot is the input's buffer, so the bits do too.
std::vector<int> inputs_to_overwrite(const LocalProgram& local, const Plan& plan);

}  // namespace tutti
