// SPDX-License-Identifier: Apache-2.0
// Lowering of ops with sub-programs.
#include "tutti/base/require.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/run/graph/graph_builder.hpp"

namespace tutti {
namespace {

SubPrograms::Control how_of(const kernel::Sub& sub, std::string_view op) {
  switch (sub.how) {
    case kernel::Sub::Control::choose: return SubPrograms::Control::choose;
    case kernel::Sub::Control::repeat: return SubPrograms::Control::repeat;
    case kernel::Sub::Control::loop: return SubPrograms::Control::loop;
    case kernel::Sub::Control::call: break;
  }
  fail(Code::internal, "{} is not in its place", op);
}

/// The type of a switch's index or a while loop's test, which may differ between devices; none for other ops.
std::optional<Type> decider(const SubPrograms& sub, Type first_operand) {
  switch (sub.how) {
    case SubPrograms::Control::choose: return first_operand;
    case SubPrograms::Control::repeat: return std::nullopt;
    case SubPrograms::Control::loop: return sub.programs[0]->type(sub.programs[0]->outputs[0]);
  }
  return std::nullopt;
}

}  // namespace

void GraphBuilder::lower(const kernel::Sub& kernel) {
  const auto consts = static_cast<std::size_t>(kernel.consts),
             carries = static_cast<std::size_t>(kernel.carries);
  const SubPrograms sub{
      how_of(kernel, equation().op->name()), kernel.programs, consts, carries, kernel.length, kernel.reverse};
  SubWork work{sub, 0, {}};
  const std::vector<Var>& vars = equation().operands;
  if (std::optional<Type> type = decider(sub, vars.empty() ? Type(DType::i32, {}) : operand_type(0)))
    for (const auto& [axis, state] : type->states())
      if (is_stored_per_device(state)) work.divergent |= AxisSet{1} << number_of(axis);
  std::vector<Value> values;
  for (Var var : vars) values.push_back(dense(value(var), type(var)));
  std::vector<BufferId> buffers;
  for (std::size_t i = 0; i < equation().results.size(); ++i)
    buffers.push_back(i < carries ? own_result_buffer(i) : result_buffer(i));
  for (std::size_t i = 0; i < carries; ++i) {
    Type carry = type(equation().results[i]);
    BufferId buffer = buffers[i];
    values[consts + i] = like_buffer(values[consts + i], carry, buffer);
    BufferId other = new_buffer(carry, stored_axes(carry), Spacing::dense);
    graph_.buffers[other] = graph_.buffers[buffer];
    buffers.push_back(other);
  }
  std::vector<Address> operands;
  for (const Value& v : values) operands.push_back(v.address);
  add(std::move(work), std::move(operands), std::move(buffers), {}, 0);
}

GraphBuilder::Value GraphBuilder::like_buffer(const Value& v, Type type, BufferId buffer) {
  const std::vector<std::int64_t> axes = graph_.buffers[buffer].axes;
  bool alike = true;
  for (std::size_t i = 0; i < axes.size(); ++i)
    alike = alike && (v.address.axes[i] == axes[i] || graph_.mesh.axes()[i].size == 1);
  if (alike) {
    Value same = v;
    same.address.axes = axes;  // may differ on axes of size 1, where no address depends on them
    return same;
  }
  BufferId copy = new_buffer(type, stored_axes(type), Spacing::dense);
  graph_.buffers[copy] = graph_.buffers[buffer];
  add_copy(v, type, copy);
  return {natural_address(graph_, copy), stored_axes(type)};
}

}  // namespace tutti
