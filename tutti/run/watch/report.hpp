// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/devices/traffic.hpp"
#include "tutti/types/mesh.hpp"
#include "tutti/types/sharding.hpp"
#include "tutti/types/type.hpp"

namespace tutti {

/// Describes a program and the plan that a machine made for it, as plain data. Compiled::report() makes one;
/// explain() is its plan as text, to_json() all of it as JSON, and save_page() draws it.
/// Times are nanoseconds. Steps and variables are counted from 0.
struct Report {
  // ---- the program

  /// A variable: printed programs call it "%number".
  struct Value {
    int number;
    ops::Type type;
  };
  /// The collective of a row: the axes along which devices communicate, and their bytes.
  struct Collective {
    Axes axes = {};
    ops::Traffic traffic = {};
  };
  /// Elements as text, of one value on every device in mesh order. One text: equal on all devices.
  using Numbers = std::vector<std::string>;
  struct Row;
  /// A program: the whole one, or one inside a row, such as the body of a scan.
  struct Part {
    std::string name = {};  // "branch 0"; empty for the whole program
    std::vector<Value> inputs = {};
    std::vector<Row> rows = {};
    std::vector<int> outputs = {};      // numbers of variables
    std::vector<Numbers> numbers = {};  // of the inputs; empty if not known
    std::int64_t trips = 1;             // how often it runs; of a while loop 1
  };
  /// One equation.
  struct Row {
    std::string op = {};
    std::vector<std::pair<std::string, std::string>> parameters = {};
    std::vector<int> operands = {};
    std::vector<Value> results = {};
    Where where = {};
    std::optional<Collective> collective = {};
    std::vector<Part> parts = {};
    /// The numbers of the results, with MachineOptions::values, after a call. Inside of a scan those of the
    /// last trip; inside of a switch only in a branch that all devices took; inside of other rows none.
    std::vector<Numbers> numbers = {};
  };
  /// An argument or a result. The sharding is unknown where nothing was compiled.
  struct Border {
    std::string name = {};  // "argument [2].w"; empty for results
    int number = 0;         // of its variable
    std::optional<Sharding> sharding = {};
  };

  // ---- the plan of virtual devices

  /// One op of a step.
  struct StepOp {
    std::string name = {};
    Where where = {};
    /// The number of earlier equations with this name and place. Rows of one name and place have this order.
    std::size_t nth = 0;
  };
  /// Bytes that a step exchanges with other processes.
  struct Transfers {
    std::int64_t sent = 0, received = 0;
  };
  struct SubPlan;
  /// One step of a plan: ops that workers run as one piece, or a transfer between processes.
  struct Step {
    std::size_t phase = 0;   // a barrier of all workers ends each phase
    std::string kind = {};   // "region", "columns", "copy", "opaque", "transfer", "await", "control"
    std::string split = {};  // "worker 0", "by 'data'", "by tiles", "together", "carrier"
    std::vector<StepOp> ops = {};
    Where where = {};                         // of the first op that has one
    std::int64_t bytes = 0;                   // moved
    std::int64_t arena_in_use = 0;            // bytes
    std::vector<double> estimated = {};       // per worker
    std::optional<double> measured = {};      // of the slowest worker; the median of the last calls
    std::vector<double> measured_parts = {};  // per worker; empty if not measured
    std::optional<Transfers> transfers = {};
    std::vector<SubPlan> parts = {};
  };
  /// The messages of an exchange, as if each device had memory of its own.
  struct Exchange {
    Where where = {};
    ops::Type type;  // of the whole array
    Sharding from, to;
    /// One collective of the exchange, and the sharding after it.
    struct Step {
      std::string op = {};
      Sharding after = {};
      Axes axes = {};
      std::int64_t sent = 0, received = 0;  // bytes of the device that sends, or receives, the most
      double estimated = 0;
    };
    std::vector<Step> steps = {};
    std::int64_t received = 0;  // bytes, of all steps
  };
  /// The steps of a program: of the whole one, or of one inside a step, such as the body of a scan.
  struct SubPlan {
    std::string name = {};  // "each of 64 trips"; empty for the whole plan
    std::size_t phases = 0;
    std::vector<Step> steps = {};
    std::vector<Exchange> exchanges = {};
  };
  /// Bytes of the arena that hold one value, from one step up to and including another.
  struct Buffer {
    std::string value = {};         // the op that makes it, and its type
    std::optional<StepOp> op = {};  // none: an argument, or its copy
    std::size_t result = 0;         // the result of that op
    std::int64_t offset = 0, bytes = 0;
    std::size_t first = 0, last = 0;  // steps
    bool is_constant = false;
  };
  /// Bytes that a program takes in this process.
  struct Memory {
    std::int64_t arguments = 0, results = 0, arena = 0, scratch = 0;
    std::int64_t inside = 0;                         // arenas and scratch of sub-programs
    int in_place = 0;                                // results that reuse the memory of an operand
    std::int64_t held_copies = 0, held_results = 0;  // between calls: copies of arguments, buffers of results

