// SPDX-License-Identifier: Apache-2.0
#include "tests/support/example_programs.hpp"

#include <algorithm>
#include <limits>

#include "tutti/control/wrapped/start.hpp"
#include "tutti/functions/products/einsum.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/linalg/eigh.hpp"

namespace tutti {

Program program_of(const std::vector<Example>& examples) {
  Program program;
  auto variable = [&](Type type) {
    program.types.push_back(type);
    return static_cast<Var>(program.types.size()) - 1;
  };
  for (const Example& example : examples) {
    Equation equation{example.op, {}, {}, {}};
    for (const ExampleOperand& operand : example.operands)
      equation.operands.push_back(variable(operand.type));
    program.inputs.insert(program.inputs.end(), equation.operands.begin(), equation.operands.end());
    auto infer = [&](Equation& made) {
      for (Type type : made.op->infer(program.types_of(made.operands)))
        made.results.push_back(variable(type));
    };
    infer(equation);
    if (const auto* start = example.op.as<Start>()) {
      Equation done{Done{start->op}, equation.results, {}, {}};
      done.operands.insert(done.operands.end(), equation.operands.begin() + 1, equation.operands.end());
      program.equations.push_back(std::exchange(equation, std::move(done)));
      infer(equation);
    }
    program.outputs.insert(program.outputs.end(), equation.results.begin(), equation.results.end());
    program.equations.push_back(std::move(equation));
  }
  return program;
}

Array projections_of(const Array& v) {
  return einsum("...ij,...kj->...jik", v, is_complex(v.dtype()) ? conj(v) : v);
}

Program program_without_phases(const std::vector<Example>& examples) {
  Program program = program_of(examples);
  if (std::ranges::none_of(examples, [](const Example& each) { return each.op.as<Eigh>() != nullptr; }))
    return program;
  const auto body = [&](const Arrays& x) {
    Arrays outputs = inline_program(program, x);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Equation& equation = equation_of_result(program, i);
      if (equation.op.as<Eigh>() && program.outputs[i] == equation.results[1])
        outputs[i] = projections_of(outputs[i]);
    }
    return outputs;
  };
  return trace(program.types_of(program.inputs), body).program;
}

Values random_inputs(const std::vector<Example>& examples) {
  Random random(7);
  Values inputs;
  for (const Example& example : examples)
    for (Tensors& value : random_values(random, example.operands, Numbers::any))
      inputs.push_back(std::move(value));
  return inputs;
}

Values changed(Values values, const std::function<double(std::int64_t, double)>& change) {
  for (Tensors& value : values)
    for (Tensor& tensor : value) {
      if (!is_inexact(tensor.dtype())) continue;
      Tensor parts = in_parts(tensor), other(parts.shape(), parts.dtype());
      for (std::int64_t i = 0; i < parts.elements(); ++i) put_element(other, i, change(i, parts.at(i)));
      tensor = out_of_parts(other, tensor);
    }
  return values;
}

Values with_special_numbers(Values inputs) {
  return changed(std::move(inputs), [](std::int64_t i, double x) {
    constexpr double infinity = std::numeric_limits<double>::infinity(),
                     nan = std::numeric_limits<double>::quiet_NaN();
    const double special[] = {-0.0, infinity, nan, 0.0};
    return i % 2 == 0 && i < 8 ? special[i / 2] : x;
  });
}

}  // namespace tutti
