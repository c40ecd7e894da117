// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/function_emitter.hpp"

#include <algorithm>
#include <utility>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/control/wrapped/start.hpp"
#include "tutti/lower/apart.hpp"
#include "tutti/lower/bitwise_reduce.hpp"
#include "tutti/lower/planned_exchange.hpp"
#include "tutti/lower/spelling.hpp"
#include "tutti/stablehlo/attribute_text.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/transform/replay.hpp"

namespace tutti {
namespace {

bool is_of_halves(const stablehlo::ValueType& type) {
  const auto* tensor = std::get_if<stablehlo::TensorType>(&type);
  return tensor && (tensor->element == "f16" || tensor->element == "bf16");
}

/// The ops that fold many elements, two at a time.
constexpr std::string_view folds[] = {"stablehlo.all_reduce",    "stablehlo.reduce",
                                      "stablehlo.reduce_window", "stablehlo.reduce_scatter",
                                      "stablehlo.scatter",       "stablehlo.select_and_scatter"};

/// Throws I001 for a fold that rounds to f16 or bf16 at every element.
void require_wide_sums(const stablehlo::Operation& made) {
  if (std::ranges::find(folds, made.name) == std::end(folds)) return;
  for (const stablehlo::Block& region : made.regions)
    for (const stablehlo::Operation& inner : region.operations) {
      if (inner.name != "stablehlo.add" && inner.name != "stablehlo.multiply") continue;
      ensure(!is_of_halves(inner.result_types[0]),
             "{} rounds to {} at every element; emit_with_reducer folds in f32 and rounds once", made.name,
             inner.result_types[0]);
    }
}

Tensor neutral_element(ReduceKind kind, DType dtype) {
  Tensor neutral(Shape{}, dtype);
  write_neutral_element(kind, dtype, neutral.mutable_bytes());
  return neutral;
}

}  // namespace

FunctionEmitter::FunctionEmitter(const Mesh& mesh, const LowerOptions& options, CallBacks* call_backs)
    : mesh_(mesh), options_(options), call_backs_(call_backs), known_ranges_(mesh.devices()) {}

Lowered FunctionEmitter::lower(const Equation& equation, const Lowered& operands, const Types& operand_types,
                               const Types& result_types) {
  stablehlo::Location place;
  if (equation.where.known()) place = stablehlo::location_of({equation.where});
  // Equations of sub-programs are lowered while their op is.
  Types outer_operands = std::exchange(operand_types_, operand_types);
  Types outer_results = std::exchange(result_types_, result_types);
  stablehlo::Location outer_place = std::exchange(place_, place);
  try {
    const std::size_t first = written_.operations.size();
    Lowered results = written(equation, operands, operand_types);
    operand_types_ = std::move(outer_operands);
    result_types_ = std::move(outer_results);
    place_ = std::move(outer_place);
    ensure(results.size() == result_types.size(), "lowers to {}, has {}",
           counted(std::ssize(results), "value"), counted(std::ssize(result_types), "result"));
    for (std::size_t i = 0; i < results.size(); ++i) {
      stablehlo::ValueType found = type_of(results[i]), promised = tensor_type(result_types[i]);
      ensure(found == promised, "result {} lowers to {}, its type is {}", i, found, promised);
    }
    if (equation.op.as<Start>()) results[0] = start(first, results[0]);
    return results;
  } catch (const Error& error) {
    throw error.at(equation.where, equation.op->name());
  }
}

Lowered FunctionEmitter::lower(const Program& program, const Lowered& inputs) {
  PerVar<stablehlo::Value> values(program);
  for (std::size_t i = 0; i < inputs.size(); ++i) values[program.inputs[i]] = inputs[i];
  for (const Equation& equation : program.equations) {
    Lowered results = lower(equation, values.of(equation.operands), program.types_of(equation.operands),
                            program.types_of(equation.results));
    for (std::size_t i = 0; i < results.size(); ++i) values[equation.results[i]] = results[i];
  }
  return values.of(program.outputs);
}

// In a branch or loop that some devices may not run, a permutation is a gather.
Lowered FunctionEmitter::written(const Equation& equation, const Lowered& operands,
                                 const Types& operand_types) {
  if (equation.op.as<Done>()) return {end(operands[0])};
  const auto* start = equation.op.as<Start>();
  const Op& op = start ? start->op : equation.op;
  const auto* permute = op.as<Permute>();
  if (apart_ && permute) return lower(permute_by_gather(*permute, operand_types[0]), operands);
  const auto* reduce = op.as<AllReduce>();
  if (reduce && !options_.bitwise_all_reduce && is_bitwise(*reduce, operand_types[0]))
    return lower(reduce_by_moves(*reduce, operand_types[0]), operands);
  if (const auto* exchange = op.as<Exchange>())
    if (const auto planned = planned_exchange(*exchange, operand_types[0], mesh_)) {
      const Mesh outer = std::exchange(mesh_, planned->mesh);
      Lowered result = lower(planned->steps, operands);
      mesh_ = outer;
      return result;
    }
  if (!op->programs().empty()) return written_around(op, operands, operand_types);
  if (op->has_effect() && call_backs_) return call_back(op, equation.where, operands);
  return op->lower(*this, operands);
}

Lowered FunctionEmitter::written_around(const Op& op, const Lowered& operands, const Types& operand_types) {
  const Axes varying = divergent_axes(op, operand_types);
  Axes divergent;
  const auto is_divergent = [&](const Axis& axis) {
    return std::ranges::any_of(around_,
                               [&](const EnclosingOp& a) { return contains(a.in_text.divergent, axis); });
  };
  for (const Axis& axis : mesh_.axes())
    if (contains(varying, axis) && !is_divergent(axis)) divergent.push_back(axis);
  const bool outer_apart = std::exchange(apart_, apart_ || !varying.empty());
  around_.push_back({{places_++, std::move(divergent)}, {}});
  Lowered results = op->lower(*this, operands);
  around_.pop_back();
  apart_ = outer_apart;
  return results;
}

Lowered FunctionEmitter::lower_iteration(const Program& program, stablehlo::Value iteration,
                                         const Lowered& inputs) {
  around_.back().iteration = iteration;
  return lower(program, inputs);
}

Lowered FunctionEmitter::call_back(const Op& op, const Where& where, const Lowered& operands) {
  auto number = [&](std::size_t value) { return constant(Tensor::scalar(static_cast<std::int32_t>(value))); };
  CallBack call{op, where, operand_types_, result_types_, places_++, {}};
  Lowered given{number(call_backs_->size()), position(mesh_.axes())};
  for (const EnclosingOp& each : around_) {
    call.around.push_back(each.in_text);
    given.push_back(each.iteration ? *each.iteration : number(0));
  }
  given.insert(given.end(), operands.begin(), operands.end());
  call_backs_->push_back(std::move(call));
  Types types(given.size() - operands.size(), Type(DType::i32, {}));
  types.insert(types.end(), operand_types_.begin(), operand_types_.end());
  return emit_with_regions("stablehlo.custom_call", given, result_types_, {},
                           call_back_attributes(types, result_types_));
}

// --- What was written --------------------------------------------------------------------------------------

std::vector<stablehlo::Operation> FunctionEmitter::take() { return std::move(written_).all(); }

std::vector<stablehlo::Operation> FunctionEmitter::Output::all() && {
  shared.insert(shared.end(), std::make_move_iterator(operations.begin()),
                std::make_move_iterator(operations.end()));
  return std::move(shared);
}

// --- What ops write through --------------------------------------------------------------------------------

stablehlo::Value FunctionEmitter::emit(std::string_view op, const Lowered& operands, Type result,
                                       stablehlo::Attributes attributes) {
  if (op == "stablehlo.collective_permute") require_together();
  return append(operation(op, operands, tensor_type(result), std::move(attributes)));
}

void FunctionEmitter::require_together() const {
  require(!apart_, Code::device,
          "stablehlo.collective_permute stands in a branch or loop that some devices may not run; in XLA the "
          "devices would wait for each other for ever; use ppermute, or take it out of the branch and select "
          "the result");
}

stablehlo::Value FunctionEmitter::emit_with_reducer(std::string_view op, ReduceKind kind,
                                                    const Lowered& operands, Type result,
                                                    stablehlo::Attributes attributes) {
  const bool rounds = kind == ReduceKind::sum || kind == ReduceKind::prod;
  if (!rounds || !is_half(result.dtype())) return folded(op, kind, operands, result, std::move(attributes));
  const stablehlo::Value wide =
      folded(op, kind, widened(operands), result.with(DType::f32), std::move(attributes));
  return emit("stablehlo.convert", {wide}, result, {});
}

stablehlo::Value FunctionEmitter::folded(std::string_view op, ReduceKind kind, const Lowered& operands,
                                         Type result, stablehlo::Attributes attributes) {
  Lowered all = operands;
  if (op == "stablehlo.reduce" || op == "stablehlo.reduce_window")
    all.push_back(constant(neutral_element(kind, result.dtype())));
  stablehlo::Operation made = operation(op, all, tensor_type(result), std::move(attributes));
  made.regions.push_back(reducer(kind, result.dtype()));
  return append(std::move(made));
}

Lowered FunctionEmitter::widened(const Lowered& values) {
  Lowered wide = values;
  for (stablehlo::Value& value : wide) {
    if (!is_of_halves(type_of(value))) continue;
    auto type = std::get<stablehlo::TensorType>(type_of(value));
    type.element = element_name(DType::f32);
    value = append(operation("stablehlo.convert", {value}, std::move(type), {}));
  }
  return wide;
}

Lowered FunctionEmitter::emit_with_regions(std::string_view op, const Lowered& operands, const Types& results,
                                           const std::vector<Region>& regions,
                                           stablehlo::Attributes attributes) {
  stablehlo::Operation made = operation(op, operands, {}, std::move(attributes));
  made.results.clear();
  made.result_types.clear();
  for (Type type : results) {
    made.result_types.push_back(tensor_type(type));
    made.results.push_back(new_value(tensor_type(type)));
  }
  for (const Region& region : regions) made.regions.push_back(block(region));
  require_wide_sums(made);
  Lowered values = made.results;
  append(std::move(made));
  return values;
}

stablehlo::Value FunctionEmitter::constant(const Tensor& value) {
  stablehlo::TensorType type = tensor_type(Type(value.dtype(), value.shape()));
  stablehlo::Attribute data = stablehlo::dense(type, {value.data(), value.data() + value.bytes()});
  return append(operation("stablehlo.constant", {}, type, {{"value", std::move(data)}}));
}

stablehlo::Value FunctionEmitter::position(const Axes& axes) {
  is_shared_ = true;
  stablehlo::Value value = number_of(digits_of(axes, mesh_));
  is_shared_ = false;
  return value;
}

// --- Positions ---------------------------------------------------------------------------------------------

stablehlo::Value FunctionEmitter::number_of(const Digits& digits) {
  auto found = written_.positions.find(digits);
  if (found != written_.positions.end()) return found->second;
  auto number = [&](int value) { return constant(Tensor::scalar(static_cast<std::int32_t>(value))); };
  auto scalar = [&](const char* op, const Lowered& operands) {
    return emit(op, operands, Type(DType::i32, {}), {});
  };
  auto [stride, size] = digits.empty() ? Digit{1, 1} : digits.back();
  stablehlo::Value value;
  if (digits.empty()) {
    value = number(0);
  } else if (digits.size() > 1) {
    stablehlo::Value outer = number_of(Digits(digits.begin(), digits.end() - 1)),
                     last = number_of({digits.back()});
    value = scalar("stablehlo.add", {scalar("stablehlo.multiply", {outer, number(size)}), last});
  } else if (size == mesh_.devices()) {
    value = scalar("stablehlo.convert",
                   {append(operation("stablehlo.partition_id", {}, stablehlo::TensorType{{}, "ui32"}, {}))});
  } else {
    value = number_of({{1, mesh_.devices()}});
    if (stride > 1) value = scalar("stablehlo.divide", {value, number(stride)});
    if (stride * size < mesh_.devices()) value = scalar("stablehlo.remainder", {value, number(size)});
  }
  return written_.positions[digits] = value;
}

// --- Operations --------------------------------------------------------------------------------------------

stablehlo::Value FunctionEmitter::new_value(stablehlo::ValueType type) {
  types_.push_back(std::move(type));
  return {static_cast<int>(types_.size()) - 1};
}

const stablehlo::ValueType& FunctionEmitter::type_of(stablehlo::Value value) const {
  ensure(value.id >= 0 && value.id < static_cast<int>(types_.size()), "lower: there is no value {}",
         value.id);
  return types_[static_cast<std::size_t>(value.id)];
}

stablehlo::Operation FunctionEmitter::operation(std::string_view name, const Lowered& operands,
                                                stablehlo::ValueType result,
                                                stablehlo::Attributes attributes) {
  stablehlo::Operation operation;
  operation.name = name;
  operation.operands = operands;
  for (stablehlo::Value operand : operands) operation.operand_types.push_back(type_of(operand));
  operation.result_types.push_back(result);
  operation.results.push_back(new_value(std::move(result)));
  operation.attributes = std::move(attributes);
  if (!is_shared_) operation.location = place_;
  return operation;
}

stablehlo::Value FunctionEmitter::append(stablehlo::Operation operation) {
  known_ranges_.note(operation);
  std::vector<stablehlo::Operation>& to = is_shared_ ? written_.shared : written_.operations;
  to.push_back(std::move(operation));
  return to.back().results.empty() ? stablehlo::Value{} : to.back().results[0];
}

stablehlo::Operation FunctionEmitter::returned(const Lowered& values,
                                               std::vector<stablehlo::ValueType> types) {
  stablehlo::Operation leave;
  leave.name = "stablehlo.return";
  leave.operands = values;
  leave.operand_types = std::move(types);
  return leave;
}

stablehlo::Block FunctionEmitter::reducer(ReduceKind kind, DType dtype) {
  stablehlo::TensorType scalar{{}, element_name(dtype)};
  stablehlo::Block block;
  block.arguments = {new_value(scalar), new_value(scalar)};
  block.argument_types = {scalar, scalar};
  block.operations.push_back(operation(reducer_name(kind), block.arguments, scalar, {}));
  block.operations.push_back(returned(block.operations[0].results, {scalar}));
  return block;
}

stablehlo::Block FunctionEmitter::block(const Region& region) {
  stablehlo::Block block;
  for (Type type : region.arguments) {
    block.argument_types.push_back(tensor_type(type));
    block.arguments.push_back(new_value(tensor_type(type)));
  }
  Output outside = std::exchange(written_, {});
  Lowered results = region.body(block.arguments);
  block.operations = std::exchange(written_, std::move(outside)).all();
  std::vector<stablehlo::ValueType> types;
  for (stablehlo::Value value : results) types.push_back(type_of(value));
  block.operations.push_back(returned(results, types));
  return block;
}

}  // namespace tutti
