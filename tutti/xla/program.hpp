// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tutti/control/boundary.hpp"
#include "tutti/run/watch/copies.hpp"
#include "tutti/xla/backend.hpp"
#include "tutti/xla/compile.hpp"
#include "tutti/xla/effects.hpp"

namespace tutti::xla {

/// A program that XLA has compiled for the devices of a machine.
class XlaProgram : public Runnable {
 public:
  /// Throws T014 for a program for another mesh, T010 where an op refuses to be lowered, R004 if XLA cannot
  /// compile the module; the error names the module's file.
  XlaProgram(XlaBackend& machine, const Program& program, const CompileRequest& request);

  GlobalArrays run(GlobalArrays inputs, const Where& where) override;
  void add_to(Report& report) const override;

 private:
  Argument brought(std::size_t input, const std::shared_ptr<const GlobalArray>& array,
                   std::vector<std::shared_ptr<Buffers>>& held, const Where& where);
  std::vector<Buffers> called(const std::vector<Argument>& arguments);
  std::vector<Buffers> launched(const std::vector<Argument>& arguments);
  GlobalArrays run_in_turn(GlobalArrays inputs, const Where& where, CallLog::Contents& said);
  void hand_out(const CallLog::Contents& said) const;

  XlaBackend& machine_;
  std::string name_;  // in the timeline
  std::vector<std::string> input_names_;
  double prepared_ = 0;  // seconds before XLA got the module
  LocalProgram local_;
  std::vector<std::optional<int>> aliases_;  // per input: the output that may take its memory
  std::optional<Compiled> compiled_;         // empty only while it is compiled
  std::unique_ptr<Effects> effects_;         // null: the program has none
  std::mutex lines_lock_;                    // until the lines of a call are handed out; not by nested calls
  Report::Copies copies_;
};

}  // namespace tutti::xla
