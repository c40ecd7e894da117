// SPDX-License-Identifier: Apache-2.0
// Copies of arguments that lie otherwise than the program takes them: made once for an array, and anew
// whenever another one, or what has been written over it, is handed in. explain() counts them.
#include "tutti/run/staging.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "tests/run/harness.hpp"
#include "tests/support/elsewhere.hpp"
#include "tutti/base/error.hpp"
#include "tutti/ops/binary.hpp"

namespace tutti {
namespace {

using Value = std::shared_ptr<const GlobalArray>;

const Mesh mesh({{"a", 2}, {"b", 2}});
const Shape shape{8, 4};
constexpr std::int64_t bytes = 8 * 4 * 4;

Tensor data(int seed) { return test_data(DType::f32, shape, seed); }
Value on_host(int seed) { return std::make_shared<const GlobalArray>(data(seed)); }
Sharding rows() { return {mesh, {mesh.axes(), {}}, {}, {}}; }
Sharding columns() { return {mesh, {{}, mesh.axes()}, {}, {}}; }
Value placed(int seed, const Sharding& sharding) {
  return std::make_shared<const GlobalArray>(GlobalArray::distributed(data(seed), sharding));
}

/// The sum of `arguments` arrays, each split over all devices along `dim`. One array: x + 1.
class Sums {
 public:
  explicit Sums(std::size_t arguments = 1, std::size_t dim = 0, int workers = 1)
      : team_(workers, Team::Use::always), executable_(program(arguments, dim), mesh, team_) {}

  Tensor operator()(GlobalArrays inputs) { return run(std::move(inputs))->whole(); }
  Value run(GlobalArrays inputs) { return executable_.run(std::move(inputs))[0]; }
  /// The line of explain() about copies.
  std::string copied() const {
    std::string text = executable_.explain();
    std::size_t at = text.find("copied into place: ");
    return at == text.npos ? "" : text.substr(at);
  }

 private:
  static Program program(std::size_t arguments, std::size_t dim) {
    std::vector<Axes> split(dim + 1);
    split[dim] = mesh.axes();
    auto sum = [](const Arrays& x) {
      Array all = x[0] + 1.0;
      for (std::size_t i = 1; i < x.size(); ++i) all = all + x[i];
      return Arrays{all};
    };
    return test_program(mesh, std::vector<TestInput>(arguments, {DType::f32, shape, split}), sum, {split});
  }

