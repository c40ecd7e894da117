// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/graph/graph.hpp"

#include <algorithm>
#include <functional>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/devices/block.hpp"
#include "tutti/ops/collectives/assume_invariant.hpp"
#include "tutti/run/graph/graph_builder.hpp"
#include "tutti/run/graph/merged_transfers.hpp"

namespace tutti {
namespace {

void set_axes(Buffer& buffer, const std::vector<std::int64_t>& axes) {
  buffer.axes = axes;
  buffer.stored = 0;
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i] != 0) buffer.stored |= AxisSet{1} << i;
}

/// Sorts loops, outermost first, drops loops of size 1 and joins neighbours that have one stride together.
std::vector<CopyLoop> joined(std::vector<CopyLoop> loops) {
  std::ranges::sort(loops, std::ranges::greater{}, &CopyLoop::to_stride);
  std::vector<CopyLoop> left;
  for (const CopyLoop& loop : loops) {
    if (loop.size == 1) continue;
    bool even = !left.empty() && left.back().to_stride == loop.size * loop.to_stride &&
                left.back().from_stride == loop.size * loop.from_stride;
    if (even) left.back() = {left.back().size * loop.size, loop.to_stride, loop.from_stride};
    else left.push_back(loop);
  }
  return left;
}

}  // namespace

GraphBuilder::GraphBuilder(const Program& local, const Processes& processes, const PlanOptions& options,
                           const std::optional<Ports>& ports)
    : graph_{processes.box(), options.storage, local, {}, {}, {}, {}, {}},
      processes_(processes),
      ports_(ports),
      options_(options) {
  const Mesh& mesh = processes.whole();
  graph_.whole = mesh;
  for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis) graph_.first.push_back(processes.first(axis));
  graph_.is_sub_program = ports.has_value();
  if (options.least_assembled_bytes == 0) graph_.shortest_rimmed_line = 1;
  output_of_.assign(local.types.size(), std::nullopt);
  for (std::size_t i = local.outputs.size(); i-- > 0;) output_of_[local.outputs[i]] = i;
  require(mesh.axes().size() <= 64, Code::mesh, "a mesh of {} axes; 64 at most can be compiled",
          mesh.axes().size());
}

Graph GraphBuilder::build() && {
  collect_kernels();
  graph_.buffers.reserve(graph_.program.types.size());
  graph_.tasks.reserve(graph_.program.equations.size());
  place_inputs();
  for (std::size_t i = 0; i < graph_.program.equations.size(); ++i) {
    equation_ = i;
    try {
      const AssumeInvariant* assumption = equation().op.as<AssumeInvariant>();
      if (assumption && options_.check_assumptions) lower_to_first_of_equals(assumption->axes);
      else std::visit([this](const auto& kernel) { lower(kernel); }, kernels_[i]);
    } catch (const Error& error) {
      rethrow_at(graph_, i, error);
    }
  }
  merge_transfers(graph_, kernels_);
  place_outputs();
  drop_unread_copies();
  return std::move(graph_);
}

AxisSet GraphBuilder::stored_axes(Type type) const {
  AxisSet set = 0;
  Layout layout(graph_.mesh, graph_.storage, {}, {});
  for (std::size_t i = 0; i < graph_.mesh.axes().size(); ++i)
    if (layout.stores(type, graph_.mesh.axes()[i])) set |= AxisSet{1} << i;
  return set;
}

void GraphBuilder::collect_kernels() {
  const Program& program = graph_.program;
  values_.assign(program.types.size(), {});
  read_across_.assign(program.types.size(), false);
  kernels_.reserve(program.equations.size());
  for (std::size_t i = 0; i < program.equations.size(); ++i) {
    const Equation& e = program.equations[i];
    try {
      for (Var var : e.results) check_axes(type(var));
      kernels_.push_back(e.op->kernel(Layout(processes_.whole(), graph_.storage, program.types_of(e.operands),
                                             program.types_of(e.results))));
    } catch (const Error& error) {
      rethrow_at(graph_, i, error);
    }
  }
  auto crosses = [](const kernel::View& view) {
    return std::ranges::any_of(view.digits, [](const kernel::Digit& d) {
      return d.from.of == kernel::Coordinate::Source::axis;
    });
  };
  for (std::size_t i = program.equations.size(); i-- > 0;)
    if (const kernel::View* view = std::get_if<kernel::View>(&kernels_[i])) {
      const Equation& e = program.equations[i];
      for (std::size_t k = 0; k < e.results.size(); ++k)
        if (crosses(*view) || read_across_[e.results[k]]) read_across_[e.operands[k]] = true;
    }
}

