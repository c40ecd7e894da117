// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/ops/named_function.hpp"

#include <algorithm>

#include "tutti/api/derivatives.hpp"
#include "tutti/api/jacobians.hpp"
#include "tutti/api/vmap.hpp"
#include "tutti/base/never_destroyed.hpp"
#include "tutti/control/wrapped/remat.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti::cli {
namespace {

// The functions that the transforms are shown on: f(x) = sum(tanh(x) * x), g(x) = tanh(x) * x.
Array g(const Array& x) { return tanh(x) * x; }
Array f(const Array& x) { return reduce_sum(g(x)); }

void add_ops(const Program& program, std::vector<std::string>& names) {
  for (const Equation& equation : program.equations) {
    const std::string name(equation.op->name());
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    for (const SubProgram& inside : equation.op->programs()) add_ops(*inside, names);
  }
}

}  // namespace

const std::vector<FunctionRow>& all_transforms() {
  static const Type x(DType::f32, {3}), rows(DType::f32, {2, 3});
  static const NeverDestroyed<std::vector<FunctionRow>> all({
      {"grad",
       "jax.grad",
       "grad(f)(x), f(x) = sum(tanh(x) * x)",
       {x},
       [](const Arrays& a) { return Arrays{grad(f)(a[0])}; }},
      {"hessian",
       "jax.hessian",
       "hessian(f)(x), f(x) = sum(tanh(x) * x)",
       {x},
       [](const Arrays& a) { return Arrays{hessian(f)(a[0])}; }},
      {"hvp",
       "jax.jvp(jax.grad(f), (x,), (v,))[1]",
       "hvp(f, x, v), f(x) = sum(tanh(x) * x)",
       {x, x},
       [](const Arrays& a) { return Arrays{hvp(f, a[0], a[1])}; }},
      {"jacfwd",
       "jax.jacfwd",
       "jacfwd(g)(x), g(x) = tanh(x) * x",
       {x},
       [](const Arrays& a) { return Arrays{jacfwd(g)(a[0])}; }},
      {"jacrev",
       "jax.jacrev",
       "jacrev(g)(x), g(x) = tanh(x) * x",
       {x},
       [](const Arrays& a) { return Arrays{jacrev(g)(a[0])}; }},
      {"jvp",
       "jax.jvp",
       "jvp(g, {x}, {t}), g(x) = tanh(x) * x",
       {x, x},
       [](const Arrays& a) {
         const auto [value, tangent] = jvp(g, std::tuple(a[0]), std::tuple(a[1]));
         return Arrays{value, tangent};
       }},
      {"linearize",
       "jax.linearize",
       "linearize(g, {x}).second(t), g(x) = tanh(x) * x",
       {x, x},
       [](const Arrays& a) { return Arrays{linearize(g, std::tuple(a[0])).second(a[1])}; }},
      {"remat",
       "jax.checkpoint",
       "grad(remat(f))(x), f(x) = sum(tanh(x) * x)",
       {x},
       [](const Arrays& a) { return Arrays{grad(remat(f))(a[0])}; }},
      {"value_and_grad",
       "jax.value_and_grad",
       "value_and_grad(f)(x), f(x) = sum(tanh(x) * x)",
       {x},
       [](const Arrays& a) {
         const auto [value, gradient] = value_and_grad(f)(a[0]);
         return Arrays{value, gradient};
       }},
      {"vjp",
       "jax.vjp",
       "vjp(g, {x}).second(t), g(x) = tanh(x) * x",
       {x, x},
       [](const Arrays& a) { return Arrays{std::get<0>(vjp(g, std::tuple(a[0])).second(a[1]))}; }},
      {"vmap",
       "jax.vmap",
       "vmap(f)(x), f(x) = sum(tanh(x) * x)",
       {rows},
       [](const Arrays& a) { return Arrays{vmap(f)(a[0])}; }},
  });
  return *all;
}

const FunctionRow* named_function(const std::string& name) {
  for (const std::vector<FunctionRow>* all : {&functions_made_of_ops(), &all_transforms()})
    if (const auto found = std::ranges::find(*all, name, &FunctionRow::name); found != all->end())
      return &*found;
  return nullptr;
}

Program program_of(const FunctionRow& row) {
  return without_places(without_dead_code(trace(row.operands, row.example).program));
}

std::vector<std::string> ops_of(const Program& program) {
  std::vector<std::string> names;
  add_ops(program, names);
  return names;
}

}  // namespace tutti::cli
