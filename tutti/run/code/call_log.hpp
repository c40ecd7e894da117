// SPDX-License-Identifier: Apache-2.0
// The lines that a call writes for the user, by the place in the program where they are written.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "tutti/devices/kernel.hpp"

namespace tutti {

/// One trip of a loop, or the branch that was chosen, for the devices at one position along the axes decided (SubWork).
struct Trip {
  const Trip* outer;         // null: the equation is in the program itself
  std::size_t equation;      // of the loop or switch
  std::int64_t position;     // along the axes decided
  const std::string* place;  // "i=1": the same in words; empty if no axis is decided
  std::int64_t number = 0;   // of the trip; of a switch the branch
};
/// "i=1, j=0": the positions of all trips. Empty if no axis is decided.
std::string place_of(const Trip* trip);

/// Collects lines from all workers.
class CallLog {
 public:
  /// `unit`: which of the distinct values the line is about.
  void add(const Trip* trip, std::size_t equation, std::int64_t unit, std::string line);
  /// Returns the lines in the order of the program: by trip, equation, device. Forgets them.
  std::vector<std::string> take();

 private:
  struct Entry {
    /// Equation and trip of all enclosing loops, outermost first; the equation; then positions and unit.
    std::vector<std::int64_t> place;
    std::string line;
  };
  std::mutex lock_;
  std::vector<Entry> entries_;
};

/// The printer of one step.
class StepPrinter : public kernel::Printer {
 public:
  StepPrinter(CallLog* log, const Trip* trip, std::size_t equation)
      : log_(log), trip_(trip), equation_(equation) {}

  std::int64_t unit = 0;  // the present one
  void print(std::string line) override {
    if (log_) log_->add(trip_, equation_, unit, std::move(line));
  }
  std::string place() const override { return place_of(trip_); }

 private:
  CallLog* log_;
  const Trip* trip_;
  std::size_t equation_;
};

}  // namespace tutti
