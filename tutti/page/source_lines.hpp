// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "tutti/base/inside.hpp"

namespace tutti {

/// These lines of a source file and some around them, by number from 1. Empty if the file cannot be read, is
/// very large, or has no name of a source file: a program's text may name any file of the machine.
std::map<int, std::string> source_lines(const std::string& file, const std::set<int>& wanted);

}  // namespace tutti
