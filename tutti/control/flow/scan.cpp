// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/flow/scan.hpp"

#include <limits>

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/control/flow/scan_groups.hpp"
#include "tutti/control/parts/sub_programs.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/transform/batch.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/transpose.hpp"

namespace tutti {
namespace {

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

Traffic Scan::traffic(const Types&) const {
  Traffic all = traffic_of(*body);
  const auto times = [&](std::int64_t bytes) {
    constexpr std::int64_t most =
        std::numeric_limits<std::int64_t>::max() / 4;  // sums of some do not overflow
    return length > 0 && bytes > most / length ? most : bytes * length;
  };
  all.sent = times(all.sent);
  all.received = times(all.received);
  return all;
}

std::vector<AxisStates> Scan::wants(const Types&) const {
  std::vector<AxisStates> states;
  for (Var var : body->inputs) states.push_back(body->type(var).states());
  return states;
}

Types Scan::infer(const Types& operands) const {
  ScanGroups ends(*this);
  ensure(operands.size() == ends.xs, "{} for a body of {}", counted(std::ssize(operands), "operand"),
         ends.xs);
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
  return kernel::Sub{kernel::Sub::Control::repeat, {body}, consts, carries, length, reverse};
}

// A carry has a tangent if it starts with one, or an iteration gives it one.
Jvp Scan::jvp(const Arrays& operands, const Tangents& tangents) const {
  ScanGroups ends(*this);
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

// --- Transpose, batch --------------------------------------------------------------------------------------

namespace {

/// The transposed scan. It runs in reverse order, passes the cotangents of the carries from iteration to
/// iteration, and accumulates the cotangents of linear consts, from zero.
class Backwards {
 public:
  Backwards(const Scan& scan, const LinearOperands& operands, const Tangents& cotangents)
      : scan_(scan),
        operands_(operands),
        cotangents_(cotangents),
        ends_(scan),
        linear_(linear_ones(operands)),
        of_body_(tutti::transpose(*scan.body, linear_)) {}

  Tangents run() {
    take_known(0, ends_.consts);
    std::size_t consts = given_.size();
    for (std::size_t i = 0; i < ends_.consts; ++i)
      if (Type type = dual(scan_.body->type(scan_.body->inputs[i])); linear_[i])
        take(type, zero_tangent(type));
    std::size_t sums = given_.size();
    take_cotangents(0, of_carries());
    std::size_t carries = given_.size();
    take_known(ends_.carries, ends_.xs);
    std::size_t xs = given_.size();
    take_cotangents(of_carries(), scan_.body->outputs.size());
    auto iteration = [&](const Arrays& in) { return one_iteration(in, consts, sums, carries, xs); };
    Scan loop{shared(trace(types_, iteration).program), static_cast<int>(consts),
              static_cast<int>(carries - consts), scan_.length, !scan_.reverse};
    Arrays found = tutti::apply(loop, given_);
    Tangents result;
    std::size_t next = 0;
    for (bool is_linear : linear_) result.push_back(is_linear ? std::optional(found[next++]) : std::nullopt);
    return result;
  }

 private:
  std::size_t of_carries() const { return static_cast<std::size_t>(scan_.carries); }

  void take(Type slice, const Array& array) {
    types_.push_back(slice);
    given_.push_back(array);
  }
  void take_known(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (!linear_[i]) take(scan_.body->type(scan_.body->inputs[i]), *operands_[i].known);
  }
  void take_cotangents(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Type slice = dual(scan_.body->type(scan_.body->outputs[i]));
      Type whole = i < of_carries() ? slice : stacked(slice, scan_.length);
      take(slice, cotangents_[i] ? *cotangents_[i] : zero_tangent(whole));
    }
  }

  // in: known consts | sums of cotangents of linear consts | cotangents of carries | known xs | cotangents of
  // ys
  Arrays one_iteration(const Arrays& in, std::size_t consts, std::size_t sums, std::size_t carries,
                       std::size_t xs) const {
    Arrays arguments;  // of the body's transpose: what is known, then cotangents
    auto add = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) arguments.push_back(in[i]);
    };
    add(0, consts);
    add(carries, xs);
    add(sums, carries);
    add(xs, in.size());
    Arrays found = inline_program(of_body_, arguments);
    for (std::size_t i = consts; i < sums; ++i) found[i - consts] = in[i] + found[i - consts];
    return found;
  }

  const Scan& scan_;
  const LinearOperands& operands_;
  const Tangents& cotangents_;
  ScanGroups ends_;
  Bits linear_;
  Program of_body_;
  Types types_;   // of the operands in an iteration
  Arrays given_;  // the operands
};

}  // namespace

Tangents Scan::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  for (int i = 0; i < carries; ++i)
    require(operands[static_cast<std::size_t>(consts) + static_cast<std::size_t>(i)].linear(),
            Code::refused_rule, "transpose is refused: the loop is not linear in carry {}", i);
  return Backwards(*this, operands, cotangents).run();
}

// In the body a slice has its lanes at dim 0, so the stack has them at dim 1.
BatchedArrays Scan::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  ScanGroups ends(*this);
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

// --- Examples ----------------------------------------------------------------------------------------------

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
    ScanGroups ends(scan);
    for (std::size_t i = 0; i < ends.xs; ++i) {
      Type slice = scan.body->type(scan.body->inputs[i]);
      example.operands.push_back({i < ends.carries ? slice : stacked(slice, scan.length), -1, 1});
    }
    examples.push_back(std::move(example));
  };
  auto linear = [](const Arrays& v) -> Arrays { return {v[1] * 0.5 + v[2], v[1] - v[0]}; };
  for (Type type : {x, x.with(a, varying), x.with(a, unreduced), x.with(a, reduced)})
    for (bool backwards : {false, true}) add(scan_of({type, type, type}, 1, 1, backwards, linear));
  Scan of_no_iterations = scan_of({x, x, x}, 1, 1, false, linear);
  of_no_iterations.length = 0;
  add(of_no_iterations);
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
