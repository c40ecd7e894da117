// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/base/inside.hpp"

namespace tutti {

/// From now on this process writes its last words to standard error when it is told to end (SIGTERM), and
/// then ends by that signal. Where the program has a handler of its own, that handler stays, and nothing is
/// written.
void write_last_words_when_ended();
/// Sets the last words. Empty: none.
void set_last_words(const std::string& words);

}  // namespace tutti
