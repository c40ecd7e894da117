// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/program.hpp"

namespace tutti {

/// The program with a check_numbers after every equation that can make a NaN or an infinity, those of
/// sub-programs as well.
/// Among collectives only sums are checked. The others only move values.
Program with_number_checks(const Program& program);

}  // namespace tutti
