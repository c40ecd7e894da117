// SPDX-License-Identifier: Apache-2.0
// Arguments that are given away: whose memory the results have. That they are the same bits, whatever the
// program, is what run_once checks of every program in this folder.
#include <gtest/gtest.h>

#include <set>

#include "tests/run/harness.hpp"
#include "tests/run/opaque.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/reverse.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/transpose.hpp"

namespace tutti {
namespace {

using Value = std::shared_ptr<const GlobalArray>;

/// Braces would keep copies.
template <class... V>
GlobalArrays values(V&&... some) {
  GlobalArrays made;
  (made.push_back(std::forward<V>(some)), ...);
  return made;
}
const std::byte* memory_of(const Value& value) { return value->buffer().base.get(); }

class Donation : public testing::Test {
 protected:
  /// A program of three arrays [8, 3]. They and the results are split over all devices along dim 0.
  Program program(const std::function<Arrays(const Arrays&)>& body) const {
    TestInput split{DType::f32, {8, 3}, {mesh_.axes()}};
    return test_program(mesh_, {split, split, split}, body, {{mesh_.axes()}, {mesh_.axes()}});
  }
  static Tensor data(int seed) { return test_data(DType::f32, {8, 3}, seed); }
  Value placed(int seed, const Axes& axes) const {
    return std::make_shared<const GlobalArray>(
        GlobalArray::distributed(data(seed), {mesh_, {axes, {}}, {}, {}}));
  }
  Value placed(int seed) const { return placed(seed, mesh_.axes()); }

