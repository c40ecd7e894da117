// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/graph.hpp"

#include <algorithm>
#include <limits>

#include "tutti/base/require.hpp"
#include "tutti/devices/block.hpp"

namespace tutti {
namespace {

/// The address that a variable's elements are read at.
struct Value {
  Address address;
  AxisSet stored = 0;
};

class GraphBuilder {
 public:
  GraphBuilder(const Program& local, const Mesh& mesh, Storage storage)
      : graph_{mesh, storage, local, {}, {}, {}, {}, {}} {
    require(mesh.axes().size() <= 64, Code::mesh, "a mesh of {} axes; 64 at most can be compiled",
            mesh.axes().size());
  }

  Graph build() && {
    collect_kernels();
    place_inputs();
    for (equation_ = 0; equation_ < static_cast<int>(graph_.program.equations.size()); ++equation_) {
      try {
        std::visit([this](const auto& kernel) { lower(kernel); },
                   kernels_[static_cast<std::size_t>(equation_)]);
      } catch (const Error& error) {
        rethrow_at(graph_, equation_, error);
      }
    }
    equation_ = -1;
    place_outputs();
    return std::move(graph_);
  }

 private:
  const Equation& equation() const { return graph_.program.equations[static_cast<std::size_t>(equation_)]; }
  Value& value(Var var) { return values_[static_cast<std::size_t>(var)]; }
  Type type(Var var) const { return graph_.program.type(var); }
  Type operand_type(std::size_t i) const { return type(equation().operands[i]); }
  Type result_type() const { return type(equation().results[0]); }

  AxisSet stored_axes(Type type) const {
    AxisSet set = 0;
    Layout layout(graph_.mesh, graph_.storage, {}, {});
    for (std::size_t i = 0; i < graph_.mesh.axes().size(); ++i)
      if (layout.stores(type, graph_.mesh.axes()[i])) set |= AxisSet{1} << i;
    return set;
  }

  /// Asks every op how it computes, and finds the variables whose shards someone reads side by side.
  void collect_kernels() {
    const Program& program = graph_.program;
    values_.resize(program.types.size());
    read_across_.resize(program.types.size());
    for (int i = 0; i < static_cast<int>(program.equations.size()); ++i) {
      const Equation& e = program.equations[static_cast<std::size_t>(i)];
      try {
        for (Var var : e.results) check_axes(type(var));
        kernels_.push_back(e.op->kernel(
            Layout(graph_.mesh, graph_.storage, program.types_of(e.operands), program.types_of(e.results))));
      } catch (const Error& error) {
        rethrow_at(graph_, i, error);
      }
    }
    auto crosses = [](const View& view) {
      return std::ranges::any_of(view.digits,
                                 [](const Digit& d) { return d.from.of == Coordinate::Of::axis; });
    };
    for (std::size_t i = program.equations.size(); i-- > 0;)
      if (const View* view = std::get_if<View>(&kernels_[i])) {
        const Equation& e = program.equations[i];
        if (crosses(*view) || read_across_[static_cast<std::size_t>(e.results[0])])
          read_across_[static_cast<std::size_t>(e.operands[0])] = true;
      }
  }

  void check_axes(Type type) const {
    for (const auto& [axis, state] : type.states())
      ensure(contains(graph_.mesh.axes(), axis),
             "{} has axis '{}', which is not of the mesh {}; vmap axes are batched away "
             "before a program is compiled",
             to_string(type), axis.name, to_string(graph_.mesh));
  }

  void place_inputs() {
    for (std::size_t i = 0; i < graph_.program.inputs.size(); ++i) {
      Type input = type(graph_.program.inputs[i]);
      check_axes(input);
      int root = new_root(input, stored_axes_by_type(input), Spacing::staggered);
      graph_.roots[static_cast<std::size_t>(root)].place = Root::Place::input;
      graph_.roots[static_cast<std::size_t>(root)].number = static_cast<int>(i);
      value(graph_.program.inputs[i]) = {natural_address(graph_, root), stored_axes_by_type(input)};
    }
  }

