// SPDX-License-Identifier: Apache-2.0
#include "examples/support/progress.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <cstdio>

namespace examples {

void print_note(const std::string& text) { std::fputs(text.c_str(), stderr); }

Progress::Progress(int total) : total_(total), terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::show(int done, const std::string& note) {
  int tenths = done * 10 / total_;
  if (terminal_) {
    std::string bar;
    for (int i = 0; i < 30; ++i) bar += i * total_ < done * 30 ? "█" : "░";
    print_note(
        fmt::format("\r{} {:>3}%  {}\x1b[K{}", bar, done * 100 / total_, note, done == total_ ? "\n" : ""));
  } else if (tenths > shown_tenths_) {
    print_note(fmt::format("{:>3}%  {}\n", done * 100 / total_, note));
  }
  shown_tenths_ = tenths;
}

void Progress::end(const std::string& line) const { print_note((terminal_ ? "\n" : "") + line + "\n"); }

}  // namespace examples
