// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/wrapped/start.hpp"

#include <algorithm>
#include <ranges>

#include "tutti/base/require.hpp"
#include "tutti/control/parts/sub_programs.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/all_to_all.hpp"
#include "tutti/ops/collectives/broadcast.hpp"
#include "tutti/ops/collectives/permute.hpp"
#include "tutti/ops/collectives/reduce_scatter.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

/// The maximum or minimum that an op is, if it is one: its derivative is not the op of the tangent.
const AllReduce* extreme(const Op& op) {
  const auto* all_reduce = op.as<AllReduce>();
  return all_reduce && all_reduce->kind != ReduceKind::sum ? all_reduce : nullptr;
}

/// The result type of the op.
Type result_of(const AppliedOp& of) { return of.op->infer(of.operands)[0]; }

/// False for a maximum, and for a program with one in it. Numbers that are no floats do not count.
bool is_linear(const Program& program);
bool is_linear(const Op& op) {
  const auto* composite = op.as<Composite>();
  return composite ? is_linear(*composite->body) : op->refusal(Rule::transpose).empty();
}
bool is_linear(const Program& program) {
  auto has_float = [&](const std::vector<Var>& vars) {
    return std::ranges::any_of(program.types_of(vars), [](Type type) { return tangent(type).has_value(); });
  };
  return std::ranges::all_of(program.equations, [&](const Equation& equation) {
    return !has_float(equation.operands) || !has_float(equation.results) || is_linear(equation.op);
  });
}

/// The op that hands a tangent from start to end, where it is computed at the start.
Op handed_on(Type type) { return Reshape{type.shape()}; }

class Started final : public InFlight {
 public:
  explicit Started(AppliedOp from) : of(std::move(from)) {}

  std::string text() const override { return to_string(of.op); }
  bool equals(const InFlight& other) const override {
    const auto* started = dynamic_cast<const Started*>(&other);
    return started && started->of == of;
  }
  Type cotangent() const override {
    Types operands = of.operands;
    operands[0] = dual(result_of(of));
    return pending(transposed(of), operands);
  }
  std::optional<Type> tangent() const override {
    const Type result = result_of(of);
    if (!tutti::tangent(result)) return std::nullopt;
    if (const AllReduce* op = extreme(of.op))
      return pending(AllReduce{ReduceKind::sum, op->axes, op->groups}, of.operands);
    return is_linear(of.op) ? pending(of.op, of.operands) : pending(handed_on(result), {result});
  }

  static Type pending(const Op& op, const Types& operands) {
    const Types results = op->infer(operands);
    ensure(results.size() == 1, "{} of {} results is started", op->name(), results.size());
    return results[0].pending(std::make_shared<const Started>(AppliedOp{op, operands}));
  }

  AppliedOp of;
};

Types types_of(const LinearOperands& operands) {
  Types types;
  for (const LinearOperand& operand : operands) types.push_back(operand.type);
  return types;
}

Array known(const LinearOperand& operand) {
  require(operand.known.has_value(), Code::refused_rule,
          "transpose is refused: a collective is linear in one operand only");
  return *operand.known;
}

}  // namespace

const AppliedOp* ops::started(Type type) {
  const auto* found = dynamic_cast<const Started*>(type.in_flight());
  return found ? &found->of : nullptr;
}

Example ops::from_the_start(const Example& example) {
  const auto* done = example.op.as<Done>();
  if (!done) return example;
  const Types& operands = started(example.operands[0].type)->operands;
  return {Start{done->op}, {operands.begin(), operands.end()}};
}

Arrays ops::finished(const Op& op, const Arrays& operands, Arrays results) {
  const auto* start = op.as<Start>();
  if (!start) return results;
  results.insert(results.end(), operands.begin() + 1, operands.end());
  return Builder::current().add(Done{start->op}, results);
}

Types Start::infer(const Types& operands) const { return {Started::pending(op, operands)}; }

Jvp Start::jvp(const Arrays& operands, const Tangents& tangents) const {
  Jvp result{tutti::apply(*this, operands), {std::nullopt}};
  if (const AllReduce* of = extreme(op)) {
    if (!tangents[0]) return result;
    Array found = apply_one(op, operands);
    Array hit = convert(equal(operands[0], found), found.dtype());
    Array share = hit * *tangents[0] / all_reduce(hit, of->axes, ReduceKind::sum, of->groups);
    result.tangents[0] = apply_one(Start{AllReduce{ReduceKind::sum, of->axes, of->groups}}, {share});
    return result;
  }
  if (!is_linear(op)) {
    if (std::optional<Array> moved = op->jvp(operands, tangents).tangents[0])
      result.tangents[0] = apply_one(Start{handed_on(moved->type())}, {*moved});
    return result;
  }
  Arrays moved;
  bool any = false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Type type = operands[i].type();
    any = any || tangents[i];
    moved.push_back(tangents[i] ? *tangents[i] : tangent(type) ? zero_tangent(type) : operands[i]);
  }
  if (any) result.tangents[0] = apply_one(*this, moved);
  return result;
}

Tangents Start::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  Arrays given{*cotangents[0]};
  for (std::size_t i = 1; i < operands.size(); ++i) given.push_back(known(operands[i]));
  Tangents result(operands.size());
  result[0] = apply_one(Done{transposed({op, types_of(operands)})}, given);
  return result;
}