  /// Callers hand in and get one buffer per distinct value, whatever the plan keeps inside.
  AxisSet stored_axes_by_type(Type type) const {
    AxisSet set = 0;
    for (std::size_t i = 0; i < graph_.mesh.axes().size(); ++i)
      if (is_stored_per_device(type.at(graph_.mesh.axes()[i]))) set |= AxisSet{1} << i;
    return set;
  }

  void place_outputs() {
    for (Var var : graph_.program.outputs) {
      const Value& v = value(var);
      int number = static_cast<int>(graph_.outputs.size());
      if (graph_.storage == Storage::per_device) graph_.replicas.push_back(v.address.root);
      int root = v.address.root;
      if (!can_be_output(v, type(var))) {
        root = new_root(type(var), stored_axes_by_type(type(var)), Spacing::staggered);
        add_copy(v, type(var), root);
      }
      graph_.roots[static_cast<std::size_t>(root)].place = Root::Place::output;
      graph_.roots[static_cast<std::size_t>(root)].number = number;
      graph_.outputs.push_back(root);
    }
  }

  bool can_be_output(const Value& v, Type type) const {
    const Root& root = graph_.roots[static_cast<std::size_t>(v.address.root)];
    Address own = natural_address(graph_, v.address.root);
    return root.place == Root::Place::arena && root.stored == stored_axes_by_type(type) &&
           v.address.offset == 0 && v.address.axes == own.axes && root.type.shape() == type.shape() &&
           is_dense(v.address, type.shape(), element_bytes(graph_, v.address)) &&
           root.shard_stride == static_cast<std::int64_t>(shard_stride(type.bytes()));
  }

  enum class Spacing { dense, staggered };

  int new_root(Type type, AxisSet stored, Spacing spacing) {
    std::int64_t bytes = static_cast<std::int64_t>(bytes_per_element(type.dtype()));
    bool too_large = false;
    for (std::int64_t size : type.shape()) too_large |= __builtin_mul_overflow(bytes, size, &bytes);
    std::int64_t stride = spacing == Spacing::dense
                              ? bytes
                              : static_cast<std::int64_t>(shard_stride(static_cast<std::size_t>(bytes)));
    std::int64_t all = 0;
    too_large |=
        __builtin_mul_overflow(stride, positions(graph_.mesh, stored), &all) || all > (std::int64_t{1} << 46);
    require(!too_large, Code::memory, "no memory for {} on {} devices", to_string(type),
            positions(graph_.mesh, stored));
    graph_.roots.push_back({type, stored, stride, all, Root::Place::arena, 0, equation_});
    return static_cast<int>(graph_.roots.size()) - 1;
  }

  /// The root of result `i` of this equation; its value lies there.
  int result_root(std::size_t i = 0) {
    Var var = equation().results[i];
    Spacing spacing = read_across_[static_cast<std::size_t>(var)] ? Spacing::dense : Spacing::staggered;
    int root = new_root(type(var), stored_axes(type(var)), spacing);
    value(var) = {natural_address(graph_, root), stored_axes(type(var))};
    return root;
  }

  void add(Work work, std::vector<Address> operands, std::vector<int> results, const Shape& shape,
           AxisSet axes) {
    graph_.atoms.push_back(
        {equation_, std::move(work), std::move(operands), std::move(results), shape, axes});
  }

  void lower(const View& view) {
    Var from = equation().operands[0], to = equation().results[0];
    value(to) = viewed(view, value(from), type(from).shape(), type(to));
  }

  /// Another address, or else a copy.
  Value viewed(const View& view, const Value& from, const Shape& from_shape, Type to) {
    Stored result{to.shape(), stored_axes(to)};
    if (view.reshape) {
      std::optional<Address> address = reshaped(from.address, from_shape, to.shape());
      if (!address) address = reshaped(dense(from, to.with(from_shape)).address, from_shape, to.shape());
      Value same{*address, from.stored};
      return viewed_by(moves_of(identity(to.shape()), graph_.mesh, same.address, {to.shape(), same.stored},
                                result),
                       same, to);
    }
    return viewed_by(moves_of(view, graph_.mesh, from.address, {from_shape, from.stored}, result), from, to);
  }

