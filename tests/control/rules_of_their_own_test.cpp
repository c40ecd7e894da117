// SPDX-License-Identifier: Apache-2.0
// When the rules of custom_jvp and custom_vjp are traced, and rules that call the function that they belong
// to.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/recorded.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tracing.hpp"
#include "tests/support/values.hpp"
#include "tutti/control/wrapped/custom_rules.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Function = std::function<Array(const Array&)>;

Array sine(const Array& x) { return sin(x); }

// sin, whose derivative is said to be 2 cos. The rule takes the value from `inner`.
Array ruled(const Function& inner, const Array& x) {
  auto rule = [&](const std::tuple<Array>& at, const std::tuple<Array>& along) {
    const auto& [v] = at;
    return std::pair{inner(v), 2.0 * cos(v) * std::get<0>(along)};
  };
  return custom_jvp(sine, rule)(x);
}
Array pulled(const Function& inner, const Array& x) {
  auto forward = [&](const Array& v) { return std::pair{inner(v), v}; };
  auto backward = [](const Array& v, const Array& ct) { return std::tuple{2.0 * cos(v) * ct}; };
  return custom_vjp(sine, forward, backward)(x);
}

// As manuals have it: the rule calls the function.
Array ruled_by_itself(const Array& x) { return ruled(ruled_by_itself, x); }
Array pulled_by_itself(const Array& x) { return pulled(pulled_by_itself, x); }
// Two functions. The rule of each calls the other.
Array ruled_by_other(const Array& x);
Array pulled_by_other(const Array& x) { return pulled(ruled_by_other, x); }
Array ruled_by_other(const Array& x) { return ruled(pulled_by_other, x); }
// The same written out: good for three derivatives.
Array ruled_once(const Array& x) { return ruled(sine, x); }
Array ruled_twice(const Array& x) { return ruled(ruled_once, x); }
Array ruled_thrice(const Array& x) { return ruled(ruled_twice, x); }

const std::vector<std::pair<std::string, Function>>& recursive_functions() {
  static const std::vector<std::pair<std::string, Function>> all{{"custom_jvp", ruled_by_itself},
                                                                 {"custom_vjp", pulled_by_itself},
                                                                 {"both", ruled_by_other}};
  return all;
}

Machine machine() { return open_local(Mesh({{"data", 2}}), {.workers = 1}); }
double at(const Function& function, double x) {
  const Array point = Tensor::scalar(x);
  return machine().compile(function, point)(point).item();
}
Function slope_of(const Function& f) {
  return [f](const Array& x) { return grad([&](const Array& v) { return f(v); })(x); };
}
Function forward_slope_of(const Function& f) {
  return [f](const Array& x) {
    return jvp([&](const Array& v) { return f(v); }, std::tuple{x}, std::tuple{ones_like(x)}).second;
  };
}

TEST(rule, may_call_the_function_that_it_belongs_to) {
  for (const auto& [name, f] : recursive_functions()) {
    EXPECT_NEAR(at(f, 2), std::sin(2), 1e-15) << name;
    EXPECT_NEAR(at(slope_of(f), 2), 2 * std::cos(2), 1e-15) << name;
    EXPECT_NEAR(at(forward_slope_of(f), 2), 2 * std::cos(2), 1e-15) << name;
  }
}

// The value in the rule is differentiated by the rule again: JAX 0.10.2 gives -3.327527622493509.
TEST(rule, that_calls_its_function_has_a_second_derivative) {
  for (const auto& [name, f] : recursive_functions()) {
    auto twice = [g = f](const Array& x) { return g(g(x)); };
    EXPECT_NEAR(at(slope_of(slope_of(twice)), 2), -3.327527622493509, 1e-14) << name;
    EXPECT_NEAR(at(forward_slope_of(slope_of(twice)), 2), -3.327527622493509, 1e-14) << name;
  }
  auto jvps = [](const Array& x) { return ruled_by_itself(ruled_by_itself(x)); };
  EXPECT_NEAR(at(forward_slope_of(forward_slope_of(jvps)), 2), -3.327527622493509, 1e-14);
  EXPECT_NEAR(at(slope_of(forward_slope_of(jvps)), 2), -3.327527622493509, 1e-14);
}

