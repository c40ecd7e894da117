// SPDX-License-Identifier: Apache-2.0
// reshard: inside shard_map by the steps of a plan, outside as a layout.
#include <gtest/gtest.h>

#include "tests/api/numbers.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/shardings.hpp"

namespace tutti {
namespace {

const Machine& machine() {
  static const Machine opened = open_local(Mesh({{"x", 2}, {"y", 3}}), {.workers = 2});
  return opened;
}
const Mesh& mesh() { return machine().mesh(); }

Array counted(const Shape& shape, DType dtype = DType::i32) {
  Tensor tensor(shape, DType::i32);
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    tensor.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(7 * i + 3);
  return machine().compile([dtype](const Array& x) { return convert(x, dtype); },
                           Array(tensor))(Array(tensor));
}

std::vector<P> specs_of_matrices() {
  std::vector<P> specs;
  for (const Sharding& sharding : all_shardings(mesh(), 2)) specs.push_back(parse_spec(to_string(sharding)));
  return specs;
}

auto resharded(const P& from, const P& to) {
  auto body = [=](const Array& x) { return reshard(x, from, to); };
  return shard_map(body, {.mesh = mesh(), .in = from, .out = to});
}

TEST(reshard, keeps_the_value_from_any_sharding_to_any_other) {
  const Array x = counted({12, 6});
  for (const P& from : specs_of_matrices())
    for (const P& to : specs_of_matrices()) {
      const auto run = machine().compile(resharded(from, to), x);
      ASSERT_TRUE(run(x).tensor() == x.tensor()) << to_string(run.program());
    }
}

TEST(reshard, returns_the_gradient_in_the_sharding_of_its_argument) {
  const Array x = counted({12, 6}, DType::f32), weights = counted({12, 6}, DType::f32);
  for (const P& from : specs_of_matrices())
    for (const P& to : {P("y", "x"), P(none, SpecEntry{"y", "x"}), P()}) {
      auto loss = [&](const Array& y) { return reduce_sum(resharded(from, to)(y) * weights); };
      ASSERT_TRUE(machine().compile(grad(loss), x)(x).tensor() == weights.tensor());
    }
}

TEST(reshard, sums_terms_as_the_target_needs_it) {
  const Array x = counted({6, 4});
  auto body = [](const Array& y) {
    const Array terms = pcast(y * (axis_index("x") + 1), "x", unreduced);
    return std::tuple{reshard(terms, P().unreduced({"x"}), P("x")),
                      reshard(terms, P().unreduced({"x"}), P(none, "x")),
                      reshard(terms, P().unreduced({"x"}), P("y"))};
  };
  const auto f = shard_map(body, {.mesh = mesh(), .in = P(), .out = {P("x"), P(none, "x"), P("y")}});
  const auto [rows, columns, other] = machine().compile(f, x)(x);
  const auto thrice = machine().compile([](const Array& y) { return y * 3; }, x)(x).tensor();
  EXPECT_TRUE(rows.tensor() == thrice);
  EXPECT_TRUE(columns.tensor() == thrice);
  EXPECT_TRUE(other.tensor() == thrice);
}

// Along y the devices hold different values: a plan over x alone may not mix them.
TEST(reshard, leaves_axes_alone_that_no_spec_names) {
  const Array x = counted({4, 4});
  auto body = [](const Array& rows) {
    const Array own = rows + axis_index("y");
    return expand_dims(reshard(own, P("x"), P(none, "x")), 0);
  };
  const auto f = shard_map(body, {.mesh = mesh(), .in = P("x"), .out = P("y", none, "x")});
  const Tensor found = machine().compile(f, x)(x).tensor();
  for (std::int64_t y = 0; y < 3; ++y)
    for (std::int64_t i = 0; i < 16; ++i)
      ASSERT_EQ(found.at(y * 16 + i), x.tensor().at(i) + static_cast<double>(y));
}

TEST(reshard, sums_terms_of_blocks_without_elements) {
  auto body = [](const Array& x) {
    return reshard(pcast(x, "x", unreduced), P().unreduced({"x"}), P(none, "x"));
  };
  const Array x = counted({0, 4});
  const auto f = shard_map(body, {.mesh = mesh(), .in = P("x"), .out = P(none, "x")});
  EXPECT_EQ(machine().compile(f, x)(x).shape(), (Shape{0, 4}));
}

TEST(reshard, lays_finished_arrays_out_in_uneven_blocks_too) {
  const Array x = counted({7, 3});
  const Array split = reshard(x, mesh(), P("y", "x"));
  EXPECT_EQ(split.data()->shard(0).shape(), (Shape{3, 2}));
  EXPECT_EQ(split.data()->shard(5).shape(), (Shape{1, 1}));
  EXPECT_TRUE(reshard(split, mesh(), P("x")).tensor() == x.tensor());
  EXPECT_EQ(reshard(split, mesh(), P("y", "x")).data(), split.data());
}

TEST(reshard, leads_to_other_devices_and_back) {
  const Array x = counted({7, 3});
  const Mesh some({{"z", 4}}, {.devices = {5, 1, 0, 2}});
  const Array there = reshard(reshard(x, mesh(), P("y", "x")), some, P("z"));
  EXPECT_EQ(there.data()->sharding()->mesh.device_id(0), 5);
  EXPECT_EQ(there.data()->shard(3).shape(), (Shape{1, 3}));
  EXPECT_TRUE(reshard(there, mesh(), P("x")).tensor() == x.tensor());
}

TEST(reshard, lays_finished_arrays_out_by_parts_of_axes) {
  const Machine four = open_local(Mesh({{"x", 4}}));
  const Array x = counted({8, 4});
  const Array split = reshard(x, four.mesh(), P(part("x", 2, 2), part("x", 1, 2)));
  EXPECT_EQ(to_string(*split.data()->sharding()), "P(x(2)2, x(1)2)");
  EXPECT_EQ(split.data()->shard(1).shape(), (Shape{4, 2}));  // the second half of rows, the first of columns
  const Tensor shard = split.data()->shard(1), whole = x.tensor();
  EXPECT_EQ(shard.as<std::int32_t>()[0], whole.as<std::int32_t>()[4 * 4]);
  EXPECT_TRUE(split.tensor() == x.tensor());
  EXPECT_TRUE(reshard(split, four.mesh(), P("x")).tensor() == x.tensor());
  EXPECT_EQ(four.place(x, P(part("x", 2, 2), part("x", 1, 2))).data()->sharding(), split.data()->sharding());
}

TEST(reshard, lets_programs_take_arrays_that_lie_by_parts_of_axes) {
  const Machine four = open_local(Mesh({{"x", 4}}));
  const Array x = counted({8, 4});
  const Array split = reshard(x, four.mesh(), P(part("x", 2, 2), part("x", 1, 2)));
  auto body = [](const Array& part) { return part + axis_index("x"); };
  const auto f = shard_map(body, {.mesh = four.mesh(), .in = P("x"), .out = P("x")});
  EXPECT_TRUE(four.compile(f, split)(split).tensor() == four.compile(f, x)(x).tensor());
  EXPECT_TRUE(four.compile(f, x)(split).tensor() == four.compile(f, x)(x).tensor());
  const auto twice = [](const Array& whole) { return whole + whole; };
  EXPECT_TRUE(four.compile(twice, split)(split).tensor() == four.compile(twice, x)(x).tensor());
}

TEST(reshard, names_whole_axes_in_programs) {
  const std::string why =
      "names a part of an axis, but programs bind whole axes; take a mesh that has the part as an axis, or "
      "reshard finished data outside of the program";
  const Machine four = open_local(Mesh({{"x", 4}}));
  expect_refused(
      [&] {
        auto body = [](const Array& x) {
          return reshard(x, P("x"), P(part("x", 1, 2)));  // refused
        };
        four.compile(shard_map(body, {.mesh = four.mesh(), .in = P("x"), .out = P()}), counted({8, 4}));
      },
      "T013 {file}:{line}: reshard: P(x(1)2) " + why);
  expect_refused(
      [&] {
        auto body = [&](const Array& x) {
          return reshard(x, four.mesh(), P(part("x", 1, 2)));  // refused
        };
        four.compile(body, counted({8, 4}));
      },
      "T013 {file}:{line}: reshard: P(x(1)2) " + why);
}

TEST(reshard, says_how_a_result_lies) {
  const Array x = counted({6, 4});
  const auto f = machine().compile([](const Array& y) { return reshard(y + 1, mesh(), P("y")); }, x);
  EXPECT_EQ(f(x).data()->sharding(), P("y").on(mesh(), x.type()));
}

TEST(reshard, may_plan_with_parts_of_axes) {
  const Array x = counted({8, 12});
  const Machine eight = open_local(Mesh({{"x", 2}, {"y", 4}}));
  auto body = [](const Array& part) { return reshard(part, P("x"), P("y"), {.parts = true}); };
  const auto f = shard_map(body, {.mesh = eight.mesh(), .in = P("x"), .out = P("y")});
  EXPECT_TRUE(eight.compile(f, x)(x).tensor() == x.tensor());
}

TEST(reshard, refuses_what_does_not_fit) {
  auto traced_with = [&](auto body, const P& in) {
    machine().compile(shard_map(body, {.mesh = mesh(), .in = in, .out = P()}), counted({6, 4}));
  };
  expect_refused(
      [&] {
        traced_with(
            [](const Array& x) {
              return reshard(x, P("y"), P());  // refused
            },
            P("x"));
      },
      "T004 {file}:{line}: reshard: i32[3,4]{V:x} does not lie as P(y) says, which needs i32[3,4]{V:x, V:y}; "
      "name "
      "the axes along which it differs");
  expect_refused(
      [&] {
        traced_with(
            [](const Array& x) {
              return reshard(x, P(), P("x"));  // refused
            },
            P("x"));
      },
      "T004 {file}:{line}: reshard: i32[3,4]{V:x} differs along 'x', which P() does not name; name the axes "
      "along "
      "which it differs");
  expect_refused(
      [&] {
        traced_with(
            [](const Array& x) {
              return reshard(x, P("x"), P("z"));  // refused
            },
            P("x"));
      },
      "T001 {file}:{line}: reshard: the spec names axis 'z', but the mesh is x=2,y=3; use one of its axes");
  expect_refused(
      [&] {
        traced_with(
            [](const Array& x) {
              return reshard(x, P("x"), P(none, "y"));  // refused
            },
            P("x"));
      },
      "T005 {file}:{line}: reshard: dim 1 of i32[6,4] does not split over the 3 devices of 'y'; pad it or "
      "use "
      "another dim");
}

}  // namespace
}  // namespace tutti
