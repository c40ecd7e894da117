// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace examples {

/// Writes to stderr, which may be closed: a program goes on without its notes.
void print_note(const std::string& text);

/// How far long work has come: a bar that is drawn over on a terminal, a plain line every tenth elsewhere.
class Progress {
 public:
  explicit Progress(int total);
  void show(int done, const std::string& note);
  /// Writes a line below the bar.
  void end(const std::string& line) const;

 private:
  int total_;
  int shown_tenths_ = 0;
  bool terminal_;
};

}  // namespace examples
