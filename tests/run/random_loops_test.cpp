// SPDX-License-Identifier: Apache-2.0
// Loops put together by chance, around carries that their bodies update in some rows. GlobalArrays of before
// an update are read after it, carries are swapped, branches and loops inside update them, devices read each
// other's. Every plan must compute what the definition of the kernels says.
#include <gtest/gtest.h>

#include <random>

#include "tests/run/harness.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

constexpr std::int64_t size = 5;  // of rows and of columns

/// Small whole numbers again, whatever x is.
Array wrapped(const Array& x) { return maximum(minimum(x, 9.0), -9.0); }

/// One block of a program: a function of the carries. The same seed makes the same block.
class Block {
 public:
  Block(unsigned seed, const Axis& axis, const Array& number) : random_(seed), axis_(axis), number_(number) {}

  int depth = 0;
  bool may_communicate = true;

  Arrays updated(const Arrays& carries, const Arrays& others, int updates) {
    now_ = carries;
    seen_ = carries;
    seen_.insert(seen_.end(), others.begin(), others.end());
    for (int i = 0; i < updates; ++i) {
      std::size_t k = random_() % now_.size();
      Array next = updated(k);
      seen_.push_back(next);
      now_[k] = next;
      if (below(4) == 0) std::swap(now_[k], now_[random_() % now_.size()]);
    }
    return now_;
  }
  /// A carry of before, between or after the updates.
  const Array& any() { return seen_[random_() % seen_.size()]; }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  Array place() { return number_ + (below(size + 2) - 2); }
  Array row(const Array& x) { return dynamic_slice_in_dim(x, place(), 1); }

  Array updated(std::size_t k) {
    const Array now = now_[k];
    switch (below(may_communicate ? 15 : 12)) {
      case 0:
      case 1: return dynamic_update_slice_in_dim(now, wrapped(row(now) - row(any())), place());
      case 2: return dynamic_update_slice_in_dim(now, reshape(row(any()), {size, 1}), place(), 1);
      case 3: return wrapped(scatter_add(now, places(), row_twice(), of_rows));
      case 4: return scatter(now, places(), row_twice(), of_rows);
      case 5: return wrapped(now + any());
      case 6: return wrapped(now - rev(any(), below(2)));
      case 7: return dynamic_update_slice_in_dim(now, expand_dims(reduce_max(any(), 0), 0), place());
      case 8: return any();
      case 9:
      case 10: return depth < 2 ? branched(now) : -now;
      case 11: return depth < 2 ? looped(now) : transpose(now);
      case 12: return dynamic_update_slice_in_dim(now, wrapped(psum(row(any()), axis_)), place());
      case 13: return dynamic_update_slice_in_dim(now, row(from_neighbour(any())), place());
      default: return wrapped(now - from_neighbour(now));
    }
  }

  Array from_neighbour(const Array& x) {
    std::vector<std::pair<int, int>> pairs;
    for (int i = 0; i < axis_.size; ++i) pairs.push_back({i, (i + 1) % static_cast<int>(axis_.size)});
    return ppermute(x, axis_, pairs);
  }
  /// Two rows, which may be one, and a third, which may not be there.
  Array places() {
    Array first = expand_dims(place(), 0), second = expand_dims(place(), 0);
    return reshape(concatenate({first, second, second + 2}), {3, 1});
  }
  Array row_twice() {
    Array one = row(any());
    return concatenate({one, row(any()), one});
  }

  /// A block inside, on these carries; it may read what this one has.
  std::function<Arrays(const Arrays&)> inside(const Array& number, bool together) {
    return [=, this, seed = random_(), others = Arrays{any(), any()}](const Arrays& carries) {
      Block block(static_cast<unsigned>(seed), axis_, number);
      block.depth = depth + 1;
      block.may_communicate = may_communicate && together;
      return block.updated(carries, others, 2);
    };
  }

  Array branched(const Array& now) {
    bool together = below(2) == 0;
    Array taken = together ? number_ > below(4) : number_ > axis_index(axis_);
    auto block = inside(number_, together);
    auto yes = [&](const Array& a, const Array& b) { return block({a, b})[0]; };
    auto no = [way = below(3)](const Array& a, const Array& b) {
      return way == 0 ? a : way == 1 ? b : wrapped(a + b);
    };
    return cond(taken, yes, no, now, any());
  }

  Array looped(const Array& now) {
    using Two = std::pair<Array, Array>;
    bool together = below(2) == 0;
    unsigned seed = static_cast<unsigned>(random_());
    Arrays others{any(), any()};
    auto trip = [&](const Array& number, const Two& carries) {
      Block block(seed, axis_, number);
      block.depth = depth + 1;
      block.may_communicate = may_communicate && together;
      Arrays next = block.updated({carries.first, carries.second}, others, 2);
      return Two{next[0], next[1]};
    };
    Two start{now, any()};
    if (below(3) == 0) return fori_loop(0, below(4), trip, start).first;
    // The test reads a carry; a trip more for some devices if they do not go together.
    using Carries = std::pair<Array, Two>;
    Array most = together ? number_ * 0 + 2 : axis_index(axis_) + number_ * 0;
    auto goes_on = [&](const Carries& c) {
      return together ? c.first < most : (c.first < most) & (reduce_sum(c.second.second) < 30);
    };
    auto next = [&](const Carries& c) { return Carries{c.first + 1, trip(c.first, c.second)}; };
    return while_loop(goes_on, next, Carries{zeros({}, DType::i32), start}).second.first;
  }

  inline static const GatherDims of_rows{.offset_dims = {Dim{1}},
                                         .collapsed_slice_dims = {Dim{0}},
                                         .start_index_map = {Dim{0}},
                                         .index_vector_dim = Dim{1}};

  std::mt19937 random_;
  Axis axis_;
  Array number_;  // of the trip
  Arrays now_, seen_;
};

/// A scan over two or three carries: they, and a y.
Program random_loop(const Mesh& mesh, unsigned seed) {
  const Axes& axes = mesh.axes();
  TestInput split{DType::f32, {size * mesh.devices(), size}, {axes}};
  auto body = [&](const Arrays& x) {
    Arrays start = x;
    if (seed % 3 == 0) start.pop_back();
    if (seed % 5 == 0) start[1] = start[0];
    if (seed % 7 == 0) start[0] = x[2] - 1.0;
    auto trip = [&](const Arrays& carries, const Array& number) {
      Block block(seed, axes[0], number);
      Arrays next = block.updated(carries, {x[0]}, 2 + static_cast<int>(seed % 4));
      return std::pair{next, seed % 4 == 0 ? reduce_sum(next[0], 0) : reduce_sum(block.any(), 0)};
    };
    auto [last, ys] = scan(trip, start, arange(static_cast<std::int64_t>(seed % 5), DType::i32),
                           {.reverse = seed % 2 == 1});
    last.push_back(wrapped(reduce_sum(ys, 0)) + x[0]);
    return last;
  };
  return test_program(mesh, {split, split, split}, body, {{axes}, {axes}, {axes}, {axes}});
}

class RandomLoops : public testing::TestWithParam<unsigned> {};

TEST_P(RandomLoops, compute_the_same_by_all_plans) {
  for (const Mesh& mesh : {Mesh({{"a", 2}, {"b", 2}}), Mesh({{"a", 3}}), Mesh({{"a", 1}})}) {
    SCOPED_TRACE("seed " + std::to_string(GetParam()) + " on " + to_string(mesh));
    expect_all_plans_compute(random_loop(mesh, GetParam()), mesh);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(seeds, RandomLoops, testing::Range(0U, 60U));

}  // namespace
}  // namespace tutti
