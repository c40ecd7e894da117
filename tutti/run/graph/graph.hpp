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
#include "tutti/devices/processes.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/run/graph/address.hpp"
#include "tutti/run/graph/plan_options.hpp"
#include "tutti/tensor/loops/copies.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/types/block.hpp"

namespace tutti {

/// The distinct shards of one value, each dense. They lie `shard_stride` bytes apart, row-major over the
/// stored axes in mesh order; inputs and outputs of a sub-program lie as its caller has them (Ports).
struct Buffer {
  enum class Kind { arena, constant, input, output };
  Type type;  // of one device's value
  AxisSet stored = 0;
  std::int64_t shard_stride = 0;
  std::vector<std::int64_t> axes;  // bytes per step along each mesh axis
  std::int64_t bytes = 0;          // of all shards
  Kind kind = Kind::arena;
  std::size_t number = 0;               // index among the inputs, outputs or constants
  std::optional<std::size_t> equation;  // the one that makes the value; none: an input, or its copy
};

/// The kinds of work: everything that is more than another address of the same bytes.
struct PointwiseWork {
  kernel::Pointwise fn;
};
/// Each element is that of the operand whose box has it. The boxes cover the task's shape and do not overlap.
/// The address of an operand is that of the task's first element, which may lie outside of its box.
struct AssembleWork {
  std::vector<Box> boxes;  // per operand
};
struct FoldWork {  // over devices; the result has the shape of a term
  ReduceKind kind;
  AxisSet axes;                          // folded; empty if `terms` says where the terms lie
  std::vector<std::int64_t> terms = {};  // byte offset of each term from the operand's address
};
struct RowsWork {  // folds all dims from `kept` on
  ReduceKind kind;
  int kept;
};
struct PiecesWork {  // folds each piece of the rows to 16 lanes (tensor/loops/reductions.hpp)
  ReduceKind kind;
  int kept;              // a row has all dims from `kept` on
  std::int64_t columns;  // of a piece
};
struct ColumnsWork {  // [batch, rows, columns] -> [batch, columns], all dense
  ReduceKind kind;
  std::int64_t batch, rows, columns;
};
struct CopyWork {  // one job per piece of each distinct shard of the result, in order
  struct Job {
    std::int64_t to;                 // byte offset in the result's buffer
    std::vector<std::int64_t> from;  // byte offsets in the operand's buffer; none: zeros; several: folded
  };
  std::vector<Job> jobs;
  std::vector<CopyLoop> loops;  // over the elements of a piece, outermost first
  ReduceKind kind = ReduceKind::sum;
  bool must_agree = false;  // compares several sources, instead of folding them, and copies the first
};
struct OpaqueWork {  // one unit per distinct shard of the results, in order
  kernel::Opaque opaque;
};
/// Bytes between this process and others, from the buffers of the operands and into those of the results.
/// Each operand has its result.
struct TransferWork {
  struct Part {
    int process;
    std::int64_t offset, bytes;  // in the buffer
    std::size_t value = 0;       // which operand or result
  };
  struct Own {
    std::int64_t from, to, bytes;
    std::size_t value = 0;
  };
  std::vector<Part> sends;     // of each operand at most one to each process
  std::vector<Part> receives;  // into each result at most one from each process
  std::vector<Own> own;        // copied from an operand to its result
};
/// Waits until the carrier has done all tasks of a future. Operands: all that those read, and the results of
/// all but the last. Results: those of the last.
struct AwaitWork {
  std::size_t future;
};
class Plan;
/// The estimated times of a plan.
struct PlanTimes {
  double nanoseconds = 0;        // sum over the phases: slowest worker and barrier
  double alone_nanoseconds = 0;  // on one worker
  bool needs_helpers = false;    // a worker other than worker 0 has work
  bool transfers = false;        // messages go to other processes
};
/// The sub-programs of a switch, a scan or a while loop: kernel::Sub without calls, because localised() puts
/// the program that is called in the place of the call.
struct SubPrograms {
  enum class Control { choose, repeat, loop } how;
  std::vector<SubProgram> programs;
  std::size_t consts = 0, carries = 0;
  std::int64_t length = 0;
  bool reverse = false;
};
/// The work of sub-programs. Each has a plan for the devices at one position along the axes `divergent`,
/// along which devices may take different branches or numbers of iterations. Results: those of the equation,
/// then a second buffer for each carry.
struct SubWork {
  SubPrograms sub;
  AxisSet divergent = 0;
  std::vector<std::shared_ptr<Plan>> plans;  // per program; made after the graph
  std::vector<PlanTimes> times = {};         // per plan
  std::vector<int> others = {};  // the processes that exchange messages in the plans with this one
  /// Per result of the equation: the operand whose memory the result may reuse, because every plan reads the
  /// operand before it writes the result.
  std::vector<std::optional<std::size_t>> over = {};
};
using Work = std::variant<PointwiseWork, AssembleWork, FoldWork, RowsWork, PiecesWork, ColumnsWork, CopyWork,
                          OpaqueWork, TransferWork, AwaitWork, SubWork>;

/// One piece of work over buffers. Views, casts and literals are addresses; they have a task only where they
/// must be copied.
struct Task {
  std::optional<std::size_t> equation;  // none: copies an input to an output
  Work work;
  std::vector<Address> operands;
  std::vector<BufferId> results;
  Shape shape;   // of the operands' dims
  AxisSet axes;  // stored axes of the operand (fold) or of the results
  /// The carrier does the tasks of a future, until its AwaitWork. None: a worker does the task.
  std::optional<std::size_t> future = {};
};

/// The product of the sizes of all dims from `dim` on: the columns of a row that has these dims.
std::int64_t elements_from(const Shape& shape, int dim);

/// True if the task only moves elements, so that nobody misses it where nobody reads its result.
bool only_moves(const Task& task);

/// True if the task puts its result together from blocks.
bool assembles(const Task& task);

/// The fold of a task whose terms lie at FoldWork::terms; null for every other task.
const FoldWork* fold_of_terms(const Task& task);

/// In elements. A rim costs one more call for each line; in shorter lines it takes longer than the copy that
/// it saves.
inline constexpr std::int64_t default_shortest_rimmed_line = 128;

/// A program of local values as tasks over buffers. It has the devices of one process.
struct Graph {
  Mesh mesh;  // the box of the process
  Storage storage;
  Program program;
  Indexed<BufferId, Buffer> buffers;
  Indexed<TaskId, Task> tasks;  // operands before their readers
  std::vector<Tensor> constants;
  std::vector<BufferId> outputs;  // distinct
  /// For Storage::per_device only: per output, the buffer that has one shard per device.
  std::vector<BufferId> replicas;
  Mesh whole = mesh;            // the mesh of all processes
  std::vector<int> first = {};  // per axis of `whole`, the position of the first device of `mesh`
  bool is_sub_program = false;  // a caller's inputs are kept unless it donates them, a loop's carries are not
  // Shorter lines of blocks are copied, not read in place and at a rim (run/code, RegionRim).
  std::int64_t shortest_rimmed_line = default_shortest_rimmed_line;
};

/// The layout of a caller's buffers: for each input and output, the stride in bytes along each mesh axis.
struct Ports {
  std::vector<std::vector<std::int64_t>> inputs, outputs;
};
/// Makes the graph of a local program. Without `ports`, shards lie shard_stride() apart (devices/block.hpp),
/// and inputs have one shard per distinct value, even with Storage::per_device.
Graph make_graph(const Program& local, const Processes& processes, const PlanOptions& options = {},
                 const std::optional<Ports>& ports = {});

/// The buffer of each input.
std::vector<BufferId> input_buffers(const Graph& graph);
/// The address of the value that `buffer` was made for.
Address natural_address(const Graph& graph, BufferId buffer);
std::int64_t element_bytes(const Graph& graph, const Address& address);
/// Throws `error` with the source line and the op of `equation`, if there is one.
[[noreturn]] void rethrow_at(const Graph& graph, std::optional<std::size_t> equation, const Error& error);

}  // namespace tutti
