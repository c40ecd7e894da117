// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/base/inside.hpp"
#include "tutti/ir/program.hpp"

namespace tutti {

/// One line for each psum of a program, or of its sub-programs, whose operand is equal along an axis that it
/// sums over:
/// "train.cpp:12: all_reduce counts an equal value once per device along 'i'; if it is to count once, leave
/// the sum out".
/// A pmean is no such sum, and neither are those that transforms record: they add what differs between
/// devices.
std::vector<std::string> equal_terms(const Program& program);

}  // namespace tutti
