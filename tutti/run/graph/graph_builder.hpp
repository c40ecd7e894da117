// SPDX-License-Identifier: Apache-2.0
// How make_graph works; for its own sources only.
#pragma once

#include <memory>

#include "tutti/run/graph/graph.hpp"

namespace tutti {

/// Goes through the equations once: each asks its op how it computes and becomes an address, or an task.
class GraphBuilder {
 public:
  GraphBuilder(const Program& local, const Mesh& mesh, Storage storage, bool check_assumptions,
               const std::optional<Ports>& ports);
  Graph build() &&;

 private:
  /// How a value that had to be copied can be copied again, from where it was before.
  struct Origin {
    std::vector<Move> moves;
    Address from;
  };
  /// The address that a variable's elements are read at.
  struct Value {
    Address address;
    AxisSet stored = 0;
    std::shared_ptr<const Origin> origin = nullptr;
  };

  const Equation& equation() const { return graph_.program.equations[*equation_]; }
  Value& value(Var var) { return values_[var]; }
  Type type(Var var) const { return graph_.program.type(var); }
  Type operand_type(std::size_t i) const { return type(equation().operands[i]); }
  Type result_type() const { return type(equation().results[0]); }

  std::size_t number_of(const Axis& axis) const;
  AxisSet stored_axes(Type type) const;
  /// Callers hand in and get one buffer per distinct value, whatever the plan keeps inside.
  AxisSet stored_axes_by_type(Type type) const;
  void check_axes(Type type) const;

  /// Asks every op how it computes, and finds the variables whose shards someone reads side by side.
  void collect_kernels();
  void place_inputs();
  void place_outputs();
  BufferId new_output_buffer(std::size_t output);
  bool can_be_output(const Value& v, std::size_t output) const;

  enum class Spacing { dense, staggered };
  /// Dense if somebody reads its shards side by side.
  Spacing spacing_of(Var var) const;
  BufferId new_buffer(Type type, AxisSet stored, Spacing spacing);
  /// The buffer of result `i` of this equation; its value lies there.
  BufferId result_buffer(std::size_t i = 0);
  /// The same, with its shards side by side also where a caller's buffer for it has them elsewhere.
  BufferId own_result_buffer(std::size_t i);
  void add(Work work, std::vector<Address> operands, std::vector<BufferId> results, const Shape& shape,
           AxisSet axes);

  void lower(const View& view);
  void lower(const Literal& literal);
  void lower(const Pointwise& fn);
  void lower(const ReduceDims& reduce);
  void lower(const Fold& fold);
  /// Each device folds the blocks that are its own, straight to where its result lies. False if that would cost more
  /// than the whole fold and its blocks as views: their elements are strewn, or are made where the fold would be.
  bool fold_own_blocks(const Fold& fold);
  void lower(const Shuffle& shuffle);
  void lower(const Units& units);
  /// A copy of the first device's value along `axes`, if all others hold the same.
  void lower_to_first_of_equals(const Axes& axes);
  void lower(const Sub& sub);
  /// `value` as a carry that takes turns with `buffer` lies: like it.
  Value like_buffer(const Value& value, Type type, BufferId buffer);

  /// Another address, or else a copy.
  Value viewed(const View& view, const Value& from, const Shape& from_shape, Type to,
               Spacing spacing = Spacing::dense);
  Value viewed_by(const std::vector<Move>& moves, const Value& from, Type to, Spacing spacing);
  static View identity(const Shape& shape);
  /// Then to read these places again costs no more than to read a copy of them.
  bool has_long_runs(const Origin& origin, Type type) const;
  /// A copy of `from`, which has the buffer's shape, to a buffer; of its origin rather than of the copy there is.
  void add_copy(const Value& from, Type type, BufferId buffer);
  void add_copy_of(const std::vector<Move>& moves, const Address& from, BufferId buffer);
  /// Copies that nobody reads, as all who would have read the origin instead.
  void drop_unread_copies();
  /// `from` itself if every device's value is dense there, else a copy with as few shards as it has distinct values.
  Value dense(const Value& from, Type type);

  void add_columns(const ReduceDims& reduce, const Value& from, Type operand);
  void add_rows(ReduceKind kind, int kept, const Value& from, const Shape& shape);
  Value with_dims_last(const Dims& dims, const Value& from, Type operand);

  struct DenseCopy {
    Address address;
    Shape shape;
    Value copy;
  };

  Graph graph_;
  std::optional<Ports> ports_;
  std::vector<Kernel> kernels_;
  Indexed<Var, Value> values_;
  Indexed<Var, bool> read_across_;  // variables that a view reads over several shards
  std::vector<DenseCopy> dense_copies_;
  std::optional<std::size_t> equation_;  // the one being lowered; none: inputs and outputs
  bool check_assumptions_;
};

}  // namespace tutti
