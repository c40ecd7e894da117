// SPDX-License-Identifier: Apache-2.0
// Machine::place: arrays that lie on the mesh before they are handed in.
#include <gtest/gtest.h>

#include "tests/api/numbers.hpp"
#include "tests/support/refusal.hpp"

namespace tutti {
namespace {

struct Params {
  Array w, b;
};

const Machine& machine() {
  static const Machine opened = open_local(Mesh({{"data", 2}, {"model", 2}}), {.workers = 2});
  return opened;
}
Array rows(const Shape& shape, int kind) {
  Tensor tensor(shape, DType::f32);
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    tensor.mutable_data<float>()[i] = static_cast<float>((i * 7 + kind) % 23);
  return tensor;
}
std::string last_copies(const std::string& explained) {
  std::size_t at = explained.find("by the last one ");
  return at == explained.npos ? "no call" : explained.substr(at, explained.find('\n', at) - at);
}

const Specs by_model{P("model"), P()};
auto sharded(const Machine& on) {
  auto body = [](const Params& p, const Array& x) { return psum(matmul(x, p.w), "model") + p.b; };
  return shard_map(body, {.mesh = on.mesh(), .in = {by_model, P("data", "model")}, .out = P("data")});
}

TEST(place, lets_calls_copy_nothing) {
  Params params{rows({4, 3}, 1), rows({3}, 2)};
  Array x = rows({6, 4}, 3);
  auto program = machine().compile(sharded(machine()), params, x);
  Params placed = machine().place(params, by_model);
  Array placed_x = machine().place(x, P("data", "model"));
  Tensor found =
      program(placed, placed_x).tensor();  // first: arrays that were copied before are not copied again
  EXPECT_EQ(last_copies(program.explain()), "by the last one nothing");
  EXPECT_EQ(program(params, x).tensor(), found);
  EXPECT_EQ(last_copies(program.explain()), "by the last one 144 B");  // b lies as it is taken: whole
  EXPECT_NE(program.explain().find("\n  argument 0.0 as P(model), argument 1 as P(data, model); "),
            std::string::npos);
}

TEST(place, takes_a_mesh_of_other_devices) {
  const Array x = rows({6, 4}, 3);
  const Mesh last_two({{"stage", 2}}, {.devices = {3, 2}});
  const Array placed = machine().place(x, last_two, P("stage"));
  EXPECT_EQ(placed.data()->sharding()->mesh.device_id(0), 3);
  EXPECT_EQ(placed.data()->shard(1).shape(), (Shape{3, 4}));
  EXPECT_EQ(placed.tensor(), x.tensor());
  EXPECT_EQ(machine().place(placed, last_two, P("stage")).data(), placed.data());
  const Array back = machine().place(placed, P("data", "model"));
  EXPECT_EQ(back.data()->sharding()->mesh, machine().mesh());
  EXPECT_EQ(back.tensor(), x.tensor());
}

TEST(place, of_another_order_of_devices_is_another_placement) {
  const Array x = rows({5}, 3);
  const Mesh reversed({{"data", 2}, {"model", 2}}, {.devices = {3, 2, 1, 0}});
  const Array placed = machine().place(x, reversed, P(SpecEntry{"data", "model"}));
  EXPECT_NE(placed.data()->sharding(), machine().place(x, P(SpecEntry{"data", "model"})).data()->sharding());
  EXPECT_EQ(placed.tensor(), x.tensor());
}

TEST(place, on_other_devices_is_moved_as_a_program_takes_it) {
  Params params{rows({4, 3}, 1), rows({3}, 2)};
  const Array x = rows({6, 4}, 3);
  auto program = machine().compile(sharded(machine()), params, x);
  const Tensor expected = program(params, x).tensor();
  const Mesh last_two({{"stage", 2}}, {.devices = {3, 2}}), one({{"data", 1}}, {.devices = {1}}),
      reversed({{"data", 2}, {"model", 2}}, {.devices = {3, 2, 1, 0}});
  for (const auto& [mesh, spec] : {std::pair(last_two, P(none, "stage")),
                                   {one, P("data")},
                                   {reversed, P("data", "model")},
                                   {last_two, P("stage")}}) {
    EXPECT_EQ(program(params, machine().place(x, mesh, spec)).tensor(), expected);
    EXPECT_EQ(last_copies(program.explain()), "by the last one 96 B");
    const auto compiled_for_it =
        machine().compile(sharded(machine()), params, machine().place(x, mesh, spec));
    EXPECT_EQ(compiled_for_it(params, machine().place(x, mesh, spec)).tensor(), expected);
  }
}

TEST(place, refuses_a_device_that_the_machine_does_not_have) {
  expect_refused(
      [] {
        machine().place(rows({4}, 1), Mesh({{"stage", 2}}, {.devices = {3, 4}}), P("stage"));  // refused
      },
      "R004 {file}:{line}: place: the mesh stage=2 on devices 3,4 names device 4, the machine has 4 devices "
      "(data=2,model=2); use those, or open a larger machine");
}

TEST(place, is_advised_for_data_that_a_function_closes_over) {
  Array x = rows({4}, 1);
  auto twice = shard_map([](Array part) { return part + part; },
                         {.mesh = machine().mesh(), .in = P("data"), .out = P("data")});
  auto program = machine().compile([&] { return twice(x); });
  program();
  EXPECT_NE(program.explain().find("\n  data that the function closes over as P(data); Machine::place"),
            std::string::npos)
      << program.explain();
}

TEST(place, keeps_values_whatever_the_spec) {
  Array x = rows({4, 4}, 1);
  for (const P& spec : {P(), P("data"), P(none, "model"), P(SpecEntry{"model", "data"}), P("model", "data"),
                        P("data").unreduced({"model"})}) {
    Array placed = machine().place(x, spec);
    EXPECT_EQ(placed.tensor(), x.tensor());
    EXPECT_EQ(machine().place(placed, P(none, "data")).tensor(), x.tensor());
  }
}

TEST(place, hands_back_what_lies_so_already) {
  Array placed = machine().place(rows({4}, 1), P("data"));
  EXPECT_EQ(machine().place(placed, P("data")).data(), placed.data());
  EXPECT_NE(machine().place(placed, P("model")).data(), placed.data());
}

TEST(place, takes_one_spec_for_a_whole_tree_and_tensors) {
  std::vector<Array> placed = machine().place(std::vector<Array>{rows({2}, 1), rows({4}, 2)}, P("data"));
  EXPECT_EQ(to_string(*placed[1].data()->sharding()), "P(data)");
  EXPECT_EQ(machine().place(Tensor::scalar(2.5F), P()).item(), 2.5);
}

TEST(place, makes_arrays_that_can_be_given_away) {
  auto more = machine().compile(shard_map([](Array x) { return x + 1; },
                                          {.mesh = machine().mesh(), .in = P("data"), .out = P("data")}),
                                abstract({4}, DType::f32));
  Array x = machine().place(rows({4}, 1), P("data"));
  const std::byte* memory = x.data()->buffer().base.get();
  EXPECT_EQ(more(std::move(x)).data()->buffer().base.get(), memory);
}

TEST(place, takes_dims_that_do_not_divide) {
  const Array x = machine().place(rows({5}, 1), P("data"));
  EXPECT_EQ(x.values<float>(), rows({5}, 1).values<float>());
  EXPECT_EQ(x.data()->shard(0).elements(), 3);
  EXPECT_EQ(x.data()->shard(machine().mesh().devices() - 1).elements(), 2);
}

TEST(place, refuses_specs_that_do_not_fit) {
  Params params{rows({4, 3}, 1), rows({3}, 2)};
  expect_refused(
      [&] {
        machine().place(rows({4}, 1), P("data", "model"));  // refused
      },
      "T013 {file}:{line}: place: array: the spec names 2 dims, but f32[4] has 1; drop the last 1");
  expect_refused(
      [&] {
        machine().place(params, {P(), P(), P()});  // refused
      },
      "T012 {file}:{line}: place: specs has 3 specs for a tree of 2 parts; give one spec for all "
      "of "
      "it, or one for each part");
  expect_refused(
      [&] {
        machine().place(params, {{P(), P()}, P()});  // refused
      },
      "T012 {file}:{line}: place: specs.0 has 2 specs for one array; give one spec for all of it, or one for "
      "each part");
  expect_refused(
      [&] {
        machine().place(rows({4}, 1), P("rows"));  // refused
      },
      "T001 {file}:{line}: place: array: the spec names axis 'rows', but the mesh is data=2,model=2; use one "
      "of "
      "its axes");
}

TEST(place, refuses_what_has_no_values) {
  expect_refused(
      [] {
        machine().place(Array(), P());  // refused
      },
      "T011 {file}:{line}: place: array: this array is empty; give it a value before it is used");
  expect_refused(
      traced([](Array x) {
        return machine().place(x, P());  // refused
      }),
      "T011 {file}:{line}: place: array: its values are not known while its program is traced; place it "
      "before, outside of the function");
}

}  // namespace
}  // namespace tutti
