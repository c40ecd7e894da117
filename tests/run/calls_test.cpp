// SPDX-License-Identifier: Apache-2.0
// An executable as its caller sees it: how arrays lie, whose memory they are, what is refused.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "tests/run/harness.hpp"
#include "tests/run/opaque.hpp"
#include "tutti/base/error.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/ops/reduce.hpp"

namespace tutti {
namespace {

class Calls : public testing::Test {
 protected:
  Program add_one() const {
    return test_program(mesh_, {{DType::f32, {8, 3}, {mesh_.axes()}}},
                        [](const Arrays& x) { return Arrays{x[0] + 1.0}; }, {{mesh_.axes()}});
  }
  static std::shared_ptr<const GlobalArray> shared(GlobalArray array) {
    return std::make_shared<const GlobalArray>(std::move(array));
  }
  std::shared_ptr<const GlobalArray> whole(int seed = 0) const {
    return shared(GlobalArray(test_data(DType::f32, {8, 3}, seed)));
  }

  Mesh mesh_ = Mesh({{"a", 2}, {"b", 2}});
  Team team_{2, Team::Use::always};
};

TEST_F(Calls, takes_arrays_however_they_lie) {
  Executable executable(add_one(), mesh_, team_);
  Axis a = mesh_.axes()[0], b = mesh_.axes()[1];
  Tensor data = test_data(DType::f32, {8, 3}, 0);
  Tensor expected = executable.run(GlobalArrays{whole()})[0]->whole();
  EXPECT_EQ(expected.at(0), data.at(0) + 1);
  for (const Sharding& sharding :
       {Sharding{mesh_, {{a, b}, {}}, {}, {}}, Sharding{mesh_, {{b, a}, {}}, {}, {}},
        Sharding{mesh_, {{b}, {}}, {a}, {}}, Sharding{mesh_, {{}, {}}, {}, {a}}}) {
    GlobalArrays results = executable.run(GlobalArrays{shared(GlobalArray::distributed(data, sharding))});
    EXPECT_TRUE(results[0]->whole() == expected) << to_string(sharding);
  }
}

TEST_F(Calls, results_stay_as_they_lie_and_are_used_in_place) {
  Executable executable(add_one(), mesh_, team_);
  GlobalArrays values{whole()};
  for (int i = 0; i < 5; ++i) values = executable.run(values);
  EXPECT_EQ(values[0]->sharding(), (Sharding{mesh_, {mesh_.axes(), {}}, {}, {}}));
  EXPECT_EQ(values[0]->whole().at(5), whole()->whole().at(5) + 5);
}

TEST_F(Calls, memory_of_dropped_results_is_used_again_and_kept_ones_stay) {
  Executable executable(add_one(), mesh_, team_);
  std::set<const std::byte*> seen;
  for (int i = 0; i < 10; ++i) seen.insert(executable.run(GlobalArrays{whole(i)})[0]->buffer().base.get());
  EXPECT_LE(seen.size(), 2U);
  GlobalArrays kept;
  for (int i = 0; i < 6; ++i) kept.push_back(executable.run(GlobalArrays{whole(i)})[0]);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(kept[static_cast<std::size_t>(i)]->whole().at(7), whole(i)->whole().at(7) + 1) << i;
  std::shared_ptr<const std::byte> memory =
      executable.run(GlobalArrays{whole(1)})[0]->buffer().base;  // without its array
  float first = *reinterpret_cast<const float*>(memory.get());
  for (int i = 0; i < 4; ++i) executable.run(GlobalArrays{whole(i + 2)});
  EXPECT_EQ(*reinterpret_cast<const float*>(memory.get()), first);
}

TEST_F(Calls, results_outlive_their_executable) {
  GlobalArrays results;
  {
    Executable executable(add_one(), mesh_, team_);
    results = executable.run(GlobalArrays{whole()});
  }
  EXPECT_EQ(results[0]->whole().at(3), whole()->whole().at(3) + 1);
}

TEST_F(Calls, refuses_arguments_of_other_types) {
  Executable executable(add_one(), mesh_, team_);
  EXPECT_THROW(executable.run(GlobalArrays{}), Error);
  EXPECT_THROW(executable.run(GlobalArrays{nullptr}), Error);
  EXPECT_THROW(executable.run(GlobalArrays{shared(GlobalArray(test_data(DType::i32, {8, 3}, 0)))}), Error);
  EXPECT_THROW(executable.run(GlobalArrays{shared(GlobalArray(test_data(DType::f32, {8, 4}, 0)))}), Error);
  EXPECT_EQ(executable.run(GlobalArrays{whole()})[0]->whole().at(0), whole()->whole().at(0) + 1);
}

TEST_F(Calls, says_which_equation_needs_too_much_memory) {
  Program program =
      test_program(mesh_, {{DType::f32, {8}, {}}},
                   [](const Arrays& x) {
                     Array huge =
                         broadcast_in_dim(x[0], {std::int64_t{1} << 20, std::int64_t{1} << 24, 8}, {2});
                     return Arrays{reduce_sum(huge * 2.0, {0, 1})};
                   },
                   {});
  try {
    Executable executable(program, mesh_, team_, {.plan = {.fusion = Fusion::off}});
    FAIL() << "that much memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::memory);
    EXPECT_TRUE(error.where().known()) << error.what();
  }
}

TEST_F(Calls, refuses_axes_that_are_not_of_the_mesh) {
  Program program = add_one();
  EXPECT_THROW(Executable(program, Mesh({{"other", 4}}), team_), Error);
  Axis lane = fresh_axis("lane", 3);
  Program batched;
  batched.types = {Type(DType::f32, {2}).with(lane, State::varying)};
  batched.inputs = batched.outputs = {0};
  EXPECT_THROW(Executable(batched, mesh_, team_), Error);
}

TEST_F(Calls, computes_borders_that_lie_inside_a_program) {
  Axis a = mesh_.axes()[0], b = mesh_.axes()[1];
  Sharding by_a{mesh_, {{a}}, {}, {}}, by_b{mesh_, {{b}}, {}, {}}, terms{mesh_, {{}}, {b}, {}};
  Builder builder;
  Array x = builder.input(Type(DType::f32, {4}));
  Array first = leave(enter(x, by_a) + 1.0, by_a);
  Array second =
      leave(enter(first, by_b) * enter(x, by_b), by_b);  // x lies by a: put together, then split by b
  Array third = leave(enter(second, terms), terms);
  Program program = builder.finish({first, second, third, x});
  for (Storage storage : {Storage::by_type, Storage::per_device}) {
    Tensor data(Shape{4}, std::vector<float>{1, 2, 3, 4});
    Tensors found = run_once(program, mesh_, {data}, team_, {.plan = {.storage = storage}});
    EXPECT_TRUE(found[0] == Tensor(Shape{4}, std::vector<float>{2, 3, 4, 5}));
    EXPECT_TRUE(found[1] == Tensor(Shape{4}, std::vector<float>{2, 6, 12, 20}));
    EXPECT_TRUE(found[2] == found[1]);
    EXPECT_TRUE(found[3] == data);
  }
}

TEST_F(Calls, an_error_of_a_unit_names_its_equation_and_stops_the_run) {
  Builder builder;
  Array x = builder.input(Type(DType::f32, {1}));
  auto place = builder.on_behalf_of({"fire.cpp", 7, 0});
  Opaque burning{[](const kernel::Unit&) { throw Error(Code::device, {}, "it is on fire"); }};
  Program program = builder.finish(builder.add(burning, {x}));
  Executable executable(program, mesh_, team_);
  try {
    executable.run(GlobalArrays{shared(GlobalArray(Tensor({1}, DType::f32)))});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "fire.cpp:7: opaque: it is on fire");
  }
}

TEST_F(Calls, per_device_storage_finds_a_value_that_is_not_equal_as_typed) {
  int calls = 0;
  Opaque counting{[&](const kernel::Unit& unit) {
    *reinterpret_cast<float*>(unit.results[0]) = static_cast<float>(++calls);
  }};
  Builder builder;
  Array x = builder.input(Type(DType::f32, {1}));
  Program program = builder.finish(builder.add(counting, {x}));
  GlobalArrays arguments{shared(GlobalArray(Tensor({1}, DType::f32)))};
  EXPECT_NO_THROW(
      Executable(program, mesh_, team_, {.plan = {.choice = PlanChoice::one_worker}}).run(arguments));
  EXPECT_THROW(Executable(program, mesh_, team_,
                          {.plan = {.storage = Storage::per_device, .choice = PlanChoice::one_worker}})
                   .run(arguments),
               Error);
}

TEST_F(Calls, calls_from_several_threads_queue) {
  Executable executable(add_one(), mesh_, team_);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 3; ++t)
    callers.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i)
        wrong += executable.run(GlobalArrays{whole(t)})[0]->whole().at(4) != whole(t)->whole().at(4) + 1;
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tutti
