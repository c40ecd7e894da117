// SPDX-License-Identifier: Apache-2.0
// The implementation of make_graph; for its own sources only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "tutti/run/graph/cut.hpp"
#include "tutti/run/graph/graph.hpp"

namespace tutti {

/// Where processes share the devices: the blocks that each device reads, all of one shape.
struct Across {
  struct Piece {
    std::vector<int> devices;            // folded; none: zeros
    std::vector<std::int64_t> from, to;  // where the block begins, per dim of operand and result
  };
  std::vector<kernel::Digit> digits;  // the dims of a block, from dims of the operand to dims of the result
  /// The blocks that a device of the whole mesh reads. All devices read the same number of them.
  std::function<std::vector<Piece>(std::int64_t device)> pieces;
  ReduceKind kind = ReduceKind::sum;
  bool must_agree = false;  // compares, instead of folding
};

/// Makes a graph in one pass over the equations. Each op says how it computes; each result becomes an
/// address, and a task where it needs work.
class GraphBuilder {
 public:
  GraphBuilder(const Program& local, const Processes& processes, const PlanOptions& options,
               const std::optional<Ports>& ports);
  Graph build() &&;

 private:
  /// The source of a value that was copied, so that later copies can read the source instead of the copy.
  struct Origin {
    std::vector<Move> moves;
    Address from;
  };
  /// A box of a value's elements, which lie elsewhere, too. Its address: see AssembleWork.
  struct Block {
    Box box;
    Address address;
  };
  /// All blocks of a value, and the equation that put them together.
  struct Blocks {
    std::vector<Block> list;
    std::size_t equation;
  };
  /// Where the elements of a variable are read.
  struct Value {
    Address address;
    AxisSet stored = 0;
    std::shared_ptr<const Origin> origin = nullptr;
    std::shared_ptr<const Blocks> blocks = nullptr;
    std::optional<Address> assembled = {};  // of the blocks, for tasks that go through elements
  };

  const Equation& equation() const { return graph_.program.equations[*equation_]; }
  Value& value(Var var) { return values_[var]; }
  Type type(Var var) const { return graph_.program.type(var); }
  Type operand_type(std::size_t i) const { return type(equation().operands[i]); }
  Type result_type() const { return type(equation().results[0]); }

  std::size_t number_of(const Axis& axis) const { return index_of(graph_.mesh, axis); }
  AxisSet stored_axes(Type type) const;
  /// The axes along which callers' buffers have shards: one per distinct value, even with
  /// Storage::per_device.
  AxisSet stored_axes_by_type(Type type) const;
  void check_axes(Type type) const;

  /// Fills in kernels_ and read_across_.
  void collect_kernels();
  void place_inputs();
  void place_outputs();
  /// The axes along which callers have shards of an output.
  AxisSet output_axes(Type type) const;
  Buffer output_buffer(std::size_t output) const;
  bool can_be_output(const Value& v, std::size_t output) const;

  enum class Spacing { dense, staggered };
  /// Dense if a view reads `var` across its shards.
  Spacing spacing_of(Var var) const;
  Buffer buffer_for(Type type, AxisSet stored, Spacing spacing) const;
  BufferId new_buffer(Type type, AxisSet stored, Spacing spacing) {
    return graph_.buffers.add(buffer_for(type, stored, spacing));
  }
  /// Adds a buffer for result `i` of this equation and places the result there; an output gets its caller's
  /// layout.
  BufferId result_buffer(std::size_t i = 0);
  /// Like result_buffer, but an output gets a layout of its own, too.
  BufferId own_result_buffer(std::size_t i);
  void add(Work work, std::vector<Address> operands, std::vector<BufferId> results, const Shape& shape,
           AxisSet axes);

  void lower(const kernel::View& view);
  void lower(const kernel::Literal& literal);
  void lower(const kernel::Pointwise& fn);
  void lower(const kernel::ReduceDims& reduce);
  void lower(const kernel::Fold& fold);
  /// Lets each device fold only its own block, directly into its result (reduce_scatter). False if it is
  /// cheaper to fold all and view the blocks: they are not dense, or the operand's region can fold.
  bool fold_own_blocks(const kernel::Fold& fold);
  void lower(const kernel::Shuffle& shuffle);
  void lower(const kernel::Opaque& opaque);
  /// Adds a copy of the first device's value along `axes`; when it runs it compares the values of all
  /// devices.
  void lower_to_first_of_equals(const Axes& axes);
  void lower(const kernel::Sub& kernel);
  /// Adds what a box has of other blocks, seen from `origin`.
  static void add_cut(const std::vector<Block>& from, const Box& taken,
                      const std::vector<std::int64_t>& origin, std::vector<Block>& to);
  /// The blocks of this equation's result; null: they are too many, or the result is small.
  std::shared_ptr<const Blocks> blocks_of(const kernel::Opaque& opaque);
  /// The blocks of a view that cuts a box out of a value of blocks; null for other views.
  static std::shared_ptr<const Blocks> cut_out(const kernel::View& view, const Value& from, const Shape& to);
  /// Where a task that goes through elements reads a variable.
  Address read_by_elements(Var var);
  /// `value` itself if its strides are those of `buffer`, else a copy with these strides. A carry alternates
  /// between both.
  Value like_buffer(const Value& value, Type type, BufferId buffer);

