// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/base/fork.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/devices/global_array.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/run/watch/report.hpp"

namespace tutti {

/// Arguments or results of a program, in its order.
using GlobalArrays = std::vector<std::shared_ptr<const GlobalArray>>;

/// Facts about a program that Backend::compile needs.
struct CompileRequest {
  Where where = {};                           // the user's line
  std::vector<std::string> input_names = {};  // in the user's words: "argument [2].0"
  /// Per input: the sharding of the arrays that calls pass. None: the sharding of the program's Enter.
  std::vector<std::optional<Sharding>> input_shardings = {};
};

/// A program, compiled for one machine. Must not outlive its Backend. May be called by several threads.
class Runnable {
 public:
  Runnable() = default;
  virtual ~Runnable() = default;
  Runnable(const Runnable&) = delete;
  Runnable& operator=(const Runnable&) = delete;

  /// Runs the program. Inputs with another sharding are copied first. An input without another owner is
  /// donated: a result may reuse its memory. Donated inputs are lost even if the call fails. An error after
  /// the return is thrown when a result is read, with the line `where`.
  /// Throws T015 (argument) for inputs of other types, R003 (memory), R004 (device), and other errors of the
  /// machine.
  virtual GlobalArrays run(GlobalArrays inputs, const Where& where) = 0;
  /// Adds the plan to a report: times, memory, copies by the last call, and how arguments and results lie.
  virtual void add_to(Report& report) const = 0;
  /// The plan as text.
  std::string explain() const;
};

}  // namespace tutti

namespace tutti::internal {

/// The devices of a Machine: virtual ones of this process, or those of a plugin.
class Backend {
 public:
  /// Throws R003 for stacks that are too small to compile programs.
  explicit Backend(const Mesh& mesh);
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  const Mesh& mesh() const { return mesh_; }
  /// Throws R004 in the child of a fork. The machine's threads do not exist there, and some locks may never
  /// be released.
  void require_own_process() const;
  /// Compiles a program of whole values. Each shard_map in it begins with Enter and ends with Leave.
  /// Throws T014 (mesh) for a program for another mesh, R003 (memory), and other errors of the machine.
  virtual std::unique_ptr<Runnable> compile(const Program& program, const CompileRequest& request) = 0;
  /// Returns the array with this sharding on these devices; the same object if it is there already.
  /// The mesh of `sharding` may be another mesh of the same devices.
  virtual std::shared_ptr<const GlobalArray> place(const std::shared_ptr<const GlobalArray>& array,
                                                   const Sharding& sharding, const Where& where) = 0;
  virtual int process() const { return 0; }    // see Machine
  virtual int processes() const { return 1; }  // see Machine
  /// Does `f` on all processes of the machine, which all call this. Throws R007 if it has failed on another
  /// one, or if it returns other texts: "process 1 reads another file than process 0: line 1 is `..`, there
  /// `..`". There `differs` is "reads another file than".
  virtual void do_together(const std::function<std::string()>& f, std::string_view differs) {
    static_cast<void>(differs);
    f();
  }
  /// True if this process drives the device at this position of the mesh.
  virtual bool drives(int) const { return true; }
  /// Makes an array of its parts: one per device of the mesh that this process drives, in mesh order. Each
  /// part has the local type of the sharding. Parts of devices that hold the same shard must be equal.
  virtual std::shared_ptr<const GlobalArray> assemble(Type type, const Sharding& sharding,
                                                      const Tensors& parts, const Where& where) = 0;
  /// The machine as reports name it: "8 virtual devices (data=4,model=2), 2 workers".
  virtual std::string description() const = 0;
  /// Number of worker threads. 0: a plugin computes.
  virtual int workers() const { return 0; }
  virtual std::int64_t events_left_out() const { return 0; }  // see Machine
  virtual std::string trace_failure() const { return ""; }    // see Machine

 private:
  Mesh mesh_;
  MadeHere is_here_;
};

}  // namespace tutti::internal