// Linear functions, whose rules call them on the tangent.
Array tripled_by_its_rule(const Array& x) {
  auto rule = [](const std::tuple<Array>& at, const std::tuple<Array>& along) {
    return std::pair{tripled_by_its_rule(std::get<0>(at)), tripled_by_its_rule(std::get<0>(along))};
  };
  return custom_jvp([](const Array& v) { return 3.0 * v; }, rule)(x);
}
Array tripled_by_its_backward(const Array& x) {
  auto forward = [](const Array& v) { return std::pair{3.0 * v, Array(Tensor::scalar(0.0))}; };
  auto backward = [](const Array&, const Array& ct) { return std::tuple{tripled_by_its_backward(ct)}; };
  return custom_vjp([](const Array& v) { return 3.0 * v; }, forward, backward)(x);
}
Array tripled_by_another(const Array& x) {
  auto rule = [](const std::tuple<Array>& at, const std::tuple<Array>& along) {
    return std::pair{3.0 * std::get<0>(at), tripled_by_its_backward(std::get<0>(along))};
  };
  return custom_jvp([](const Array& v) { return 3.0 * v; }, rule)(x);
}

TEST(rule, may_call_its_function_on_the_tangent) {
  for (const Function& f :
       {Function(tripled_by_its_rule), Function(tripled_by_its_backward), Function(tripled_by_another)}) {
    auto squared = [&](const Array& x) { return square(f(x)); };
    EXPECT_EQ(at(slope_of(f), 2), 3);
    EXPECT_EQ(at(slope_of(squared), 2), 36);
    EXPECT_EQ(at(slope_of(slope_of(squared)), 2), 18);
    EXPECT_EQ(at(slope_of(forward_slope_of(squared)), 2), 18);
  }
}

// Surroundings of the call. Each makes a loss of f that is a scalar.
const std::vector<std::pair<std::string, std::function<Array(const Function&, const Array&)>>>&
surroundings() {
  using Call = const Function&;
  static const std::vector<std::pair<std::string, std::function<Array(Call, const Array&)>>> all{
      {"vmap",
       [](Call f, const Array& x) {
         Array xs = x * iota({3}, DType::f64, 0);
         return reduce_sum(vmap([&](const Array& v) { return f(v) * x; })(xs));
       }},
      {"scan",
       [](Call f, const Array& x) {
         auto step = [&](const Array& c, const Array& v) { return std::pair{f(c * v) + x, f(v)}; };
         auto [last, results] = scan(step, x, x * iota({3}, DType::f64, 0));
         return last + reduce_sum(results);
       }},
      {"fori_loop",
       [](Call f, const Array& x) {
         return fori_loop(0, 3, [&](const Array&, const Array& c) { return f(c) * x; }, x);
       }},
      {"cond",
       [](Call f, const Array& x) {
         auto other = [&](const Array& v) { return v * x; };
         return cond(x > 1, [&](const Array& v) { return f(v * x); }, other, x);
       }},
      {"remat", [](Call f, const Array& x) { return remat([&](const Array& v) { return f(f(v) * x); })(x); }},
      {"shard_map",
       [](Call f, const Array& x) {
         auto body = [&](const Array& part) { return psum(reduce_sum(f(part * x)), "data"); };
         static const Mesh mesh({{"data", 2}});
         return shard_map(body, {.mesh = mesh, .in = P("data"), .out = P()})(x * iota({4}, DType::f64, 0));
       }},
      {"captures",
       [](Call f, const Array& x) {
         const Array squared = x * x;  // of an enclosing trace, used in the rule
         auto rule = [&](const std::tuple<Array>& at, const std::tuple<Array>& along) {
           return std::pair{f(std::get<0>(at)), squared * std::get<0>(along)};
         };
         return grad([&](const Array& v) { return custom_jvp(sine, rule)(v) * v; })(x) + squared;
       }},
  };
  return all;
}

TEST(rule, that_calls_its_function_works_wherever_the_function_is_called) {
  for (const auto& [name, surrounded] : surroundings()) {
    auto loss = [&](const Function& f) {
      return [&surrounded, f](const Array& x) { return surrounded(f, x); };
    };
    const Function expected = loss(ruled_thrice);
    const double slope = at(slope_of(expected), 1.25), second = at(slope_of(slope_of(expected)), 1.25);
    for (const auto& [kind, f] : recursive_functions()) {
      EXPECT_NEAR(at(slope_of(loss(f)), 1.25), slope, 1e-13 * std::abs(slope)) << kind << " in " << name;
      EXPECT_NEAR(at(slope_of(slope_of(loss(f))), 1.25), second, 1e-13 * std::abs(second))
          << kind << " in " << name;
    }
  }
}

