// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/program.hpp"

namespace tutti {

/// The program with a check_numbers after every equation that can make a NaN or an infinity, those of
/// sub-programs as well.
/// Of collectives only sums are checked: the others hand on what other devices hold.
Program with_number_checks(const Program& program);

}  // namespace tutti