  Mesh mesh_ = Mesh({{"a", 2}, {"b", 2}});
  Team team_{2, Team::Use::always};
  Executable update_ =
      Executable(program([](const Arrays& x) { return Arrays{x[0] - x[1] * 2.0, x[2]}; }), mesh_, team_);
};

TEST_F(Donation, an_update_lies_over_the_argument) {
  Value x = placed(0);
  const std::byte* memory = memory_of(x);
  GlobalArrays results = update_.run(values(std::move(x), placed(1), placed(2)));
  EXPECT_EQ(memory_of(results[0]), memory);
  for (std::int64_t i : {0, 7, 23}) EXPECT_EQ(results[0]->whole().at(i), data(0).at(i) - 2 * data(1).at(i));
  EXPECT_TRUE(results[1]->whole() == data(2));
}

TEST_F(Donation, a_chain_of_updates_keeps_to_one_buffer) {
  Value x = update_.run(values(placed(0), placed(1), placed(2)))[0];
  const std::byte* memory = memory_of(x);
  for (int i = 0; i < 5; ++i) {
    x = update_.run(values(std::move(x), placed(1), placed(2)))[0];
    EXPECT_EQ(memory_of(x), memory);
  }
  EXPECT_EQ(x->whole().at(7), data(0).at(7) - 12 * data(1).at(7));
}

TEST_F(Donation, memory_with_another_owner_is_left_alone) {
  Value x = placed(0), of_ring = update_.run(values(placed(0), placed(1), placed(2)))[0];
  for (const Value& kept : {x, of_ring}) {
    Tensor before = kept->whole();
    Value given = kept;
    EXPECT_NE(memory_of(update_.run(values(std::move(given), placed(1), placed(2)))[0]), memory_of(kept));
    EXPECT_TRUE(kept->whole() == before);
  }
  std::shared_ptr<const std::byte> memory = x->buffer().base;  // without its array
  GlobalArrays results = update_.run(values(std::move(x), placed(1), placed(2)));
  EXPECT_NE(memory_of(results[0]), memory.get());
}

TEST_F(Donation, one_array_for_two_arguments_is_left_alone) {
  Value x = placed(0);
  const std::byte* memory = memory_of(x);
  Value again = x;
  GlobalArrays results = update_.run(values(std::move(x), std::move(again), placed(2)));
  EXPECT_NE(memory_of(results[0]), memory);
  EXPECT_EQ(results[0]->whole().at(7), -data(0).at(7));
}

TEST_F(Donation, an_array_on_the_host_may_have_its_elements_elsewhere_too) {
  Executable executable(test_program(Mesh(), {{DType::f32, {8, 3}}},
                                     [](const Arrays& x) { return Arrays{x[0] + 1.0}; }, {}),
                        Mesh(), team_);
  Tensor kept = data(0);
  EXPECT_EQ(executable.run(values(std::make_shared<const GlobalArray>(kept)))[0]->whole().at(7),
            data(0).at(7) + 1);
  EXPECT_TRUE(kept == data(0));
}

TEST_F(Donation, each_of_two_updates_takes_the_argument_that_nobody_reads_any_more) {
  // The second result reads what the first one is: x[0] cannot lie under it, x[1] can.
  Executable executable(program([](const Arrays& x) {
                          Array velocity = x[1] * 0.5 + x[2];
                          return Arrays{x[0] - velocity, velocity};
                        }),
                        mesh_, team_);
  Value x = placed(0), v = placed(1);
  const std::byte *of_x = memory_of(x), *of_v = memory_of(v);
  GlobalArrays results = executable.run(values(std::move(x), std::move(v), placed(2)));
  EXPECT_EQ(memory_of(results[0]), of_x);
  EXPECT_EQ(memory_of(results[1]), of_v);
}

TEST_F(Donation, an_argument_that_is_read_elsewhere_later_is_not_written_over) {
  Executable executable(program([&](const Arrays& x) {
                          return Arrays{x[0] + rev(x[0], {0}), x[1] - psum(x[1] * 2.0, mesh_.axes())};
                        }),
                        mesh_, team_);
  Value x = placed(0), y = placed(1);
  const std::byte *of_x = memory_of(x), *of_y = memory_of(y);
  GlobalArrays results = executable.run(values(std::move(x), std::move(y), placed(2)));
  EXPECT_NE(memory_of(results[0]), of_x);
  EXPECT_EQ(memory_of(results[1]), of_y);  // a tile is summed over all devices before it is written
}

TEST_F(Donation, an_argument_that_other_devices_read_is_not_written_over) {
  // All devices add the block of the first one. It lies as theirs do, so only its axes tell.
  Executable executable(program([&](const Arrays& x) {
                          Array first = index_in_dim(all_gather(x[0], mesh_.axes()), 0);
                          return Arrays{x[0] + first, x[1]};
                        }),
                        mesh_, team_);
  Value x = placed(0);
  const std::byte* memory = memory_of(x);
  GlobalArrays results = executable.run(values(std::move(x), placed(1), placed(2)));
  EXPECT_NE(memory_of(results[0]), memory);
  for (std::int64_t i : {0, 7, 23}) EXPECT_EQ(results[0]->whole().at(i), data(0).at(i) + data(0).at(i % 6));
}

TEST_F(Donation, an_argument_that_is_read_transposed_is_not_written_over) {
  TestInput squares{DType::f32, {8, 2}, {mesh_.axes()}};  // [2, 2] each
  Executable executable(test_program(mesh_, {squares},
                                     [](const Arrays& x) {
                                       return Arrays{x[0] - transpose(x[0], {1, 0}) * 2.0};
                                     },
                                     {{mesh_.axes()}}),
                        mesh_, team_);
  Tensor of_x = test_data(DType::f32, {8, 2}, 0);
  Value x = std::make_shared<const GlobalArray>(
      GlobalArray::distributed(of_x, {mesh_, {mesh_.axes(), {}}, {}, {}}));
  const std::byte* memory = memory_of(x);
  GlobalArrays results = executable.run(values(std::move(x)));
  EXPECT_NE(memory_of(results[0]), memory);
  for (std::int64_t i : {1, 2, 14}) {
    std::int64_t across = i / 4 * 4 + i % 2 * 2 + i / 2 % 2;
    EXPECT_EQ(results[0]->whole().at(i), of_x.at(i) - 2 * of_x.at(across));
  }
}

TEST_F(Donation, what_lies_otherwise_is_dropped_before_the_steps_run) {
  std::weak_ptr<const GlobalArray> given;
  bool there = true;
  Builder builder;
  auto bound = builder.bind(mesh_.axes());
  Array x = builder.input(Type(DType::f32, {8}));
  Opaque looking{[&](const kernel::Unit&) { there = !given.expired(); }};
  Executable executable(builder.finish(builder.add(looking, {x})), mesh_, team_);
  Value otherwise = std::make_shared<const GlobalArray>(
      GlobalArray::distributed(Tensor({8}, DType::f32), {mesh_, {mesh_.axes()}, {}, {}}));
  given = otherwise;
  executable.run(values(otherwise));
  EXPECT_TRUE(there);
  executable.run(values(std::move(otherwise)));
  EXPECT_FALSE(there);
}

}  // namespace
}  // namespace tutti