TEST(rule, that_calls_its_function_has_a_forward_derivative_in_a_while_loop) {
  auto loop_of = [](const Function& f) {
    return [f](const Array& x) {
      return while_loop([](const Array& v) { return v < 5; }, [&](const Array& v) { return f(v) + 2.0 * v; },
                        x);
    };
  };
  const double expected = at(forward_slope_of(loop_of(ruled_once)), 0.5);
  EXPECT_EQ(at(forward_slope_of(loop_of(ruled_by_itself)), 0.5), expected);
}

// --- When a rule is traced ---------------------------------------------------------------------------------

// How often the rules of a custom_jvp and of a custom_vjp run while `function` of a function is traced.
std::vector<int> traced_rules(const std::function<Array(const Function&, const Array&)>& function) {
  std::vector<int> counts{0, 0, 0};
  const Function f = [&](const Array& x) {
    auto rule = [&](const std::tuple<Array>& at, const std::tuple<Array>& along) {
      ++counts[0];
      return std::pair{sine(std::get<0>(at)), std::get<0>(along)};
    };
    auto forward = [&](const Array& v) {
      ++counts[1];
      return std::pair{v * 1.0, v};
    };
    auto backward = [&](const Array&, const Array& ct) {
      ++counts[2];
      return std::tuple{ct};
    };
    return custom_vjp([](const Array& v) { return v * 1.0; }, forward, backward)(custom_jvp(sine, rule)(x));
  };
  recorded({Type(DType::f64, {})}, [&](const Arrays& x) { return Arrays{function(f, x[0])}; });
  return counts;
}

TEST(rule, is_traced_once_where_a_derivative_is_taken_and_else_never) {
  using Counts = std::vector<int>;
  using Call = const Function&;
  EXPECT_EQ(traced_rules([](Call f, const Array& x) { return f(x); }), (Counts{0, 0, 0}));
  EXPECT_EQ(traced_rules([](Call f, const Array& x) { return vmap(f)(stack({x, x})); }), (Counts{0, 0, 0}));
  EXPECT_EQ(traced_rules([](Call f, const Array& x) { return slope_of(f)(x); }), (Counts{1, 1, 1}));
  EXPECT_EQ(traced_rules([](Call f, const Array& x) { return forward_slope_of(f)(x); }), (Counts{1, 1, 1}));
  EXPECT_EQ(traced_rules(
                [](Call f, const Array& x) { return hessian([&](const Array& v) { return f(v); })(x); }),
            (Counts{1, 1, 1}));
}

TEST(rule, is_not_traced_where_no_derivative_reaches_its_arguments) {
  using Counts = std::vector<int>;
  auto counts = [](const std::function<Array(const Function&, const Array&, const Array&)>& loss) {
    return traced_rules([&](const Function& f, const Array& x) {
      return grad([&](const Array& v) { return loss(f, v, x); })(x);
    });
  };
  using Call = const Function&;
  EXPECT_EQ(counts([](Call f, const Array& v, const Array& x) { return v * f(x); }), (Counts{0, 0, 0}));
  EXPECT_EQ(counts([](Call f, const Array& v, const Array&) { return v * f(convert(v > 0, DType::f64)); }),
            (Counts{0, 0, 0}));
  EXPECT_EQ(counts([](Call f, const Array& v, const Array& x) {
              return v * reduce_sum(vmap(f)(stack({x, x}))) * remat(f)(x) * cond(v > 0, f, f, x);
            }),
            (Counts{0, 0, 0}));
  EXPECT_EQ(counts([](Call f, const Array& v, const Array& x) { return f(v * x); }), (Counts{1, 1, 1}));
}