void GraphBuilder::check_axes(Type type) const {
  for (const auto& [axis, state] : type.states())
    ensure(contains(graph_.mesh.axes(), axis),
           "{} has axis '{}', which is not of the mesh {}; vmap axes are batched away "
           "before a program is compiled",
           type, axis.name, graph_.mesh);
}

void GraphBuilder::place_inputs() {
  for (std::size_t i = 0; i < graph_.program.inputs.size(); ++i) {
    Type input = type(graph_.program.inputs[i]);
    check_axes(input);
    BufferId buffer = new_buffer(input, stored_axes_by_type(input), Spacing::staggered);
    graph_.buffers[buffer].kind = Buffer::Kind::input;
    graph_.buffers[buffer].number = i;
    if (ports_) set_axes(graph_.buffers[buffer], ports_->inputs[i]);
    value(graph_.program.inputs[i]) = {natural_address(graph_, buffer), stored_axes(input)};
  }
}

AxisSet GraphBuilder::stored_axes_by_type(Type type) const {
  AxisSet set = 0;
  for (std::size_t i = 0; i < graph_.mesh.axes().size(); ++i)
    if (is_stored_per_device(type.at(graph_.mesh.axes()[i]))) set |= AxisSet{1} << i;
  return set;
}

void GraphBuilder::place_outputs() {
  for (std::size_t i = 0; i < graph_.program.outputs.size(); ++i) {
    Var var = graph_.program.outputs[i];
    const Value& v = value(var);
    if (graph_.storage == Storage::per_device && !ports_) graph_.replicas.push_back(v.address.buffer);
    BufferId buffer = v.address.buffer;
    equation_ = graph_.buffers[buffer].equation;  // errors of the output name the equation of the value
    if (!can_be_output(v, i)) {
      buffer = graph_.buffers.add(output_buffer(i));
      add_copy(v, type(var), buffer);
    } else if (graph_.buffers[buffer].stored != output_axes(type(var))) {
      // It differs in axes of one device. For example, what has arrived from other processes has none.
      Buffer as_callers_have_it = output_buffer(i);
      as_callers_have_it.type = graph_.buffers[buffer].type;
      graph_.buffers[buffer] = std::move(as_callers_have_it);
    }
    graph_.buffers[buffer].kind = Buffer::Kind::output;
    graph_.buffers[buffer].number = i;
    graph_.outputs.push_back(buffer);
  }
}

AxisSet GraphBuilder::output_axes(Type type) const {
  return ports_ ? stored_axes(type) : stored_axes_by_type(type);
}

Buffer GraphBuilder::output_buffer(std::size_t output) const {
  Type of = type(graph_.program.outputs[output]);
  Buffer buffer = buffer_for(of, output_axes(of), Spacing::staggered);
  if (ports_) buffer.axes = ports_->outputs[output];
  return buffer;
}

bool GraphBuilder::can_be_output(const Value& v, std::size_t output) const {
  Type of = type(graph_.program.outputs[output]);
  const Buffer& buffer = graph_.buffers[v.address.buffer];
  AxisSet several = 0;  // devices of this process; along the other axes, strides mean nothing
  for (std::size_t i = 0; i < graph_.mesh.axes().size(); ++i)
    if (graph_.mesh.axes()[i].size > 1) several |= AxisSet{1} << i;
  const auto are_alike = [&](const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (has(several, i) && a[i] != b[i]) return false;
    return true;
  };
  const bool lies_so =
      (buffer.stored & several) == (output_axes(of) & several) &&
      (ports_ ? are_alike(buffer.axes, ports_->outputs[output])
              : positions(graph_.mesh, buffer.stored) == 1 ||
                    buffer.shard_stride == static_cast<std::int64_t>(shard_stride(of.bytes())));
  return lies_so && buffer.kind == Buffer::Kind::arena && v.address.offset == 0 &&
         are_alike(v.address.axes, buffer.axes) && buffer.type.bytes() == of.bytes() &&
         is_dense(v.address, of.shape(), element_bytes(graph_, v.address));
}

Buffer GraphBuilder::buffer_for(Type type, AxisSet stored, Spacing spacing) const {
  std::int64_t bytes = static_cast<std::int64_t>(bytes_per_element(type.dtype()));
  bool too_large = false;
  for (std::int64_t size : type.shape()) too_large |= __builtin_mul_overflow(bytes, size, &bytes);
  std::int64_t stride = spacing == Spacing::dense
                            ? bytes
                            : static_cast<std::int64_t>(shard_stride(static_cast<std::size_t>(bytes)));
  std::int64_t all = 0;
  too_large |=
      __builtin_mul_overflow(stride, positions(graph_.mesh, stored), &all) || all > (std::int64_t{1} << 46);
  if (too_large)
    fail(Code::memory, "no memory for {} on {}; split it over more, or compute it in parts", to_string(type),
         counted(positions(graph_.mesh, stored), "device"));
  std::vector<std::int64_t> axes(graph_.mesh.axes().size(), 0);
  std::int64_t step = stride;
  for (std::size_t i = axes.size(); i-- > 0;) {
    if (!has(stored, i)) continue;
    axes[i] = step;
    step *= graph_.mesh.axes()[i].size;
  }
  return {type, stored, stride, std::move(axes), all, Buffer::Kind::arena, 0, equation_};
}