  /// The view of `from`: another address, or a copy if there is none.
  Value viewed(const kernel::View& view, const Value& from, const Shape& from_shape, Type to,
               Spacing spacing = Spacing::dense);
  Value viewed_by(const std::vector<Move>& moves, const Value& from, Type to, Spacing spacing);
  /// The loops over this process's part of a value, in the order in which a message has its elements.
  struct Message {
    std::vector<Move> loops;  // without those of size 1, and those that repeat elements
    std::int64_t element_bytes = 1;

    std::int64_t bytes() const;
    /// The bytes of a message per step of each loop.
    std::vector<std::int64_t> strides() const;
    /// The type of several messages that stand one after the other.
    Type type_of(DType dtype, std::int64_t messages) const;
    /// True if the elements lie so in the operand.
    bool is_dense() const;
  };
  Message message_of(std::vector<Move> moves, const Address& from) const;
  /// The same moves from a message.
  static std::vector<Move> moves_in(const Message& message, const std::vector<Move>& moves);
  /// The blocks of this process that others read, each as a dense message in a buffer.
  struct Packed {
    Address operand;                              // of the buffer
    std::map<std::int64_t, std::int64_t> begins;  // of each message in it, by the offset of its block
  };
  Packed packed(const Address& from, const Message& message, const std::vector<std::int64_t>& offsets);
  /// The messages of all boxes that `cut` says, one after the other; without its own if that is left.
  enum class OwnMessage { copied, left };
  BufferId transferred(const ViewCut& cut, const Address& from, const Message& message,
                       OwnMessage own = OwnMessage::copied);
  /// The fold of the messages of all boxes that `cut` says, which hold a term each: each process folds a
  /// chunk.
  BufferId folded_in_chunks(const ViewCut& cut, const Address& from, const Message& message, ReduceKind kind);
  /// The view of an operand that lies in several processes.
  Value viewed_across(const ViewCut& cut, const Value& from, Stored operand, Type to, Spacing spacing);
  /// This process's terms, folded where they are a subtree of decision 0005; halves as f32.
  struct Terms {
    Value value;
    Type type;
    bool are_folded = false;
  };
  Terms own_terms(const kernel::Fold& fold, const Value& from, Type folded);
  /// A fold over axes that processes divide, without Fold::then.
  Value folded_across(const kernel::Fold& fold, const Terms& own, Type folded);
  /// The same with Fold::then: each process gets only what its devices keep. None: the blocks cannot be cut.
  std::optional<Value> folded_blocks(const kernel::Fold& fold, const Terms& own, const Shape& folded);
  struct Boxes {
    kernel::View view;    // from boxes to dim 0
    AxisSet divided = 0;  // the axes that they divide
    int count = 1;
  };
  Boxes boxes_along(AxisSet along) const;
  /// The fold of terms of the dtype of `own`, converted to `result` afterwards.
  Value rounded_fold(const Work& work, const std::vector<Address>& terms, Type own, Type result, AxisSet axes,
                     const std::function<BufferId()>& new_result);
  void add_across(const Across& across, const Value& from, BufferId buffer, Type type);
  /// A shuffle of a value that lies in several processes. `must_agree`: compares, instead of folding.
  void lower_across(const kernel::Shuffle& shuffle, bool must_agree);
  /// A view whose digits count parts of boxes: three devices of an axis of six, where each box has two.
  Value viewed_by_pieces(const kernel::View& view, const Value& from, const Shape& from_shape, Type to,
                         Spacing spacing);
  Value converted(const Value& from, Type type, DType dtype, BufferId buffer);
  ViewCut::Place own_place() const;
  static kernel::View identity(const Shape& shape);
  /// True if `origin` is read in runs so long that reading it costs no more than reading a copy.
  bool has_long_runs(const Origin& origin, Type type) const;
  /// Adds a step that copies `from` into `buffer`; both have one shape. The step reads the origin of `from`
  /// instead if the origin is read in long runs.
  void add_copy(const Value& from, Type type, BufferId buffer);
  void add_copy_of(const std::vector<Move>& moves, const Address& from, BufferId buffer);
  /// Removes copies without readers: all their readers read the origin instead.
  void drop_unread_copies();
  /// `from` itself if every device's value is dense, else a dense copy with one shard per distinct value.
  Value dense(const Value& from, Type type);

  void add_columns(const kernel::ReduceDims& reduce, const Value& from, Type operand);
  void add_rows(ReduceKind kind, int kept, const Value& from, const Shape& shape);
  /// Folds long rows: their pieces, then the pieces of a row, then its 16 lanes.
  void add_pieces(const PiecesWork& work, const Value& from, const Shape& shape);
  Value with_dims_last(const Dims& dims, const Value& from, Type operand);

  struct DenseCopy {
    Address address;
    Shape shape;
    Value copy;
  };

  Graph graph_;
  Processes processes_;
  std::optional<Ports> ports_;
  Indexed<Var, std::optional<std::size_t>> output_of_;  // per variable: the first output that it is
  std::vector<Kernel> kernels_;
  Indexed<Var, Value> values_;
  Indexed<Var, bool> read_across_;  // per variable: a view reads it across its shards
  std::vector<DenseCopy> dense_copies_;
  std::optional<std::size_t> equation_;  // the one that errors are about; none: inputs
  PlanOptions options_;
};

}  // namespace tutti