  static View identity(const Shape& shape) {
    View view;
    for (int i = 0; i < shape.rank(); ++i) view.digits.push_back({shape[i], along(Dim{i}), along(Dim{i})});
    return view;
  }

  Value viewed_by(const std::vector<Move>& moves, const Value& from, Type to) {
    AxisSet stored = stored_axes(to);
    if (std::optional<Address> address = address_of(moves, graph_.mesh, from.address, {to.shape(), stored}))
      return {*address, stored};
    int root = new_root(to, stored, Spacing::dense);
    add_copy_of(moves, from.address, root);
    return {natural_address(graph_, root), stored};
  }

  /// A copy of `from`, which has the root's shape, to a root.
  void add_copy(const Value& from, Type type, int root) {
    AxisSet stored = graph_.roots[static_cast<std::size_t>(root)].stored;
    add_copy_of(moves_of(identity(type.shape()), graph_.mesh, from.address, {type.shape(), from.stored},
                         {type.shape(), stored}),
                from.address, root);
  }

  void add_copy_of(const std::vector<Move>& moves, const Address& from, int root) {
    Address to = natural_address(graph_, root);
    AxisSet stored = graph_.roots[static_cast<std::size_t>(root)].stored;
    CopyWork work;
    std::vector<Move> over_axes;
    for (const Move& move : moves)
      if (move.to.of == Coordinate::Of::axis) over_axes.push_back(move);
      else if (move.to.of == Coordinate::Of::dim)
        work.loops.push_back(
            {move.size, to.dims[static_cast<std::size_t>(move.to.dim.index)] * move.to.weight, move.from});
    std::ranges::sort(work.loops, std::ranges::greater{}, &CopyLoop::to_stride);
    for (std::int64_t i = 0; i < positions(graph_.mesh, stored); ++i) {
      std::vector<std::int64_t> at = coordinates(graph_.mesh, stored, i);
      std::int64_t offset = from.offset;
      for (const Move& move : over_axes) {
        auto axis = static_cast<std::size_t>(std::ranges::find(graph_.mesh.axes(), move.to.axis) -
                                             graph_.mesh.axes().begin());
        offset += at[axis] / move.to.weight % move.size * move.from;
      }
      work.jobs.push_back({offset_at(to, at), offset});
    }
    add(std::move(work), {from}, {root}, graph_.roots[static_cast<std::size_t>(root)].type.shape(), stored);
  }

  /// `from` itself if every device's value is dense there, else a copy with as few shards as it has distinct values.
  Value dense(const Value& from, Type type) {
    if (is_dense(from.address, type.shape(), element_bytes(graph_, from.address))) return from;
    for (const auto& [address, shape, copy] : dense_copies_)
      if (address.root == from.address.root && address.offset == from.address.offset &&
          address.axes == from.address.axes && address.dims == from.address.dims && shape == type.shape())
        return copy;
    AxisSet stored = 0;
    for (std::size_t i = 0; i < from.address.axes.size(); ++i)
      if (has(from.stored, i) && from.address.axes[i] != 0) stored |= AxisSet{1} << i;
    int root = new_root(type, stored, Spacing::dense);
    add_copy(from, type, root);
    Value copy{natural_address(graph_, root), from.stored};
    dense_copies_.push_back({from.address, type.shape(), copy});
    return copy;
  }

  void lower(const Literal& literal) {
    int number = static_cast<int>(graph_.constants.size());
    graph_.constants.push_back(literal.data);
    int root = new_root(Type(literal.data.dtype(), literal.data.shape()), 0, Spacing::dense);
    graph_.roots[static_cast<std::size_t>(root)].place = Root::Place::constant;
    graph_.roots[static_cast<std::size_t>(root)].number = number;
    value(equation().results[0]) =
        viewed(literal.view, {natural_address(graph_, root), 0}, literal.data.shape(), result_type());
  }

