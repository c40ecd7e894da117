// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/scan.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/control/sub_programs.hpp"
#include "tutti/ops/all_reduce.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/transform/batch.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/split.hpp"
#include "tutti/transform/transpose.hpp"

namespace tutti {
namespace {

/// Where the groups of operands end.
struct Groups {
  std::size_t consts, carries, xs;
  explicit Groups(const Scan& scan)
      : consts(static_cast<std::size_t>(scan.consts)),
        carries(consts + static_cast<std::size_t>(scan.carries)),
        xs(scan.body->inputs.size()) {}
};

Type stacked(Type type, std::int64_t length) { return type.inserted(Dim{0}, length); }

}  // namespace

Parameters Scan::parameters() const {
  Parameters all{{"length", std::to_string(length)},
                 {"consts", std::to_string(consts)},
                 {"carries", std::to_string(carries)}};
  if (reverse) all.push_back({"reverse", "true"});
  return all;
}

bool Scan::operator==(const Scan& other) const {
  return consts == other.consts && carries == other.carries && length == other.length &&
         reverse == other.reverse && same_programs({body}, {other.body});
}

Scan Scan::with_programs(const std::vector<SubProgram>& programs) const {
  return {programs[0], consts, carries, length, reverse};
}

Axes Scan::communicates() const { return communicated_axes({body}); }

std::vector<AxisStates> Scan::wants(const Types&) const {
  std::vector<AxisStates> states;
  for (Var var : body->inputs) states.push_back(body->type(var).states());
  return states;
}

Types Scan::infer(const Types& operands) const {
  Groups ends(*this);
  ensure(operands.size() == ends.xs, "{} operands for a body of {}", operands.size(), ends.xs);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Type slice = body->type(body->inputs[i]);
    require_type(fmt::format("operand {}", i), operands[i],
                 i < ends.carries ? slice : stacked(slice, length));
  }
  Types results = body->types_of(body->outputs);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (i < static_cast<std::size_t>(carries))
      require_type(fmt::format("carry {}", i), results[i], operands[ends.consts + i]);
    else results[i] = stacked(results[i], length);
  return results;
}

Kernel Scan::kernel(const Layout&) const {
  return Sub{Sub::How::repeat, {body}, consts, carries, length, reverse};
}

// A carry has a tangent if it starts with one, or a trip gives it one.
Jvp Scan::jvp(const Arrays& operands, const Tangents& tangents) const {
  Groups ends(*this);
  auto of_carries = static_cast<std::size_t>(carries);
  Bits nonzero = marked(tangents);
  JvpProgram derived;
  for (bool grew = true; grew;) {
    Bits instantiate(body->outputs.size());
    for (std::size_t i = 0; i < of_carries; ++i) instantiate[i] = nonzero[ends.consts + i];
    derived = tutti::jvp(*body, nonzero, instantiate);
    grew = false;
    for (std::size_t i = 0; i < of_carries; ++i) {
      if (!derived.nonzero[i] || nonzero[ends.consts + i]) continue;
      nonzero[ends.consts + i] = grew = true;
    }
  }
  auto tangents_in = [&](std::size_t begin, std::size_t end) {
    return static_cast<int>(std::count(nonzero.begin() + static_cast<std::ptrdiff_t>(begin),
                                       nonzero.begin() + static_cast<std::ptrdiff_t>(end), true));
  };
  std::vector<std::size_t> inputs = by_groups({ends.consts, ends.carries, ends.xs}, nonzero);
  std::vector<std::size_t> outputs = by_groups({of_carries, body->outputs.size()}, derived.nonzero);
  Program both = with_outputs(with_inputs(derived.program, inputs), outputs);
  Scan scan{shared(std::move(both)), consts + tangents_in(0, ends.consts),
            carries + tangents_in(ends.consts, ends.carries), length, reverse};
  Arrays results = tutti::apply(scan, permuted(with_tangents(operands, tangents, nonzero), inputs));
  return without_groups(results, outputs, derived.nonzero);
}

// --- Split -----------------------------------------------------------------------------------------------------