BufferId GraphBuilder::result_buffer(std::size_t i) {
  Var var = equation().results[i];
  if (!ports_ || !output_of_[var]) return own_result_buffer(i);
  BufferId buffer = graph_.buffers.add(output_buffer(*output_of_[var]));
  value(var) = {natural_address(graph_, buffer), stored_axes(type(var))};
  return buffer;
}

GraphBuilder::Spacing GraphBuilder::spacing_of(Var var) const {
  return read_across_[var] ? Spacing::dense : Spacing::staggered;
}

BufferId GraphBuilder::own_result_buffer(std::size_t i) {
  Var var = equation().results[i];
  BufferId buffer = new_buffer(type(var), stored_axes(type(var)), spacing_of(var));
  value(var) = {natural_address(graph_, buffer), stored_axes(type(var))};
  return buffer;
}

void GraphBuilder::add(Work work, std::vector<Address> operands, std::vector<BufferId> results,
                       const Shape& shape, AxisSet axes) {
  if (CopyWork* copy = std::get_if<CopyWork>(&work)) copy->loops = joined(std::move(copy->loops));
  graph_.tasks.add({equation_, std::move(work), std::move(operands), std::move(results), shape, axes});
}

void GraphBuilder::drop_unread_copies() {
  Indexed<BufferId, bool> is_read(graph_.buffers.size());
  for (BufferId buffer : graph_.outputs) is_read[buffer] = true;
  for (BufferId buffer : graph_.replicas) is_read[buffer] = true;
  Indexed<TaskId, bool> is_dropped(graph_.tasks.size());
  for (std::size_t i = graph_.tasks.size(); i-- > 0;) {
    const Task& task = graph_.tasks[TaskId(i)];
    is_dropped[TaskId(i)] = only_moves(task) && !is_read[task.results[0]];
    if (is_dropped[TaskId(i)]) continue;
    for (const Address& operand : task.operands) is_read[operand.buffer] = true;
  }
  if (std::ranges::none_of(is_dropped, std::identity{})) return;
  Indexed<TaskId, Task> left;
  for (TaskId i : graph_.tasks.ids())
    if (!is_dropped[i]) left.add(std::move(graph_.tasks[i]));
  graph_.tasks = std::move(left);
}

Graph make_graph(const Program& local, const Processes& processes, const PlanOptions& options,
                 const std::optional<Ports>& ports) {
  return GraphBuilder(local, processes, options, ports).build();
}

bool only_moves(const Task& task) {
  if (const auto* opaque = std::get_if<OpaqueWork>(&task.work)) return !opaque->opaque.blocks.empty();
  const auto* copy = std::get_if<CopyWork>(&task.work);
  return copy && !copy->must_agree;
}

std::int64_t elements_from(const Shape& shape, int dim) {
  std::int64_t elements = 1;
  for (int i = dim; i < shape.rank(); ++i) elements *= shape[i];
  return elements;
}

bool assembles(const Task& task) { return std::holds_alternative<AssembleWork>(task.work); }

const FoldWork* fold_of_terms(const Task& task) {
  const auto* fold = std::get_if<FoldWork>(&task.work);
  return fold && !fold->terms.empty() ? fold : nullptr;
}

std::vector<BufferId> input_buffers(const Graph& graph) {
  std::vector<BufferId> found(graph.program.inputs.size());
  for (BufferId b : graph.buffers.ids())
    if (const Buffer& buffer = graph.buffers[b]; buffer.kind == Buffer::Kind::input) found[buffer.number] = b;
  return found;
}

Address natural_address(const Graph& graph, BufferId buffer) {
  const Buffer& of = graph.buffers[buffer];
  return {buffer, 0, of.axes,
          dense_strides(of.type.shape(), static_cast<std::int64_t>(bytes_per_element(of.type.dtype())))};
}

std::int64_t element_bytes(const Graph& graph, const Address& address) {
  return static_cast<std::int64_t>(bytes_per_element(graph.buffers[address.buffer].type.dtype()));
}

void rethrow_at(const Graph& graph, std::optional<std::size_t> equation, const Error& error) {
  if (!equation) throw error;
  const Equation& e = graph.program.equations[*equation];
  throw error.at(e.where, e.op->name());
}

}  // namespace tutti