    /// Bytes while a call runs, without what is held between calls.
    std::int64_t total() const { return arguments + results + arena + scratch + inside; }
  };
  /// An argument that the last call copied, because it did not have the program's layout.
  struct Copied {
    std::string name = {};
    std::int64_t bytes = 0;
    Sharding as = {};
    std::string from = {};  // if not from the host: " from another machine"
  };
  /// Arguments that calls copied.
  struct Copies {
    std::int64_t calls = 0, bytes = 0;  // since it was compiled
    std::vector<Copied> by_last_call = {};
  };
  /// The calls that were measured; see MachineOptions::measure.
  struct Measured {
    std::int64_t calls = 0;
    std::int64_t of_last = 0;         // calls that the median is of
    std::optional<double> call = {};  // the median of a call; none before the first one
  };
  /// The steps of a program on virtual devices, or on those of one MPI process.
  struct StepPlan {
    int workers = 1;
    SubPlan plan = {};
    double estimated = 0;  // of a call
    std::optional<Measured> measured = {};
    std::optional<Transfers> transfers = {};  // of a call, with other processes
    int transfer_steps = 0;
    bool has_inner_transfers = false;  // loops and branches send as well
    std::vector<Buffer> buffers = {};
    Memory memory = {};
    Copies copies = {};
    int moved_inputs = 0;                      // arguments that are used whole and split
    std::vector<std::string> conditions = {};  // sentences about the machine that slow calls down
  };

  // ---- other outcomes

  /// The facts that XLA tells about a program that it compiled.
  struct XlaPlan {
    /// One kind of memory, as XLA counts it.
    struct Memory {
      std::string what = {};  // "arguments", "temporary", ..
      std::int64_t bytes = 0;
      std::string note = {};
    };
    std::string machine = {};         // with the plugin
    double compile = 0, prepare = 0;  // prepare: before XLA got the module
    bool is_from_cache = false;
    std::int64_t text_bytes = 0;      // of StableHLO
    std::vector<Memory> memory = {};  // of one device; empty if XLA does not count it
    std::vector<std::pair<std::string, std::string>> costs = {};
    Copies copies = {};
    std::int64_t kept_copies = 0;  // bytes on the devices
  };
  /// The error that ended the trace.
  struct Refusal {
    Code code = Code::internal;
    std::string message = {};
    Where where = {};
    std::vector<std::string> notes = {};
    bool has_row = false;  // the last row is the op that was refused, or holds it in its parts
  };
  /// Nothing was compiled.
  struct Traced {};

  std::string machine = {};  // Machine::description(); empty if there is none
  Mesh mesh = {};
  Part program = {};
  std::vector<Border> arguments = {}, results = {};
  std::variant<Traced, StepPlan, XlaPlan, Refusal> outcome = {};
  std::vector<Exchange> exchanges = {};   // of a plan without a program; others stand in the SubPlan
  std::vector<std::string> remarks = {};  // about the program, such as sums of equal values
};

}  // namespace tutti
