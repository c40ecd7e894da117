// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/flow/while.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/control/parts/sub_programs.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/transform/batch.hpp"
#include "tutti/transform/jvp.hpp"

namespace tutti {

bool While::operator==(const While& other) const {
  return consts == other.consts && same_programs(programs(), other.programs());
}

Axes While::communicates() const { return communicated_axes(programs()); }

std::vector<AxisStates> While::wants(const Types&) const {
  std::vector<AxisStates> states;
  for (Var var : body->inputs) states.push_back(body->type(var).states());
  return states;
}

Types While::infer(const Types& operands) const {
  ensure(test->inputs.size() == operands.size() && body->inputs.size() == operands.size() &&
             body->outputs.size() + static_cast<std::size_t>(consts) == operands.size() &&
             test->outputs.size() == 1,
         "test and body do not fit {}", counted(std::ssize(operands), "operand"));
  Type decider = test->type(test->outputs[0]);
  require(decider.with(AxisStates{}) == Type(DType::boolean, {}), Code::dtype,
          "the test gives {}, expected a bool scalar", decider);
  require_decidable("the test", decider, programs());
  Axes varies = varying_axes(decider);
  Types results;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    std::string what = fmt::format("operand {}", i);
    for (const SubProgram& program : programs())
      require_type(what, operands[i], program->type(program->inputs[i]));
    if (i < static_cast<std::size_t>(consts)) {
      require_enters(what, operands[i], varies);
      continue;
    }
    require_type(what, operands[i], operands[i].with(varies, State::varying));
    std::size_t carry = i - static_cast<std::size_t>(consts);
    results.push_back(body->type(body->outputs[carry]));
    require_type(fmt::format("carry {}", carry), results.back(), operands[i]);
  }
  return results;
}

Kernel While::kernel(const Layout&) const {
  return kernel::Sub{kernel::Sub::Control::loop, programs(), consts, static_cast<int>(body->outputs.size())};
}

// As of a scan; the test takes no notice of tangents.
Jvp While::jvp(const Arrays& operands, const Tangents& tangents) const {
  auto of_consts = static_cast<std::size_t>(consts);
  std::size_t carries = body->outputs.size();
  Bits nonzero = marked(tangents);
  JvpProgram derived;
  for (bool grew = true; grew;) {
    derived = tutti::jvp(*body, nonzero, Bits(nonzero.begin() + consts, nonzero.end()));
    grew = false;
    for (std::size_t i = 0; i < carries; ++i) {
      if (!derived.nonzero[i] || nonzero[of_consts + i]) continue;
      nonzero[of_consts + i] = grew = true;
    }
  }
  // Without tangents it stays outside of the linear half, which has no loops of unknown length.
  if (std::ranges::find(derived.nonzero, true) == derived.nonzero.end())
    return {tutti::apply(*this, operands), Tangents(carries)};
  std::vector<std::size_t> inputs = by_groups({of_consts, operands.size()}, nonzero);
  std::vector<std::size_t> outputs = by_groups({carries}, derived.nonzero);
  Program tested = *test;
  for (std::size_t i = 0; i < nonzero.size(); ++i)
    if (nonzero[i]) {
      tested.inputs.push_back(static_cast<Var>(tested.types.size()));
      tested.types.push_back(test->type(test->inputs[i]));
    }
  While loop{shared(with_inputs(tested, inputs)),
             shared(with_outputs(with_inputs(derived.program, inputs), outputs)),
             consts + static_cast<int>(std::count(nonzero.begin(), nonzero.begin() + consts, true))};
  Arrays results = tutti::apply(loop, permuted(with_tangents(operands, tangents, nonzero), inputs));
  return without_groups(results, outputs, derived.nonzero);
}

OpSplit While::split(const LinearOperands&) const {
  fail(Code::refused_rule, "transpose is refused: {}", transpose.why);
}

// --- Batch -------------------------------------------------------------------------------------------------