// The known loop gives its residuals as ys. Those that do not change from trip to trip are computed once, outside; those
// that are slices of xs are there already.
OpSplit Scan::split(const LinearOperands& operands) const {
  Groups ends(*this);
  auto of_carries = static_cast<std::size_t>(carries);
  Bits linear = linear_ones(operands);
  SplitProgram halves = tutti::split(*body, linear);
  for (std::size_t i = 0; i < of_carries; ++i)
    require(!halves.linear_outputs[i] || linear[ends.consts + i], Code::refused_rule,
            "transpose is refused: carry {} starts with a known value and becomes linear", i);
  const Program& known = halves.known;

  Scan known_loop{nullptr, 0, 0, length, reverse};
  Arrays known_operands, consts_alone;
  Bits varies;  // of the known inputs: from trip to trip
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (linear[i]) continue;
    known_operands.push_back(*operands[i].known);
    varies.push_back(i >= ends.consts);
    if (i < ends.consts) ++known_loop.consts, consts_alone.push_back(*operands[i].known);
    else if (i < ends.carries) ++known_loop.carries;
  }
  auto known_carries = static_cast<std::size_t>(known_loop.consts + known_loop.carries);
  auto results = static_cast<std::size_t>(std::ranges::count(halves.linear_outputs, false));
  Bits changes = depending_outputs(known, varies);

  enum class Way { once, slice, stack };
  std::vector<Way> ways;
  std::vector<std::size_t> kept, once;  // outputs of the known half: of the loop, and outside
  for (std::size_t i = 0; i < results; ++i) kept.push_back(i);
  for (std::size_t i = results; i < known.outputs.size(); ++i) {
    auto input =
        static_cast<std::size_t>(std::ranges::find(known.inputs, known.outputs[i]) - known.inputs.begin());
    bool is_slice = input >= known_carries && input < known.inputs.size();
    ways.push_back(!changes[i] ? Way::once : is_slice ? Way::slice : Way::stack);
    if (ways.back() == Way::once) once.push_back(i);
    if (ways.back() == Way::stack) kept.push_back(i);
  }
  known_loop.body = shared(with_outputs(known, kept));
  Arrays found = tutti::apply(known_loop, known_operands);
  Program outside = with_outputs(known, once);
  outside.inputs.resize(static_cast<std::size_t>(known_loop.consts));
  Arrays found_once = inline_program(outside, consts_alone);

  OpSplit result;
  std::size_t next = 0;
  for (bool is_linear : halves.linear_outputs)
    result.known.push_back(is_linear ? std::nullopt : std::optional(found[next++]));
  if (results == halves.linear_outputs.size()) return result;

  // The linear loop: [residuals once, linear consts], [linear carries], [residuals per trip, linear xs].
  Scan linear_loop{nullptr, 0, 0, length, reverse};
  std::vector<std::size_t> order;
  std::size_t next_once = 0;
  for (std::size_t k = 0; k < ways.size(); ++k)
    if (ways[k] == Way::once) {
      order.push_back(k);
      result.operands.push_back({found_once[next_once++]});
    }
  auto add_linear = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = 0, number = ways.size(); i < end; ++i) {
      if (!linear[i]) continue;
      if (i >= begin) {
        order.push_back(number);
        result.operands.push_back({std::nullopt, i});
      }
      ++number;
    }
  };
  add_linear(0, ends.consts);
  linear_loop.consts = static_cast<int>(order.size());
  add_linear(ends.consts, ends.carries);
  linear_loop.carries = static_cast<int>(order.size()) - linear_loop.consts;
  for (std::size_t k = 0; k < ways.size(); ++k) {
    if (ways[k] == Way::once) continue;
    order.push_back(k);
    auto input = static_cast<std::size_t>(std::ranges::find(known.inputs, known.outputs[results + k]) -
                                          known.inputs.begin());
    result.operands.push_back({ways[k] == Way::stack ? found[next++] : known_operands[input]});
  }
  add_linear(ends.carries, ends.xs);
  linear_loop.body = shared(with_inputs(halves.linear, order));
  result.linear = linear_loop;
  return result;
}

// --- Transpose, batch ------------------------------------------------------------------------------------------