  Team team_;
  Executable executable_;
};

Tensor plus_one(const Tensor& x) {
  Tensor y = x;
  for (std::int64_t i = 0; i < y.elements(); ++i) y.mutable_data<float>()[i] += 1;
  return y;
}

TEST(staging, copies_an_array_on_the_host_at_the_first_of_several_calls) {
  Sums sums;
  EXPECT_EQ(sums.copied(), "");
  Value x = on_host(0);
  EXPECT_EQ(sums({x}), plus_one(data(0)));
  EXPECT_EQ(sums.copied(),
            "copied into place: 128 B by 1 call, by the last one 128 B\n"
            "  argument 0 as P((a, b)); Machine::place copies an array once for all programs\n");
  for (int call = 0; call < 3; ++call) EXPECT_EQ(sums({x}), plus_one(data(0)));
  EXPECT_EQ(sums.copied(), "copied into place: 128 B by 4 calls, by the last one nothing\n");
}

TEST(staging, copies_nothing_that_lies_as_it_is_taken) {
  Sums sums;
  for (int seed : {0, 1}) EXPECT_EQ(sums({placed(seed, rows())}), plus_one(data(seed)));
  EXPECT_EQ(sums.copied(), "copied into place: 0 B by 2 calls, by the last one nothing\n");
}

TEST(staging, copies_an_array_that_lies_otherwise_on_the_mesh_once) {
  Sums sums;
  Value x = placed(0, columns());
  for (int call = 0; call < 2; ++call) EXPECT_EQ(sums({x}), plus_one(data(0)));
  EXPECT_EQ(sums.copied(), "copied into place: 128 B by 2 calls, by the last one nothing\n");
}

TEST(staging, copies_another_array_of_the_same_elements) {
  Sums sums;
  for (int call = 0; call < 2; ++call) sums({on_host(0)});
  EXPECT_EQ(sums.copied().find("copied into place: 256 B by 2 calls, by the last one 128 B\n"), 0U);
}

TEST(staging, copies_again_after_another_array_was_there) {
  Sums sums;
  Value x = on_host(0), y = on_host(1), lies_well = placed(2, rows());
  for (const auto& [array, seed] : {std::pair{x, 0}, {y, 1}, {x, 0}, {lies_well, 2}, {x, 0}, {x, 0}})
    EXPECT_EQ(sums({array}), plus_one(data(seed)));
  EXPECT_EQ(sums.copied(), "copied into place: 512 B by 6 calls, by the last one nothing\n");
}

// The allocator gives out the address of the array that is gone.
TEST(staging, knows_a_new_array_at_the_address_of_an_old_one) {
  Sums sums;
  for (int seed = 0; seed < 20; ++seed) {
    auto storage = std::make_shared<std::optional<GlobalArray>>(data(seed));
    EXPECT_EQ(sums({Value(storage, &**storage)}), plus_one(data(seed)));
  }
  std::optional<GlobalArray> room;
  for (int seed = 0; seed < 3; ++seed) {
    room.emplace(data(seed));
    EXPECT_EQ(sums({Value(std::make_shared<int>(), &*room)}), plus_one(data(seed)));
  }
}

TEST(staging, tells_two_arrays_of_one_owner_apart) {
  Sums sums;
  auto both = std::make_shared<const std::pair<GlobalArray, GlobalArray>>(GlobalArray(data(0)), data(1));
  EXPECT_EQ(sums({Value(both, &both->first)}), plus_one(data(0)));
  EXPECT_EQ(sums({Value(both, &both->second)}), plus_one(data(1)));
}

TEST(staging, has_a_copy_for_each_argument_that_shares_an_array) {
  Sums sums(3);
  Value x = on_host(0), y = on_host(1);
  for (int call = 0; call < 2; ++call) {
    Tensor found = sums({x, y, x});
    for (std::int64_t i = 0; i < found.elements(); ++i)
      ASSERT_EQ(found.at(i), 2 * data(0).at(i) + data(1).at(i) + 1);
  }
  EXPECT_EQ(sums.copied(), "copied into place: 384 B by 2 calls, by the last one nothing\n");
  sums({y, x, x});
  EXPECT_EQ(sums.copied(),
            "copied into place: 640 B by 3 calls, by the last one 256 B\n  argument 0 as P((a, b)), "
            "argument 1 as P((a, b)); Machine::place copies an array once for all programs\n");
}

// A program's results come in the same arrays again and again, each time with other elements.
TEST(staging, copies_a_result_that_was_written_over_since) {
  Sums by_columns(1, 1), by_rows;
  Value kept =
      by_columns.run({placed(9, columns())});  // one of its two buffers, so that the other comes every time
  for (int seed = 0; seed < 6; ++seed) {
    Value x = by_columns.run({placed(seed, columns())});
    EXPECT_EQ(by_rows({x}), plus_one(plus_one(data(seed)))) << seed;
    EXPECT_EQ(by_rows({x}), plus_one(plus_one(data(seed)))) << seed;
  }
  EXPECT_EQ(by_rows.copied().find("copied into place: 768 B by 12 calls, by the last one nothing\n"), 0U);
}

TEST(staging, copies_an_array_that_was_given_away_and_came_back_as_a_result) {
  Sums by_columns(1, 1), by_rows;
  Value x = placed(0, columns());
  const GlobalArray* address = x.get();
  Tensor expected = data(0);
  for (int call = 0; call < 3; ++call) {
    EXPECT_EQ(by_rows({x}), plus_one(expected));
    GlobalArrays given;
    given.push_back(std::move(x));
    x = by_columns.run(std::move(given));
    expected = plus_one(expected);
    EXPECT_EQ(x.get(), address) << "the result lies over the argument, or this tests nothing";
    EXPECT_EQ(x->whole(), expected);
  }
  EXPECT_EQ(by_rows({x}), plus_one(expected));
}

TEST(staging, is_not_given_away_with_the_argument_that_it_is_a_copy_of) {
  Sums sums;
  Value x = on_host(0);
  for (int call = 0; call < 3; ++call) {
    Value again = x;
    GlobalArrays given;
    given.push_back(std::move(again));
    Value y = sums.run(std::move(given));
    given.clear();
    given.push_back(std::move(y));
    EXPECT_EQ(sums.run(std::move(given))->whole(), plus_one(plus_one(data(0))));
  }
  EXPECT_EQ(sums({x}), plus_one(data(0)));
}

TEST(staging, keeps_no_array_alive) {
  Sums sums;
  Value x = on_host(0);
  std::weak_ptr<const GlobalArray> seen = x;
  sums({x});
  x.reset();
  EXPECT_TRUE(seen.expired());
  EXPECT_EQ(sums({on_host(1)}), plus_one(data(1)));
}

TEST(staging, is_made_anew_after_a_copy_that_failed) {
  Staging staging;
  Value x = on_host(0);
  staging.copy(x, {rows(), bytes, bytes / 4, {}});
  EXPECT_TRUE(staging.is_of(x));
  Value of_another_rank = std::make_shared<const GlobalArray>(Tensor({7}, DType::f32));
  EXPECT_THROW(staging.copy(of_another_rank, {rows(), bytes, bytes / 4, {}}), Error);
  EXPECT_FALSE(staging.is_of(x));
  EXPECT_FALSE(staging.is_of(of_another_rank));
}

TEST(staging, serves_several_threads_with_arrays_of_their_own) {
  Sums sums(1, 0, 2);
  auto calls = [&](int seed) {
    Value x = on_host(seed);
    Tensor expected = plus_one(data(seed));
    for (int call = 0; call < 50; ++call) {
      EXPECT_EQ(sums({x}), expected);
      if (call % 3 == 0) std::this_thread::yield();
    }
  };
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 3; ++seed) threads.emplace_back(calls, seed);
  for (std::thread& thread : threads) thread.join();
}

TEST(staging, copies_arrays_of_other_machines) {
  Sums sums;
  Tensors parts;
  const Value here = placed(1, rows());
  for (int device = 0; device < mesh.devices(); ++device) parts.push_back(here->shard(device));
  const auto there =
      std::make_shared<const GlobalArray>(here->type(), rows(), std::make_shared<const Elsewhere>(parts));
  const Tensor want = sums({here});
  EXPECT_EQ(sums({there}), want);
  EXPECT_NE(sums.copied().find("argument 0 as P((a, b)) from another machine"), std::string::npos)
      << sums.copied();
}

}  // namespace
}  // namespace tutti
