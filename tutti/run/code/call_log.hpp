// SPDX-License-Identifier: Apache-2.0
// The lines that a call writes for the user, and its failures, by the place in the program where they happen.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/devices/kernel.hpp"
#include "tutti/devices/transport.hpp"

namespace tutti {

/// One iteration of a loop, or the branch that was chosen, for the devices at one position along the
/// divergent axes (SubWork).
struct Iteration {
  const Iteration* outer;                   // null: the equation is in the program itself
  std::size_t equation;                     // of the loop or switch
  std::int64_t position;                    // along the divergent axes, among those of all processes
  const std::string* place;                 // "i=1": the same in words; empty if no axis is divergent
  std::int64_t number = 0;                  // of the iteration; of a switch the branch
  std::atomic<bool>* has_failed = nullptr;  // set by a failure inside that the call keeps; of a while loop
};
/// "i=1, j=0": the positions of all iterations. Empty if no axis is divergent.
std::string place_of(const Iteration* iteration);

/// Collects what happens in a call, from all its threads.
class CallLog {
 public:
  /// True if an error of a device does not stop the call: other processes wait for what this one sends.
  bool keeps_failures = false;

  /// `unit`: which of the distinct values the line is about.
  void add(const Iteration* iteration, std::size_t equation, std::int64_t unit, std::string line);
  /// An error of a device that does not stop the others.
  void add_failure(const Iteration* iteration, std::size_t equation, std::int64_t unit, Error error);

  struct Contents {
    std::vector<std::string> lines;  // in the order of the program: by iteration, equation, device
    std::optional<Error> failure;    // the first one in that order; later lines are left out
  };
  /// Returns what was collected, and forgets it.
  Contents take();
  /// The same for all processes of a machine, which all call it. Process 0 gets the lines of all, each gets
  /// the failure.
  Contents take(Transport& transport);

 private:
  struct Entry {
    /// Equation and iteration of all enclosing loops, outermost first; the equation; then positions and unit.
    std::vector<std::int64_t> place;
    std::variant<std::string, Error> what;
  };
  static std::vector<std::int64_t> place_in_program(const Iteration* iteration, std::size_t equation,
                                                    std::int64_t unit);
  /// Keeps nothing that comes after the first failure, because nobody is told of it.
  void add(Entry entry);
  std::mutex lock_;
  std::vector<Entry> entries_;
  std::optional<std::vector<std::int64_t>> first_failure_;  // its place
};

/// Where lines go if the user does not take them.
void print_to_standard_output(std::string_view line);

/// The printer of one step.
class StepPrinter : public kernel::Printer {
 public:
  StepPrinter(CallLog* log, const Iteration* iteration, std::size_t equation)
      : log_(log), iteration_(iteration), equation_(equation) {}

  std::int64_t unit = 0;  // the present one
  void print(std::string line) override {
    if (log_) log_->add(iteration_, equation_, unit, std::move(line));
  }
  std::string place() const override { return place_of(iteration_); }

 private:
  CallLog* log_;
  const Iteration* iteration_;
  std::size_t equation_;
};

}  // namespace tutti