BatchedArrays Start::batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const {
  Types own;
  Arrays given;
  for (const Batched& operand : operands) {
    given.push_back(operand.array);
    own.push_back(operand.array.type());
  }
  bool batched = false;
  Op made = as_one_op(own, [&](const Arrays& x) {
    BatchedArrays inside = operands;
    for (std::size_t i = 0; i < x.size(); ++i) inside[i].array = x[i];
    const Batched result = op->batch(axis, inside, types)[0];
    batched = result.batched;
    return result.array;
  });
  return {{apply_one(Start{made}, given), batched}};
}

// The types of examples are those of collectives on the example mesh.
std::vector<Example> Start::examples() {
  std::vector<Example> examples;
  auto add = [&](const Op& op, Type x) { examples.push_back({Start{op}, {x}}); };
  const Axes& all = example_mesh().axes();
  const Axis &a = all[0], &b = all[1];
  Type over_a(DType::f64, {4, 2}, {{a, varying}}), terms(DType::f64, {4, 2}, {{a, unreduced}});
  Type over_both(DType::f64, {4, 2}, {{a, varying}, {b, varying}});
  add(AllReduce{ReduceKind::sum, {a}}, over_a);
  add(AllReduce{ReduceKind::sum, {a}}, terms);
  add(AllReduce{ReduceKind::sum, {a, b}}, over_a.with(b, unreduced));
  add(AllReduce{ReduceKind::sum, {a, b}, {{0, 2}, {3, 1}}}, over_both);
  add(AllReduce{ReduceKind::max, {a}}, over_a);
  add(AllReduce{ReduceKind::min, {a, b}, {{3}, {0, 1, 2}}}, over_both);
  add(AllGather{{a}, Dim{0}}, over_a);
  add(AllGather{{b, a}, Dim{1}, Stacking::tiled, State::reduced}, over_both);
  add(AllGather{{a, b}, Dim{0}, Stacking::tiled, State::varying, {{0, 2}, {3, 1}}}, over_both);
  add(ReduceScatter{{a}, Dim{0}, Stacking::tiled}, terms);
  add(ReduceScatter{{a}, Dim{1}, Stacking::new_dim}, terms);
  add(AllToAll{{a}, Dim{0}, Dim{1}, Stacking::tiled}, over_a);
  add(AllToAll{{a}, Dim{1}, Dim{0}}, over_a);
  add(Permute{{a, b}, {{0, 1}, {2, 3}}}, over_both);
  add(Broadcast{{a}, 1}, over_a);
  add(AllReduce{ReduceKind::sum, {a}}, over_a.with(DType::i32));
  const Example several = Composite::examples()[0];
  add(several.op, several.operands[0].type);
  return examples;
}

// ---- done

Types Done::infer(const Types& operands) const {
  const AppliedOp* of = started(operands[0]);
  require(of != nullptr, Code::future, "{} is not pending; only what a start returns can be waited for",
          operands[0]);
  require(of->op == op, Code::future, "{} waits for another op than {}", operands[0], op);
  require(operands[0] == Started::pending(of->op, of->operands), Code::future,
          "{} is not what its start returned", operands[0]);
  require(std::ranges::equal(of->operands | std::views::drop(1), operands | std::views::drop(1)),
          Code::future, "{} needs the same indices at start and end", op);
  return {result_of(*of)};
}

Kernel Done::kernel(const Layout& layout) const {
  if (layout.operands().size() == 1) return kernel::identity_view(layout.operands()[0].shape());
  Types types = layout.operands();
  types[0] = layout.results()[0];
  TracedProgram first = trace(types, [](const Arrays& given) { return Arrays{given[0]}; });
  return kernel::Sub{kernel::Sub::Control::call, {shared(std::move(first.program))}};
}

Jvp Done::jvp(const Arrays& operands, const Tangents& tangents) const {
  Jvp result{tutti::apply(*this, operands), {std::nullopt}};
  if (!tangents[0]) return result;
  const AppliedOp* of = started(tangents[0]->type());
  Arrays moved = operands;
  moved[0] = *tangents[0];
  result.tangents[0] = apply_one(Done{of->op}, moved);
  return result;
}

Tangents Done::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  Arrays given{*cotangents[0]};
  for (std::size_t i = 1; i < operands.size(); ++i) given.push_back(known(operands[i]));
  Tangents result(operands.size());
  result[0] = apply_one(Start{transposed(*started(operands[0].type))}, given);
  return result;
}

BatchedArrays Done::batch(const Axis&, const BatchedArrays& operands, const Types&) const {
  Arrays given;
  for (const Batched& operand : operands) given.push_back(operand.array);
  return {{apply_one(Done{started(given[0].type())->op}, given), operands[0].batched}};
}

Lowered Done::lower(Emitter&, const Lowered& operands) const { return {operands[0]}; }

std::vector<Example> Done::examples() {
  std::vector<Example> examples;
  for (const Example& start : Start::examples()) {
    const Types types{start.operands[0].type};
    examples.push_back({Done{start.op.as<Start>()->op}, {start.op->infer(types)[0]}});
  }
  return examples;
}

}  // namespace tutti
