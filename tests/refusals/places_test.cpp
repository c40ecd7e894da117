// SPDX-License-Identifier: Apache-2.0
// Every equation has a place in the user's file: what it costs, and what it refuses later, is said there.
#include <fmt/core.h>

#include <gtest/gtest.h>

#include <set>

#include "tests/support/refusal.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Pair = std::pair<Array, Array>;

Array twice(Array x) { return 2 * x; }
Array positive(const Array& x) { return pmax(reduce_max(x), {"data", "model"}) > 0; }
std::pair<Array, std::tuple<>> add(Array c, Array v) { return {c + v, {}}; }

// Programs that are made of functions, of f32[2]{V:data}.
const std::vector<std::pair<std::string, std::function<Array(Array)>>>& programs() {
  auto loss = [](Array y) { return reduce_sum(tanh(y) * y); };
  auto counted = [](Array, Array y) { return y + ones_like(y); };
  auto clipped = [](Array y) {
    auto forward = [](Array v) { return Pair{2 * v, v}; };
    return custom_vjp(twice, forward, [](Array v, Array ct) { return std::tuple{ct * v}; })(y);
  };
  auto ruled = [](Array y) {
    auto rule = [](std::tuple<Array> at, std::tuple<Array> moved) {
      return Pair{2 * std::get<0>(at), 3 * std::get<0>(moved)};
    };
    return custom_jvp(twice, rule)(y);
  };
  static const std::vector<std::pair<std::string, std::function<Array(Array)>>> all{
      {"cond",
       [](Array x) { return cond(positive(x), twice, [](Array) { return ones({2}, DType::f32); }, x); }},
      {"switch_", [](Array x) { return switch_(axis_index("data"), std::tuple{&twice, &twice}, x); }},
      {"scan", [](Array x) { return scan(add, zeros({}, DType::f32), x).first; }},
      {"while_loop", [](Array x) { return while_loop(positive, [](Array y) { return y - 1; }, x); }},
      {"fori_loop", [=](Array x) { return fori_loop(0, 3, counted, x); }},
      {"fori_loop_to_array", [=](Array x) { return fori_loop(0, axis_index("data"), counted, x); }},
      {"remat", [=](Array x) { return grad(remat(loss))(x); }},
      {"custom_jvp", [=](Array x) { return vmap(grad(ruled))(x); }},
      {"custom_vjp", [=](Array x) { return vmap(grad(clipped))(x); }},
      {"grad", [=](Array x) { return grad(loss)(ones_like(x)) * x; }},
      {"jvp", [=](Array x) { return jvp(loss, std::tuple{x}, std::tuple{x}).second; }},
      {"vjp", [=](Array x) { return std::get<0>(vjp(loss, std::tuple{x}).second(reduce_sum(x))); }},
      {"vmap",
       [](Array x) { return vmap([](Array y) { return y / psum(y, "lane"); }, {.axis = "lane"})(x); }},
      {"grad_of_scan",
       [](Array x) {
         return grad([](Array y) { return scan(add, zeros({}, DType::f32), y * y).first; })(x);
       }},
  };
  return all;
}

void collect_places(const Program& program, std::set<std::string>& elsewhere) {
  for (const Equation& equation : program.equations) {
    bool is_here = equation.where.known() && equation.where.file == std::string_view(__FILE__);
    if (!is_here) elsewhere.insert(fmt::format("{} at {}", equation.op->name(), to_string(equation.where)));
    for (const SubProgram& inner : equation.op->programs()) collect_places(*inner, elsewhere);
  }
}

TEST(places, of_equations_are_in_the_users_file) {
  Axes axes = Mesh({{"data", 4}, {"model", 2}}).axes();
  for (const auto& [name, program] : programs()) {
    std::set<std::string> elsewhere;
    collect_places(trace({Type(DType::f32, {2}).with(axes[0], varying)},
                         [&, &body = program](const Arrays& x) {
                           auto bound = Builder::current().bind(axes);
                           return Arrays{body(x[0])};
                         })
                       .program,
                   elsewhere);
    EXPECT_EQ(elsewhere, std::set<std::string>{}) << name;
  }
}

}  // namespace
}  // namespace tutti
