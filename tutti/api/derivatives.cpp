// SPDX-License-Identifier: Apache-2.0
#include "tutti/api/derivatives.hpp"

#include <fmt/core.h>

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/zeros_of.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/vjp.hpp"

namespace tutti {
namespace {

void check_loss(const Program& program) {
  require(!program.outputs.empty(), Code::shape, "the function returns nothing; return the loss, a scalar");
  Type loss = program.type(program.outputs[0]);
  require(loss.rank() == 0, Code::shape, "the loss is {}, not a scalar; sum it with reduce_sum or mean",
          loss);
  require(
      !is_complex(loss.dtype()), Code::dtype,
      "the loss is {}, which is complex and has no smallest value; return a real number, such as real(loss)",
      loss);
  require(is_float(loss.dtype()), Code::dtype, "the loss is {}, which has no derivative; return a float",
          loss);
}

}  // namespace

FlatGradient internal::value_and_grad_flat(std::string_view name, const FlatFunction& function,
                                           const Arrays& arguments, const std::vector<bool>& by,
                                           Where where) {
  auto [own, traced] =
      traced_call({.name = name, .function = function, .arguments = arguments, .by = by, .where = where});
  Program derivative;
  auto wanted = by;
  wanted.resize(traced.program.inputs.size());
  try {
    check_loss(traced.program);
    require_differentiable(own, by);
    derivative = vjp(traced.program, wanted, traced.program.outputs.size() - 1);
  } catch (const Error& error) {
    throw error.at(where, name);
  }
  return front_end(name, where, [&own = own, &traced = traced, &derivative] {
    Arrays inputs = joined(own, own_all(traced.captured));
    inputs.push_back(ones_of(dual(traced.program.type(traced.program.outputs[0]))));
    Arrays outputs = inline_program(derivative, inputs);
    auto middle = outputs.begin() + static_cast<std::ptrdiff_t>(traced.program.outputs.size());
    FlatGradient found{{outputs.begin(), middle}, {middle, outputs.end()}};
    return found;
  });
}

FlatJvp internal::jvp_flat(std::string_view name, const FlatFunction& function, const Arrays& arguments,
                           const Arrays& tangents, Where where) {
  auto [own, traced] =
      traced_call({.name = name, .function = function, .arguments = arguments, .where = where});
  return front_end(name, where, [&own = own, &traced = traced, &tangents] {
    Bits nonzero(own.size(), true);
    nonzero.resize(traced.program.inputs.size());
    JvpProgram derived = jvp(traced.program, nonzero, Bits(traced.program.outputs.size(), true));
    require_forward(derived.program);
    Arrays inputs = joined(own, own_all(traced.captured));
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (!is_inexact(own[i].dtype())) continue;
      inputs.push_back(
          as_type(Builder::current().own(tangents[i]), own[i].type(), fmt::format("tangent leaf {}", i)));
    }
    Arrays outputs = inline_program(derived.program, inputs);
    FlatJvp found;
    std::size_t next = traced.program.outputs.size();
    for (std::size_t i = 0; i < derived.nonzero.size(); ++i) {
      found.results.push_back(outputs[i]);
      found.tangents.push_back(derived.nonzero[i] ? outputs[next++] : zeros_of(outputs[i].type()));
    }
    return found;
  });
}

Linearized internal::linearize_flat(const FlatCalled& call) {
  Linearized map = linearized(call);
  try {
    require_forward(map.linear);
  } catch (const Error& error) {
    throw error.at(call.where, call.name);
  }
  return map;
}

}  // namespace tutti
