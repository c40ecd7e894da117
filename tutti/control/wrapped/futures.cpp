// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/wrapped/futures.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/ops/zeros_of.hpp"
#include "tutti/transform/replay.hpp"

namespace tutti {

struct internal::AfterCollective {
  Program program;
  std::size_t collective;  // its equation
  PerVar<Array> values;    // as far as they were computed
  std::string_view name;   // of the front end
};

namespace {

/// The last equation that communicates.
std::size_t collective_of(const Program& program) {
  for (std::size_t i = program.equations.size(); i-- > 0;)
    if (!program.equations[i].op->communicates().empty()) return i;
  fail(Code::axis_unbound, "there is no axis to communicate over");
}

void put(PerVar<Array>& values, const std::vector<Var>& vars, const Arrays& results) {
  for (std::size_t i = 0; i < vars.size(); ++i) values[vars[i]] = results[i];
}

/// Records the equations from `begin` to `end`.
void record(const Program& program, std::size_t begin, std::size_t end, PerVar<Array>& values) {
  for (std::size_t i = begin; i < end; ++i) {
    const Equation& equation = program.equations[i];
    put(values, equation.results, Builder::current().add(equation.op, values.of(equation.operands)));
  }
}

}  // namespace

PendingArray internal::start_flat(std::string_view name, const Operand& x, Where where,
                                  const std::function<Array(const Array&)>& function) {
  return front_end(name, where, [&] {
    Builder& builder = Builder::current();
    Array own = builder.own(as_array(x));
    TracedProgram traced = trace({own.type()}, [&](const Arrays& in) { return Arrays{function(in[0])}; });
    const std::size_t collective = collective_of(traced.program);
    PerVar<Array> values(traced.program);
    auto after = std::make_shared<AfterCollective>(
        AfterCollective{std::move(traced.program), collective, std::move(values), name});
    const Program& program = after->program;
    Arrays inputs{own};
    for (const Array& captured : traced.captured) inputs.push_back(builder.own(captured));
    put(after->values, program.inputs, inputs);
    record(program, 0, after->collective, after->values);
    const Equation& equation = program.equations[after->collective];
    Array pending = apply_one(Start{equation.op}, after->values.of(equation.operands));
    return PendingArray{pending, std::move(after)};
  });
}

Array internal::done_flat(const PendingArray& pending, Where where) {
  return front_end(pending.after->name, where, [&] {
    const AfterCollective& after = *pending.after;
    const Equation& equation = after.program.equations[after.collective];
    PerVar<Array> values = after.values;
    Arrays given{pending.pending};
    const Arrays operands = values.of(equation.operands);
    given.insert(given.end(), operands.begin() + 1, operands.end());
    put(values, equation.results, tutti::apply(Done{equation.op}, given));
    record(after.program, after.collective + 1, after.program.equations.size(), values);
    return values.of(after.program.outputs)[0];
  });
}

// Receives into zeros, so that the op is linear in one operand. done() copies the rows into `output`.
Future<Array> ragged_all_to_all_start(const Operand& operand, const Array& output, const RaggedSlices& slices,
                                      const AxisNames& axes, const RaggedOptions& options) {
  auto body = [&](const Array& x) {
    RaggedCall call = ragged_call(x, Builder::current().own(output), slices, axes, options);
    Array landed = landed_slices(call);  // first: what communicates last is what is started
    const Type like = call.operands[1].type();
    auto into_zeros = [&](const Arrays& rows_and_slices) {
      Array none = is_inexact(like.dtype()) ? zero_tangent(like) : zeros_of(like);
      return apply_one(call.op, {rows_and_slices[0], none, rows_and_slices[1]});
    };
    const Arrays given{call.operands[0], call.operands[2]};
    return over_output(call, apply_one(as_one_op({given[0].type(), given[1].type()}, into_zeros), given),
                       landed);
  };
  return Future<Array>(Array(), {start_flat("ragged_all_to_all_start", operand, operand.where(), body)});
}

void internal::require_sent(const Axes& sent_over, const Pairs& sent_pairs, const std::vector<Type>& sent,
                            const AxisNames& axes, const Pairs& pairs, const Arrays& like, Where where) {
  front_end("precv", where, [&] {
    const Axes over = axes.resolve();
    auto sorted = [](Pairs given) {
      std::ranges::sort(given);
      return given;
    };
    require(over == sent_over, Code::groups,
            "the token was sent over {}, and is received over {}; name the same axes", sent_over, over);
    require(sorted(pairs) == sorted(sent_pairs), Code::groups,
            "the token was sent along {}, and is received along {}; give psend and precv the same pairs",
            sent_pairs, pairs);
    require(like.size() == sent.size(), Code::tree,
            "{} sent, `like` has {}; give an array for each that was sent",
            sent.size() == 1 ? "1 array was" : fmt::format("{} arrays were", sent.size()),
            counted(std::ssize(like), "array"));
    for (std::size_t i = 0; i < sent.size(); ++i) {
      const Type wanted = like[i].type();
      require(wanted.dtype() == sent[i].dtype(), Code::dtype,
              "what was sent is {}, `like` is {}; convert what is sent", name(sent[i].dtype()),
              name(wanted.dtype()));
      require(wanted.shape() == sent[i].shape(), Code::shape,
              "what was sent has the shape [{}], `like` has [{}]; receive what was sent", sent[i].shape(),
              wanted.shape());
    }
  });
}

}  // namespace tutti