// The loop the other way. The cotangents of the carries go from trip to trip; those of linear consts grow beside them,
// from zero.
Tangents Scan::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  Groups ends(*this);
  auto of_carries = static_cast<std::size_t>(carries);
  Bits linear = linear_ones(operands);
  for (std::size_t i = ends.consts; i < ends.carries; ++i)
    require(linear[i], Code::refused_rule, "transpose is refused: the loop is not linear in carry {}",
            i - ends.consts);
  Program backward = tutti::transpose(*body, linear);

  Scan scan{nullptr, 0, 0, length, !reverse};
  Types types;
  Arrays given;
  auto take = [&](Type slice, const Array& array) {
    types.push_back(slice);
    given.push_back(array);
  };
  auto take_known = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (!linear[i]) take(body->type(body->inputs[i]), *operands[i].known);
    return given.size();
  };
  auto take_cotangents = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Type slice = dual(body->type(body->outputs[i]));
      take(slice,
           cotangents[i] ? *cotangents[i] : zero_tangent(i < of_carries ? slice : stacked(slice, length)));
    }
    return given.size();
  };
  std::size_t known_consts = take_known(0, ends.consts);
  for (std::size_t i = 0; i < ends.consts; ++i)
    if (Type type = dual(body->type(body->inputs[i])); linear[i]) take(type, zero_tangent(type));
  std::size_t sums = given.size();
  std::size_t carried = take_cotangents(0, of_carries);
  std::size_t known_xs = take_known(ends.carries, ends.xs);
  take_cotangents(of_carries, body->outputs.size());
  scan.consts = static_cast<int>(known_consts);
  scan.carries = static_cast<int>(carried - known_consts);
  auto one_trip = [&](const Arrays& in) {
    auto part = [&](std::size_t begin, std::size_t end, Arrays& to) {
      to.insert(to.end(), in.begin() + static_cast<std::ptrdiff_t>(begin),
                in.begin() + static_cast<std::ptrdiff_t>(end));
    };
    Arrays arguments;  // of the body's transpose: what is known, then cotangents
    part(0, known_consts, arguments);
    part(carried, known_xs, arguments);
    part(sums, carried, arguments);
    part(known_xs, in.size(), arguments);
    Arrays found = inline_program(backward, arguments);
    for (std::size_t i = known_consts; i < sums; ++i)
      found[i - known_consts] = in[i] + found[i - known_consts];
    return found;
  };
  scan.body = shared(trace(types, one_trip).program);
  Arrays found = tutti::apply(scan, given);
  Tangents result;
  std::size_t next = 0;
  for (bool is_linear : linear) result.push_back(is_linear ? std::optional(found[next++]) : std::nullopt);
  return result;
}

// In the body a slice has its lanes at dim 0, so the stack has them at dim 1.
BatchedArrays Scan::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  Groups ends(*this);
  Scan scan = with_programs({shared(tutti::batch(*body, axis))});
  Arrays given;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    bool is_x = i >= ends.carries;
    if (!has_lanes(body->type(body->inputs[i]), axis)) given.push_back(operands[i].array);
    else
      given.push_back(is_x ? move_dim(materialised(operands[i], axis), Dim{0}, Dim{1})
                           : materialised(operands[i], axis));
  }
  Arrays results = tutti::apply(scan, given);
  BatchedArrays batched;
  for (std::size_t i = 0; i < results.size(); ++i) {
    bool lanes = has_lanes(body->type(body->outputs[i]), axis), is_y = i >= static_cast<std::size_t>(carries);
    batched.push_back({lanes && is_y ? move_dim(results[i], Dim{1}, Dim{0}) : results[i], lanes});
  }
  return batched;
}

// --- Examples --------------------------------------------------------------------------------------------------

std::vector<Example> Scan::examples() {
  Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1];
  Type x(DType::f64, {2});
  auto scan_of = [](const Types& types, int of_consts, int of_carries, bool backwards,
                    const std::function<Arrays(const Arrays&)>& function) {
    return Scan{shared(trace(types, function).program), of_consts, of_carries, 3, backwards};
  };
  std::vector<Example> examples;
  auto add = [&](const Scan& scan) {
    Example example{scan, {}};
    Groups ends(scan);
    for (std::size_t i = 0; i < ends.xs; ++i) {
      Type slice = scan.body->type(scan.body->inputs[i]);
      example.operands.push_back({i < ends.carries ? slice : stacked(slice, 3), -1, 1});
    }
    examples.push_back(std::move(example));
  };
  auto linear = [](const Arrays& v) -> Arrays { return {v[1] * 0.5 + v[2], v[1] - v[0]}; };
  for (Type type : {x, x.with(a, varying), x.with(a, unreduced), x.with(a, reduced)})
    for (bool backwards : {false, true}) add(scan_of({type, type, type}, 1, 1, backwards, linear));
  auto summed = [&](const Arrays& v) -> Arrays { return {all_reduce(v[1], {a}) * 0.5 + v[0]}; };
  for (Type type : {x.with(a, varying), x.with(a, unreduced).with(b, varying)})
    add(scan_of({type.with(a, invariant), type}, 0, 1, false, summed));
  auto curved = [](const Arrays& v) -> Arrays {
    Array y = tanh(v[0] * v[1] + v[3]);
    return {y, v[2] + 1, y * v[3]};
  };
  for (bool backwards : {false, true}) {
    Type type = x.with(a, varying);
    add(scan_of({type, type, type.with(DType::i32), type}, 1, 2, backwards, curved));
  }
  return examples;
}

}  // namespace tutti
