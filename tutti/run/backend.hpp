// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tutti/devices/global_array.hpp"
#include "tutti/ir/program.hpp"

namespace tutti {

/// Arguments or results of a program, in its order.
using GlobalArrays = std::vector<std::shared_ptr<const GlobalArray>>;

/// What a machine must know to compile a program, beside the program.
struct CompileRequest {
  Where where = {};                           // the user's line
  std::vector<std::string> input_names = {};  // in the user's words: "argument [2].0"
  /// How inputs lie when they are handed in; none: as the program enters them.
  std::vector<std::optional<Sharding>> input_shardings = {};
};

/// A program, compiled for one machine. Must not outlive its Backend. May be called by several threads.
class Runnable {
 public:
  Runnable() = default;
  virtual ~Runnable() = default;
  Runnable(const Runnable&) = delete;
  Runnable& operator=(const Runnable&) = delete;

  /// Runs the program. Inputs that lie otherwise are copied into place first. An input without another owner is given
  /// away: a result may take its memory, also if the call fails. An error that is seen after the return is thrown where a
  /// result is looked at, with the line `where`.
  /// Throws T015 (argument) for inputs of other types, R003 (memory), R004 (device), and what the machine adds.
  virtual GlobalArrays run(GlobalArrays inputs, const Where& where) = 0;
  /// Describes the compiled program: times, memory, what the last call copied.
  virtual std::string explain() const = 0;
};

/// The devices behind a Machine: threads of this process, or what a plugin drives.
class Backend {
 public:
  explicit Backend(const Mesh& mesh) : mesh_(mesh) {}
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  const Mesh& mesh() const { return mesh_; }
  /// `program` computes on whole values; a shard_map in it begins with Enter and ends with Leave.
  /// Throws T014 (mesh) if it is for another mesh, R003 (memory), and what the machine adds.
  virtual std::unique_ptr<Runnable> compile(const Program& program, const CompileRequest& request) = 0;
  /// The array, laid out like this. Returns it as it is if it lies so on these devices already. `sharding` may be on another
  /// mesh of the same devices.
  virtual std::shared_ptr<const GlobalArray> place(const std::shared_ptr<const GlobalArray>& array,
                                                   const Sharding& sharding, const Where& where) = 0;
  /// True if this process drives the device at this position of the mesh.
  virtual bool drives(int) const { return true; }
  /// The array of these parts, one per device of the mesh that this process drives, in its order. Parts have the local type of
  /// the sharding, and are equal where it says so.
  virtual std::shared_ptr<const GlobalArray> assemble(Type type, const Sharding& sharding,
                                                      const Tensors& parts, const Where& where) = 0;
  /// In the words of a report: "8 virtual devices (data=4,model=2), 2 workers".
  virtual std::string description() const = 0;
  /// Number of worker threads of ours. 0: others compute.
  virtual int workers() const { return 0; }
  virtual std::int64_t events_left_out() const { return 0; }  // see Machine
  virtual std::string trace_failure() const { return ""; }    // see Machine

 private:
  Mesh mesh_;
};

}  // namespace tutti