  void lower(const Pointwise& fn) {
    std::vector<Address> operands;
    for (Var var : equation().operands) operands.push_back(value(var).address);
    int root = result_root();
    add(PointwiseWork{fn}, std::move(operands), {root}, result_type().shape(), stored_axes(result_type()));
  }

  void lower(const ReduceDims& reduce);
  void add_columns(const ReduceDims& reduce, const Value& from, Type operand);
  void add_rows(ReduceKind kind, int kept, const Value& from, const Shape& shape);
  Value with_dims_last(const Dims& dims, const Value& from, Type operand);

  void lower(const Fold& fold) {
    const Value& from = value(equation().operands[0]);
    Type folded = operand_type(0).with(fold.axes, State::invariant);
    Work work = FoldWork{fold.kind, set_of(graph_.mesh, fold.axes)};
    if (fold.then.empty()) {
      Address operand = from.address;
      AxisSet axes = from.stored;
      add(std::move(work), {operand}, {result_root()}, folded.shape(), axes);
      return;
    }
    int root = new_root(folded, stored_axes(folded), Spacing::staggered);
    add(std::move(work), {from.address}, {root}, folded.shape(), from.stored);
    value(equation().results[0]) = viewed(fold.then[0], {natural_address(graph_, root), stored_axes(folded)},
                                          folded.shape(), result_type());
  }

  void lower(const Shuffle& shuffle) {
    Value from = value(equation().operands[0]);
    int root = result_root();
    Address to = natural_address(graph_, root);
    AxisSet stored = stored_axes(result_type()), everywhere = ~AxisSet{0};
    CopyWork work;
    for (int i = 0; i < result_type().rank(); ++i) {
      auto dim = static_cast<std::size_t>(i);
      work.loops.push_back({result_type().shape()[i], to.dims[dim], from.address.dims[dim]});
    }
    for (std::int64_t i = 0; i < positions(graph_.mesh, stored); ++i) {
      std::vector<std::int64_t> at = coordinates(graph_.mesh, stored, i);
      std::int64_t device = 0;
      for (std::size_t axis = 0; axis < at.size(); ++axis)
        device = device * graph_.mesh.axes()[axis].size + at[axis];
      int source = shuffle.source[static_cast<std::size_t>(device)];
      std::int64_t offset =
          source < 0 ? -1 : offset_at(from.address, coordinates(graph_.mesh, everywhere, source));
      work.jobs.push_back({offset_at(to, at), offset});
    }
    add(std::move(work), {from.address}, {root}, result_type().shape(), stored);
  }

  void lower(const Units& units) {
    std::vector<Address> operands;
    for (Var var : equation().operands) operands.push_back(dense(value(var), type(var)).address);
    std::vector<int> roots;
    for (std::size_t i = 0; i < equation().results.size(); ++i) {
      roots.push_back(result_root(i));
      ensure(stored_axes(type(equation().results[i])) == stored_axes(result_type()),
             "results of units that differ in their states: {} and {}", to_string(result_type()),
             to_string(type(equation().results[i])));
    }
    add(UnitsWork{units}, std::move(operands), std::move(roots), result_type().shape(),
        stored_axes(result_type()));
  }

  struct DenseCopy {
    Address address;
    Shape shape;
    Value copy;
  };