TEST(rule, that_is_wrong_is_not_noticed_until_it_is_needed) {
  auto wrong = [](const Array& x) {
    auto rule = [](const std::tuple<Array>& at, const std::tuple<Array>&) {
      return std::pair{std::get<0>(at), zeros({7}, DType::i32)};
    };
    return custom_jvp(sine, rule)(x);
  };
  EXPECT_NEAR(at(wrong, 2), std::sin(2), 1e-15);
  EXPECT_NEAR(at([&](const Array& x) { return grad([&](const Array& v) { return v * wrong(x); })(x); }, 2),
              std::sin(2), 1e-15);
  EXPECT_EQ(refusal_of([&] { at(slope_of(wrong), 2); }),
            "T005: custom_jvp: the rule's tangent 0 is i32[7], expected f64[]");
}

TEST(rule, of_a_function_that_a_rule_replaces_is_not_traced) {
  int traced = 0;
  const Function counted = [&](const Array& x) {
    auto rule = [&](const std::tuple<Array>& at, const std::tuple<Array>& along) {
      ++traced;
      return std::pair{sine(std::get<0>(at)), std::get<0>(along)};
    };
    return custom_jvp(sine, rule)(x);
  };
  auto replaced = [&](const Array& x) {
    auto rule = [](const std::tuple<Array>& at, const std::tuple<Array>& along) {
      return std::pair{sine(std::get<0>(at)), 3.0 * std::get<0>(along)};
    };
    return custom_jvp(counted, rule)(x);
  };
  EXPECT_EQ(at(slope_of(replaced), 2), 3);
  EXPECT_EQ(traced, 0);
}

// The backward of one function calls another one with the cotangent.
TEST(rule, is_there_for_the_derivative_of_a_pullback) {
  auto backward = [](const Array&, const Array& ct) { return std::tuple{ruled_by_itself(ct)}; };
  auto forward = [](const Array& v) { return std::pair{sine(v), v}; };
  auto f = [&](const Array& v) { return custom_vjp(sine, forward, backward)(v); };
  auto slope_of_pullback = [&](const Array& x) {
    auto pullback = vjp(f, std::tuple{x}).second;
    return grad([&](const Array& ct) { return std::get<0>(pullback(ct)); })(x);
  };
  EXPECT_NEAR(at(slope_of_pullback, 2), 2 * std::cos(2), 1e-15);
}

TEST(rule, that_was_not_traced_is_missed_in_a_program_that_is_differentiated_later) {
  const Program program = trace({Type(DType::f64, {})}, [](const Arrays& x) {
                            return Arrays{ruled_by_itself(x[0]), pulled_by_itself(x[0])};
                          }).program;
  check(program);
  const std::string expected = ": jvp is refused: the rule was not traced, because no derivative was taken "
                               "where the function was called; "
                               "call it inside of the function that is differentiated";
  EXPECT_EQ(refusal_of([&] { jvp(program, {true}); }), "T010: custom_jvp" + expected);
  Program last = program;
  last.equations.erase(last.equations.begin());
  last.outputs.erase(last.outputs.begin());
  EXPECT_EQ(refusal_of([&] { jvp(last, {true}); }), "T010: custom_vjp" + expected);
}

TEST(rule, that_was_not_traced_is_no_part_of_the_op) {
  const Program program =
      recorded({Type(DType::f64, {})}, [](const Arrays& x) { return Arrays{ruled_by_itself(x[0])}; });
  const auto* op = program.equations[0].op.as<CustomJvp>();
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->programs().size(), 1U);
  EXPECT_EQ(op->with_programs(op->programs()), *op);
  EXPECT_EQ(text_of(program), "program(%0: f64[]) {\n"
                              "  %1: f64[] = custom_jvp{arguments=1} %0\n"
                              "    program(%0: f64[]) {\n"
                              "      %1: f64[] = sin %0\n"
                              "      return %1\n"
                              "    }\n"
                              "  return %1\n}\n");
}

TEST(rule, tells_equal_calls_from_others) {
  auto scaled = [](double by, const Array& x) {
    auto rule = [&](const std::tuple<Array>& at, const std::tuple<Array>& along) {
      return std::pair{sine(std::get<0>(at)), by * std::get<0>(along)};
    };
    return custom_jvp(sine, rule)(x);
  };
  auto loss = [&](const Array& v) { return scaled(2, v) + scaled(3, v) + scaled(3, v); };
  EXPECT_EQ(at(slope_of(loss), 1), 8);
}

}  // namespace
}  // namespace tutti
