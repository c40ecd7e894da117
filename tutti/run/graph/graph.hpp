// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/base/indexed.hpp"
#include "tutti/devices/layout.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/run/graph/address.hpp"
#include "tutti/tensor/loops/copies.hpp"
#include "tutti/tensor/loops/element_fn.hpp"

namespace tutti {

/// A buffer that holds the distinct shards of one value, each dense, `shard_stride` bytes apart, row-major over the
/// stored axes in mesh order; or, of a sub-program, as its caller has them.
struct Buffer {
  enum class Kind { arena, constant, input, output };
  Type type;  // of one device's value
  AxisSet stored = 0;
  std::int64_t shard_stride = 0;
  std::vector<std::int64_t> axes;  // bytes per step along each mesh axis
  std::int64_t bytes = 0;          // of all shards
  Kind kind = Kind::arena;
  std::size_t number = 0;               // of the input, output or constant
  std::optional<std::size_t> equation;  // makes it; inputs have none
};

/// The kinds of work that are not just another address.
struct PointwiseWork {
  Pointwise fn;
};
struct FoldWork {  // over devices; out: the shape of a term
  ReduceKind kind;
  AxisSet axes;                          // none if the terms lie elsewhere:
  std::vector<std::int64_t> terms = {};  // where each begins, in bytes from the operand's address
};
struct RowsWork {  // over the dims from `kept` on
  ReduceKind kind;
  int kept;
};
struct ColumnsWork {  // [batch, rows, columns] -> [batch, columns], all dense
  ReduceKind kind;
  std::int64_t batch, rows, columns;
};
struct CopyWork {  // one job per piece of each distinct shard of the result, in order
  struct Job {
    std::int64_t to;
    std::vector<std::int64_t> from;  // byte offsets in the buffers; none: zeros; several are folded
  };
  std::vector<Job> jobs;
  std::vector<CopyLoop> loops;  // over a piece, outermost first, joined
  ReduceKind kind = ReduceKind::sum;
  bool must_agree = false;  // several are not folded but compared; the first is copied
};
struct UnitsWork {  // one unit per distinct shard of the results, in order
  Units units;
};
class Plan;
/// What a plan takes, as estimated.
struct PlanTimes {
  double nanoseconds = 0;        // of the slowest worker of each phase
  double alone_nanoseconds = 0;  // on one worker
  bool needs_helpers = false;    // some worker beside the first has something to do
};
/// Sub-programs, each with a plan of its own for the devices at one position along the axes along which devices go
/// different ways. Results: those of the equation, then for every carry a buffer to go to and fro.
struct SubWork {
  Sub sub;
  AxisSet decided = 0;
  std::vector<std::shared_ptr<Plan>> plans;  // per program; made after the graph
  std::vector<PlanTimes> times = {};         // per plan
  /// Per result of the equation, the operand that it may lie over: every plan reads it before it writes the result.
  std::vector<std::optional<std::size_t>> over = {};
};
using Work = std::variant<PointwiseWork, FoldWork, RowsWork, ColumnsWork, CopyWork, UnitsWork, SubWork>;

/// One piece of work: what an equation is once views, casts and literals have become addresses.
struct Task {
  std::optional<std::size_t> equation;  // none: a copy of an input that is an output
  Work work;
  std::vector<Address> operands;
  std::vector<BufferId> results;
  Shape shape;   // that the dims of the operands run over
  AxisSet axes;  // stored axes of the operand (fold) or of the results
};

/// The fold of an task whose terms lie elsewhere than along its axes; null of every other task.
const FoldWork* fold_of_terms(const Task& task);

/// A program of local values as work over buffers.
struct Graph {
  Mesh mesh;
  Storage storage;
  Program program;
  Indexed<BufferId, Buffer> buffers;
  Indexed<TaskId, Task> tasks;  // in an order in which they can be done
  std::vector<Tensor> constants;
  std::vector<BufferId> outputs;  // distinct
  /// Per-device storage only: the buffer of each output with a copy for every device.
  std::vector<BufferId> replicas;
};

/// How a caller's buffers lie: for each input and output, bytes per step along each mesh axis.
struct Ports {
  std::vector<std::vector<std::int64_t>> inputs, outputs;
};
/// `check_assumptions`: what assume_invariant takes for equal is compared when it runs.
/// Without ports: shards lie side by side, those of inputs as their types say whatever the storage.
Graph make_graph(const Program& local, const Mesh& mesh, Storage storage, bool check_assumptions = false,
                 const std::optional<Ports>& ports = {});

/// Where a buffer's own value lies.
Address natural_address(const Graph& graph, BufferId buffer);
std::int64_t element_bytes(const Graph& graph, const Address& address);
/// `error` at the place of `equation` and with the name of its op.
[[noreturn]] void rethrow_at(const Graph& graph, std::optional<std::size_t> equation, const Error& error);

}  // namespace tutti
