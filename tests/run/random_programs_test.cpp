// SPDX-License-Identifier: Apache-2.0
// Programs put together by chance: values are used early and late, reduced, gathered, split, turned, in any
// order. Every plan must compute what the kernels' definition says, so buffers in place and regions with
// folds are met in all shapes.
#include <gtest/gtest.h>

#include <random>

#include "tests/run/harness.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/all_to_all.hpp"
#include "tutti/ops/collectives/own_block.hpp"
#include "tutti/ops/collectives/permute.hpp"
#include "tutti/ops/collectives/reduce_scatter.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reverse.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

constexpr std::int64_t rows = 4, columns = 8;

class RandomProgram {
 public:
  RandomProgram(const Mesh& mesh, unsigned seed) : mesh_(mesh), random_(seed) {}

  Program make(int ops) {
    const Axes& axes = mesh_.axes();
    std::vector<TestInput> inputs{{DType::f32, {rows * axes[0].size, columns}, {{axes[0]}}},
                                  {DType::f32, {rows, columns}, {}},
                                  {DType::f32, {rows * mesh_.devices(), columns}, {axes}}};
    Program program = test_program(mesh_, inputs, [&](const Arrays& x) { return body(x, ops); }, out_);
    return program;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  Array any() {
    return values_[values_.size() - 1 -
                   static_cast<std::size_t>(below(std::min<int>(static_cast<int>(values_.size()), 9)))];
  }
  /// Whole numbers that stay small, so that sums are exact in any order.
  static Array bounded(const Array& x) { return maximum(minimum(x, 9.0), -9.0); }
  Axes varying_axes(const Array& x) const {
    Axes axes;
    for (const Axis& axis : mesh_.axes())
      if (x.type().at(axis) == State::varying) axes.push_back(axis);
    return axes;
  }

  Arrays body(const Arrays& x, int ops) {
    values_ = x;
    for (int i = 0; i < ops; ++i) values_.push_back(bounded(next()));
    Arrays results;
    for (int i = 0; i < 4; ++i) {
      Array y = any();
      results.push_back(y);
      out_.push_back({varying_axes(y)});
    }
    return results;
  }

  /// Every value is rows x columns.
  Array next() {
    Array x = any(), y = any();
    Axes axes = varying_axes(x);
    switch (below(18)) {
      case 0: return x + y;
      case 1: return x - y;
      case 2: return maximum(x, y) - 1.0;
      case 3: return select(x > y, x, -y);
      case 4: return x - broadcast_in_dim(reduce_max(y, 1), x.shape(), {0});
      case 5: return x + broadcast_in_dim(reduce_sum(y, 0), x.shape(), {1});
      case 6:
        return axes.empty() ? x * 2.0
                            : psum(x, axes[static_cast<std::size_t>(below(static_cast<int>(axes.size())))]);
      case 7: return axes.empty() ? -x : x - psum(x, axes);
      case 8:
        return transpose(matmul(x, transpose(y))).dim(0) == rows ? matmul(matmul(x, transpose(y)), x) : x;
      case 9:
        return axes.empty()
                   ? x
                   : own_block(all_gather(x, {axes[0]}, Dim{1}, Stacking::tiled, State::invariant) * 2.0,
                               {axes[0]}, Dim{1}, Stacking::tiled);
      case 10: return x + broadcast_in_dim(reduce_min(y), x.shape(), {});
      case 11: return rev(x, below(2)) - y;
      case 12: return concatenate({slice_in_dim(x, 1, {}), slice_in_dim(y, 0, 1)});  // the next row
      case 13: return slice_in_dim(concatenate({x, rev(y, 1)}, 1), 1, {}, 2, 1);
      case 14: return axes.empty() ? y : ppermute(x, axes[0], {{1, 0}, {0, axes[0].size - 1}});
      case 15: return axes.empty() ? x : all_to_all(x, axes[0], {.split = 1, .concat = 1, .tiled = true});
      case 16: return axes.empty() ? -y : psum(x, axes, {.groups = first_alone(joint_size(axes))});
      default:
        return axes.empty() ? x + 1.0
                            : all_gather(psum_scatter(x, axes[0], {.dim = 1, .tiled = true}), {axes[0]},
                                         Dim{1}, Stacking::tiled, State::invariant);
    }
  }

  static Groups first_alone(int n) {
    Groups groups{{0}, {}};
    for (int i = 1; i < n; ++i) groups[1].push_back(i);
    return groups;
  }

  Mesh mesh_;
  std::mt19937 random_;
  Arrays values_;
  std::vector<std::vector<Axes>> out_;
};

class RandomPrograms : public testing::TestWithParam<unsigned> {};

TEST_P(RandomPrograms, compute_the_same_by_all_plans) {
  for (const Mesh& mesh : {Mesh({{"a", 2}, {"b", 2}}), Mesh({{"a", 4}})}) {
    SCOPED_TRACE("seed " + std::to_string(GetParam()) + " on " + to_string(mesh));
    expect_all_plans_compute(RandomProgram(mesh, GetParam()).make(6 + static_cast<int>(GetParam() % 5) * 8),
                             mesh);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(seeds, RandomPrograms, testing::Range(0U, 40U));

}  // namespace
}  // namespace tutti
