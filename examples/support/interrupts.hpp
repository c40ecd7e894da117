// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>

namespace examples {

/// Turns the first Ctrl-C (SIGINT) into a request to stop. The second one ends the program at once. Where
/// SIGINT is ignored, as in a script's background, it stays ignored. There may be one object at a time.
class Interrupts {
 public:
  /// Throws R004 without a pipe or a thread.
  Interrupts();
  /// From now on Ctrl-C does what it did before.
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  std::stop_token token() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace examples
