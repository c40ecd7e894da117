// SPDX-License-Identifier: Apache-2.0
// Laws of derivatives, of programs as users write them: the tangents are the slopes, the cotangents are their
// adjoint, for the program and for its derivative.
#include <cmath>

#include "tests/laws/law.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/slopes.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/vjp.hpp"

namespace tutti {
namespace {

using Values = std::vector<PerDevice>;

Values joined(Values front, const Values& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

Types float_types(const Types& types) {
  Types floats;
  for (Type type : types)
    if (tangent(type)) floats.push_back(type);
  return floats;
}

// A program with numbers to differentiate it at and along: v for its float inputs, w for its float outputs.
struct Point {
  const Program& program;
  Values x;
  Bits floats = float_inputs(program);
  Types moving = float_types(program.types_of(program.inputs));
  Types results = float_types(program.types_of(program.outputs));
  Random random{15};
  Values v = random_values(random, moving, Numbers::smooth);

  // The tangents of the float outputs.
  Values tangents() const {
    JvpProgram derived = jvp(program, floats, Bits(program.outputs.size(), true));
    Values outputs = evaluate(derived.program, example_mesh(), joined(x, v));
    return {outputs.begin() + static_cast<std::ptrdiff_t>(program.outputs.size()), outputs.end()};
  }
};

Values at_inputs(const Bits& floats, const Values& of_floats, const Values& x) {
  Values all = x;
  for (std::size_t i = 0, next = 0; i < all.size(); ++i)
    if (floats[i]) all[i] = of_floats[next++];
  return all;
}

void expect_slopes(const std::string& name, const Point& point) {
  Values tangents = point.tangents(), v = at_inputs(point.floats, point.v, point.x);
  std::size_t next = 0;
  for (std::size_t i = 0; i < point.program.outputs.size(); ++i) {
    Type type = point.program.type(point.program.outputs[i]);
    if (!tangent(type)) continue;
    auto expected = slopes(point.program, point.x, v, point.floats, i);
    auto found = totals(type, tangents[next++]);
    for (std::size_t device = 0; device < found.size(); ++device)
      for (std::size_t e = 0; e < found[device].size(); ++e)
        EXPECT_NEAR(found[device][e], expected[device][e].value, expected[device][e].error)
            << name << ", output " << i << ", device " << device << ", element " << e;
  }
}

void expect_adjoint(const std::string& name, Point point) {
  Types duals;
  for (Type type : point.results) duals.push_back(dual(type));
  Values w = random_values(point.random, duals, Numbers::smooth), tangents = point.tangents();
  Program backward = vjp(point.program, point.floats);
  Values inputs = joined(point.x, w), cotangents = evaluate(backward, example_mesh(), inputs);
  cotangents.erase(cotangents.begin(),
                   cotangents.begin() + static_cast<std::ptrdiff_t>(point.program.outputs.size()));
  double left = 0, right = 0;
  for (std::size_t i = 0; i < w.size(); ++i) left += pairing(point.results[i], tangents[i], w[i]);
  for (std::size_t i = 0; i < point.v.size(); ++i)
    right += pairing(point.moving[i], point.v[i], cotangents[i]);
  EXPECT_NEAR(left, right, rounding(backward, inputs)) << name << "\n" << to_string(backward);
}

Point at_random(const NamedProgram& named) {
  Random random(16);
  return {named.program, random_values(random, named.operands, Numbers::smooth)};
}

class derivatives : public testing::TestWithParam<std::size_t> {
 protected:
  const NamedProgram& named() const { return composed_programs()[GetParam()]; }
};
TEST_P(derivatives, are_the_slopes) { expect_slopes(named().name, at_random(named())); }
TEST_P(derivatives, have_their_adjoint) { expect_adjoint(named().name, at_random(named())); }
TEST_P(derivatives, of_derivatives_are_the_slopes_and_have_their_adjoint) {
  Point point = at_random(named());
  Program gradient = vjp(point.program, point.floats);
  Types cotangents;
  for (Type type : point.results) cotangents.push_back(dual(type));
  Point second{gradient, joined(point.x, random_values(point.random, cotangents, Numbers::smooth))};
  expect_slopes(named().name + ", vjp", second);
  expect_adjoint(named().name + ", vjp", second);
}
INSTANTIATE_TEST_SUITE_P(programs, derivatives, testing::Range(std::size_t{0}, composed_programs().size()),
                         [](const auto& instance) { return composed_programs()[instance.param].name; });

}  // namespace
}  // namespace tutti
