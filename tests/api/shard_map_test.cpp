// SPDX-License-Identifier: Apache-2.0
#include "tutti/api/shard_map.hpp"

#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"data", 4}, {"model", 2}});
const Type vector8(DType::f32, {8});

template <class F>
std::string mapped_text(F body, const Specs& in, const Specs& out) {
  return program_text({vector8}, [&](const Arrays& x) {
    return shard_map(body, {.mesh = mesh, .in = in, .out = out})(x[0]);
  });
}

TEST(shard_map, runs_its_body_between_two_borders) {
  EXPECT_EQ(mapped_text([](Array x) { return -x; }, P("data"), P("data")),
            "program(%0: f32[8]) {\n"
            "  %1: f32[2]{V:data} = enter{sharding=P(data)} %0\n"
            "  %2: f32[2]{V:data} = neg %1\n"
            "  %3: f32[8] = leave{sharding=P(data)} %2\n"
            "  return %3\n"
            "}\n");
}

TEST(shard_map, types_each_axis_by_the_spec) {
  auto same = [](Array x) { return x; };
  P spec = P("data").unreduced({"model"});
  EXPECT_EQ(mapped_text(same, spec, spec),
            "program(%0: f32[8]) {\n"
            "  %1: f32[2]{V:data, U:model} = enter{sharding=P(data)+U(model)} %0\n"
            "  %2: f32[8] = leave{sharding=P(data)+U(model)} %1\n"
            "  return %2\n"
            "}\n");
}

TEST(shard_map, joins_equal_parts_of_a_larger_whole) {
  EXPECT_EQ(mapped_text([](Array x) { return x; }, P(), P("model")),
            "program(%0: f32[8]) {\n"
            "  %1: f32[8] = enter{sharding=P()} %0\n"
            "  %2: f32[8]{V:model} = cast{axes='model', from=I, to=V} %1\n"
            "  %3: f32[16] = leave{sharding=P(model)} %2\n"
            "  return %3\n"
            "}\n");
}

TEST(shard_map, lets_reduced_values_leave_as_equal_ones) {
  EXPECT_EQ(mapped_text([](Array x) { return x; }, P().reduced({"data"}), P()),
            "program(%0: f32[8]) {\n"
            "  %1: f32[8]{R:data} = enter{sharding=P()+R(data)} %0\n"
            "  %2: f32[8] = cast{axes='data', from=R, to=I} %1\n"
            "  %3: f32[8] = leave{sharding=P()} %2\n"
            "  return %3\n"
            "}\n");
}

TEST(shard_map, binds_the_axes_of_its_mesh_in_its_body_only) {
  auto body = [](Array x) { return x * axis_size({"data", "model"}); };
  EXPECT_NE(mapped_text(body, P("data"), P("data")).find("constant{value=8}"), std::string::npos);
  Builder builder;
  builder.own(shard_map(body, {.mesh = mesh, .in = P("data"), .out = P("data")})(builder.input(vector8)));
  EXPECT_TRUE(builder.bound_axes().empty());
}

TEST(shard_map, takes_and_returns_trees) {
  struct Params {
    Array w, b;
  };
  auto body = [](const Params& p, Array x) {
    return std::pair{psum(reduce_sum(x * p.w), "data"), Params{x, p.b}};
  };
  Builder builder;
  auto input = [&](Shape shape) { return builder.input(Type(DType::f32, std::move(shape))); };
  Specs in{Specs{P(), P()}, P("data")}, out{P(), Specs{P("data"), P()}};
  auto [sum, next] =
      shard_map(body, {.mesh = mesh, .in = in, .out = out})(Params{input({2}), input({3})}, input({8}));
  EXPECT_EQ(to_string(sum.type()), "f32[]");
  EXPECT_EQ(to_string(next.w.type()), "f32[8]");
  EXPECT_EQ(to_string(next.b.type()), "f32[3]");
}

TEST(shard_map, has_its_borders_at_its_own_line) {
  Program program = trace({vector8}, [](const Arrays& x) {
                      auto same = [](Array y) { return y; };
                      return Arrays{shard_map(same, {.mesh = mesh, .in = P(), .out = P("data")})(x[0])};
                    }).program;
  for (const Equation& equation : program.equations)
    EXPECT_EQ(to_string(equation.where), "tests/api/shard_map_test.cpp:" + std::to_string(__LINE__ - 3));
}

TEST(shard_map, nests_over_axes_of_another_mesh) {
  Mesh inner({{"inner", 2}});
  auto body = [&](Array x) {
    return shard_map([](Array y) { return psum(y, {"data", "inner"}); },
                     {.mesh = inner, .in = P(), .out = P()})(x);
  };
  EXPECT_NE(mapped_text(body, P("data"), P()).find("all_reduce{kind=sum, axes=('data', 'inner')}"),
            std::string::npos);
}

TEST(shard_map, differentiates_to_the_dual_borders) {
  auto loss = [](Array x) {
    auto sum = [](Array part) { return psum(reduce_sum(part * part), "data"); };
    return shard_map(sum, {.mesh = mesh, .in = P("data"), .out = P()})(x);
  };
  std::string text = program_text({vector8}, [&](const Arrays& x) { return grad(loss)(x[0]); });
  EXPECT_NE(text.find("leave{sharding=P(data)}"), std::string::npos) << text;
}

}  // namespace
}  // namespace tutti