  Graph graph_;
  std::vector<Kernel> kernels_;
  std::vector<Value> values_;
  std::vector<bool> read_across_;  // variables that a view reads over several shards
  std::vector<DenseCopy> dense_copies_;
  int equation_ = -1;
};

// ------------------------------------------------------------------------------------------- reductions over dims

void GraphBuilder::lower(const ReduceDims& reduce) {
  Value from = value(equation().operands[0]);
  Type operand = operand_type(0);
  const Shape& shape = operand.shape();
  auto is_reduced = [&](int dim) { return std::ranges::find(reduce.dims, Dim{dim}) != reduce.dims.end(); };
  // The dims longer than 1, in runs of kept and reduced ones. The way is chosen by the shape alone, so are the bits.
  std::string runs;
  int first_reduced = shape.rank();
  for (int i = shape.rank(); i-- > 0;) {
    if (shape[i] == 1) continue;
    char run = is_reduced(i) ? 'r' : 'k';
    if (runs.empty() || runs[0] != run) runs.insert(runs.begin(), run);
    if (is_reduced(i)) first_reduced = i;
  }
  bool empty = shape.elements() == 0;
  if (runs.find('r') == std::string::npos && !empty)
    value(equation().results[0]) = viewed({{}, true}, from, shape, result_type());
  else if (!empty && (runs == "r" || runs == "kr")) add_rows(reduce.kind, first_reduced, from, shape);
  else if (!empty && (runs == "rk" || runs == "krk")) add_columns(reduce, dense(from, operand), operand);
  else {
    Value moved = with_dims_last(reduce.dims, from, operand);
    int kept = shape.rank() - static_cast<int>(reduce.dims.size());
    std::vector<std::int64_t> sizes;
    for (int i = 0; i < shape.rank(); ++i)
      if (!is_reduced(i)) sizes.push_back(shape[i]);
    for (Dim dim : reduce.dims) sizes.push_back(shape[dim]);
    add_rows(reduce.kind, kept, moved, Shape(sizes));
  }
}

void GraphBuilder::add_rows(ReduceKind kind, int kept, const Value& from, const Shape& shape) {
  Address operand = from.address;
  int root = result_root();
  add(RowsWork{kind, kept}, {operand}, {root}, shape, stored_axes(result_type()));
}

void GraphBuilder::add_columns(const ReduceDims& reduce, const Value& from, Type operand) {
  const Shape& shape = operand.shape();
  ColumnsWork work{reduce.kind, 1, 1, 1};
  bool seen_reduced = false;
  for (int i = 0; i < shape.rank(); ++i) {
    bool reduced = std::ranges::find(reduce.dims, Dim{i}) != reduce.dims.end();
    if (reduced && shape[i] != 1) seen_reduced = true;
    (reduced ? work.rows : seen_reduced ? work.columns : work.batch) *= shape[i];
  }
  Address address = from.address;
  int root = result_root();
  add(work, {address}, {root}, shape, stored_axes(result_type()));
}

Value GraphBuilder::with_dims_last(const Dims& dims, const Value& from, Type operand) {
  Address address = from.address;
  address.dims.clear();
  for (int i = 0; i < operand.rank(); ++i)
    if (std::ranges::find(dims, Dim{i}) == dims.end())
      address.dims.push_back(from.address.dims[static_cast<std::size_t>(i)]);
  for (Dim dim : dims) address.dims.push_back(from.address.dims[static_cast<std::size_t>(dim.index)]);
  return {address, from.stored};
}

}  // namespace

Graph make_graph(const Program& local, const Mesh& mesh, Storage storage) {
  return GraphBuilder(local, mesh, storage).build();
}

Address natural_address(const Graph& graph, int root) {
  const Root& r = graph.roots[static_cast<std::size_t>(root)];
  Address address{root, 0, std::vector<std::int64_t>(graph.mesh.axes().size(), 0),
                  dense_strides(r.type.shape(),
                                static_cast<std::int64_t>(bytes_per_element(r.type.dtype())))};
  std::int64_t stride = r.shard_stride;
  for (std::size_t i = graph.mesh.axes().size(); i-- > 0;) {
    if (!has(r.stored, i)) continue;
    address.axes[i] = stride;
    stride *= graph.mesh.axes()[i].size;
  }
  return address;
}

std::int64_t element_bytes(const Graph& graph, const Address& address) {
  return static_cast<std::int64_t>(
      bytes_per_element(graph.roots[static_cast<std::size_t>(address.root)].type.dtype()));
}

void rethrow_at(const Graph& graph, int equation, const Error& error) {
  if (equation < 0) throw error;
  const Equation& e = graph.program.equations[static_cast<std::size_t>(equation)];
  throw error.at(e.where, e.op->name());
}

}  // namespace tutti