namespace {

Array for_lanes(const Array& lanes, const Shape& shape) {
  Dims dims;
  for (int i = 1; i < shape.rank(); ++i) dims.push_back(Dim{i});
  return insert_dims(lanes, dims, shape);
}

// The loop goes on while any lane wants; a lane that does not keeps what it has.
While while_any(const While& loop, const Axis& axis, const Types& types) {
  require_no_effects(
      "lanes make different numbers of trips, so a lane that is done computes on; move it out of the loop",
      {loop.test, loop.body});
  Program test = batch(*loop.test, axis), body = batch(*loop.body, axis);
  auto any = [&](const Arrays& v) -> Arrays { return {reduce_max(inline_program(test, v)[0])}; };
  auto iteration = [&](const Arrays& v) {
    Array wants = inline_program(test, v)[0];
    Arrays next = inline_program(body, v);
    for (std::size_t i = 0; i < next.size(); ++i) {
      const Array& before = v[static_cast<std::size_t>(loop.consts) + i];
      next[i] = select(for_lanes(wants, before.shape()), next[i], before);
    }
    return next;
  };
  return {shared(trace(types, any).program), shared(trace(types, iteration).program), loop.consts};
}

}  // namespace

BatchedArrays While::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  Arrays given;
  Types types;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    bool lanes = has_lanes(body->type(body->inputs[i]), axis);
    given.push_back(lanes ? materialised(operands[i], axis) : operands[i].array);
    types.push_back(given.back().type());
  }
  bool each_its_own = has_lanes(test->type(test->outputs[0]), axis);
  Arrays results = tutti::apply(each_its_own ? while_any(*this, axis, types)
                                             : While{shared(tutti::batch(*test, axis)),
                                                     shared(tutti::batch(*body, axis)), consts},
                                given);
  BatchedArrays batched;
  for (std::size_t i = 0; i < results.size(); ++i)
    batched.push_back({results[i], has_lanes(body->type(body->outputs[i]), axis)});
  return batched;
}

// --- Lowering, examples ------------------------------------------------------------------------------------

// An op with an effect needs the number of the iteration: then it is the first value that goes from iteration
// to iteration.
Lowered While::lower(Emitter& emitter, const Lowered& operands) const {
  const bool counts = Op(*this)->has_effect();
  const Type counter(DType::i32, {});
  const auto number = [&](std::int32_t value) { return emitter.constant(Tensor::scalar(value)); };
  Types types = emitter.operand_types();
  Lowered start = operands;
  if (counts) {
    types.insert(types.begin(), counter);
    start.insert(start.begin(), number(0));
  }
  const auto one_iteration = [&](const SubProgram& part, const Lowered& v) {
    return counts ? emitter.lower_iteration(*part, v[0], {v.begin() + 1, v.end()}) : emitter.lower(*part, v);
  };
  const auto kept = consts + (counts ? 1 : 0);
  auto goes_on = [&](const Lowered& v) { return one_iteration(test, v); };
  auto iteration = [&](const Lowered& v) {
    const Lowered found = one_iteration(body, v);
    Lowered next(v.begin(), v.begin() + kept);
    if (counts) next[0] = emitter.emit("stablehlo.add", {v[0], number(1)}, counter);
    next.insert(next.end(), found.begin(), found.end());
    return next;
  };
  Lowered end =
      emitter.emit_with_regions("stablehlo.while", start, types, {{types, goes_on}, {types, iteration}});
  return {end.begin() + kept, end.end()};
}

std::vector<Example> While::examples() {
  Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1];
  Type x(DType::f64, {2}), number(DType::i32, {});
  auto below = [](const Arrays& v) -> Arrays { return {v[1] < 3}; };
  std::vector<Example> examples;
  auto add = [&](Type count, Type type, const std::function<Arrays(const Arrays&)>& function) {
    Types types{type, count, type};
    examples.push_back({While{shared(trace(types, below).program), shared(trace(types, function).program), 1},
                        {{type, -1, 1}, {count, 0, 4}, {type, -1, 1}}});
  };
  auto halved = [](const Arrays& v) -> Arrays { return {v[1] + 1, v[2] * 0.5 + v[0]}; };
  for (Type type : {x, x.with(a, varying), x.with(a, unreduced), x.with(a, reduced)})
    add(number, type, halved);
  add(number.with(b, varying), x.with(b, varying), halved);
  auto shared_sum = [&](const Arrays& v) -> Arrays {
    return {v[1] + 1, all_reduce(v[2], {a}) * 0.25 + v[0]};
  };
  add(number.with(b, varying), x.with(a, varying).with(b, varying), shared_sum);
  return examples;
}

}  // namespace tutti
