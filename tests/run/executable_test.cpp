// SPDX-License-Identifier: Apache-2.0
// Every way an op can say that it computes, on every kind of mesh, against the definition of the kernels.
#include "tutti/run/executable.hpp"

#include <gtest/gtest.h>

#include "tests/run/harness.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/all_to_all.hpp"
#include "tutti/ops/collectives/axis_index.hpp"
#include "tutti/ops/collectives/broadcast.hpp"
#include "tutti/ops/collectives/mask.hpp"
#include "tutti/ops/collectives/own_block.hpp"
#include "tutti/ops/collectives/permute.hpp"
#include "tutti/ops/collectives/reduce_scatter.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

class OnMesh : public testing::TestWithParam<std::vector<std::pair<std::string, int>>> {
 protected:
  Mesh mesh() const { return Mesh(GetParam()); }
  const Axes& axes() const { return meshed_.axes(); }
  Axes first() const { return axes().empty() ? Axes{} : Axes{axes()[0]}; }
  Axes last() const { return axes().empty() ? Axes{} : Axes{axes().back()}; }
  int n() const { return meshed_.devices(); }

  void check(const std::vector<TestInput>& inputs, const std::function<Arrays(const Arrays&)>& body,
             const std::vector<std::vector<Axes>>& out) {
    expect_all_plans_compute(test_program(meshed_, inputs, body, out), meshed_);
  }

  Mesh meshed_ = Mesh(GetParam());
};

class OnMeshWithAxes : public OnMesh {};

TEST_P(OnMesh, adds_and_multiplies_values_of_different_states) {
  check({{DType::f32, {2 * n(), 3}, {axes()}}, {DType::f32, {2, 3}, {}}},
        [](const Arrays& x) { return Arrays{(x[0] + x[1]) * x[0] - x[1], x[1] * x[1]}; }, {{axes()}, {}});
}

TEST_P(OnMesh, broadcasts_rows_columns_and_scalars) {
  check({{DType::f32, {4 * n(), 40}, {axes()}}, {DType::f32, {40}, {}}, {DType::f32, {4 * n()}, {axes()}}},
        [](const Arrays& x) {
          Array column = broadcast_in_dim(x[2], x[0].shape(), {0});
          return Arrays{maximum(x[0] + x[1], 0.0) * column + 2.0, column - x[1]};
        },
        {{axes()}, {axes()}});
}

TEST_P(OnMesh, chooses_by_comparison_with_what_it_chooses) {
  check({{DType::f32, {4 * n(), 40}, {axes()}}, {DType::f32, {40}, {}}, {DType::f32, {4 * n()}, {axes()}}},
        [](const Arrays& x) {
          Array column = broadcast_in_dim(x[2], x[0].shape(), {0}), sum = x[0] + x[1];
          Array zero = zeros({}, DType::f32), two = full({}, 2.0, DType::f32), rows = reduce_sum(sum, 1);
          return Arrays{where(sum <= zero, zero, sum), where(sum > two, two, column),
                        where(column >= two, two, sum), where(x[1] <= zero, zero, sum),
                        where(rows < zero, zero, rows) + x[2]};
        },
        {{axes()}, {axes()}, {axes()}, {axes()}, {axes()}});
}

TEST_P(OnMesh, reduces_rows_columns_and_dims_between) {
  check({{DType::f32, {3 * n(), 5, 4}, {axes()}}},
        [](const Arrays& x) {
          return Arrays{reduce_sum(x[0], 2), reduce_max(x[0], {1, 2}), reduce_sum(x[0], 0),
                        reduce_sum(x[0], 1), reduce_min(x[0], {0, 2}), reshape(reduce_sum(x[0]), {1})};
        },
        {{axes()}, {axes()}, {axes()}, {axes()}, {axes()}, {axes()}});
}

TEST_P(OnMesh, folds_over_devices_inside_regions) {
  check({{DType::f32, {2 * n(), 3}, {axes()}}, {DType::f64, {2 * n()}, {axes()}}},
        [&](const Arrays& x) {
          if (axes().empty()) return Arrays{x[0] + 1.0, x[1]};
          Array sum = psum(x[0] * 2.0, axes()), part = pmax(x[1] + 1.0, first());
          return Arrays{x[0] - sum, psum(part - x[1], last()), sum};
        },
        {{axes()}, {axes().empty() ? Axes{} : without(axes(), axes().back())}, {}});
}

TEST_P(OnMesh, folds_again_what_a_fold_and_more_made) {
  check({{DType::f32, {3 * n()}, {axes()}}},
        [&](const Arrays& x) {
          Array y = x[0];
          for (int i = 0; i < 3; ++i) y = axes().empty() ? y + 1.0 : y - psum(y, first()) * 2.0 + x[0];
          return Arrays{y};
        },
        {{axes()}});
}

TEST_P(OnMeshWithAxes, gathers_along_every_dim) {
  check({{DType::i32, {2 * n(), 3}, {axes()}}},
        [&](const Arrays& x) {
          return Arrays{all_gather(x[0], axes(), {.dim = 0, .tiled = true, .to = invariant}),
                        all_gather(x[0], axes(), {.dim = 1, .tiled = true, .to = invariant}),
                        all_gather(x[0], axes(), {.dim = 1, .tiled = false, .to = invariant}),
                        all_gather(x[0] + 1, axes(), {.dim = 0, .tiled = true, .to = invariant}) * 3};
        },
        {});
}

TEST_P(OnMeshWithAxes, scatters_sums_and_takes_own_blocks) {
  check({{DType::f32, {n() * n(), 3}, {axes()}}, {DType::f32, {3, 2 * n()}, {}}},
        [&](const Arrays& x) {
          Array block = own_block(x[1], axes(), Dim{1}, Stacking::tiled);
          return Arrays{psum_scatter(x[0] * 2.0, axes(), {.dim = 0, .tiled = true}), block * block, block};
        },
        {{axes()}, {{}, axes()}, {{}, axes()}});
}

TEST_P(OnMeshWithAxes, permutes_and_exchanges_blocks) {
  Pairs around, some{{n() - 1, 0}};
  for (int i = 0; i < n(); ++i) around.emplace_back(i, (i + 1) % n());
  check({{DType::f32, {2 * n() * n(), 3}, {axes()}}},
        [&](const Arrays& x) {
          return Arrays{ppermute(x[0], axes(), around) + 1.0, ppermute(transpose(x[0]), axes(), some),
                        all_to_all(x[0] * 2.0, axes(), {.tiled = true}),
                        all_to_all(x[0], axes(), {.split = 0, .concat = 1, .tiled = true})};
        },
        {{axes()}, {axes()}, {axes()}, {axes()}});
}

TEST_P(OnMeshWithAxes, folds_gathers_and_exchanges_in_groups) {
  Groups backwards(1), one_alone;
  for (int i = n(); i-- > 0;) backwards[0].push_back(i);
  one_alone = {{0}};
  if (n() > 1) one_alone.emplace_back(backwards[0].begin(), backwards[0].end() - 1);
  check({{DType::f32, {2 * n() * n(), 3}, {axes()}}},
        [&](const Arrays& x) {
          Array turned = transpose(x[0]);
          return Arrays{psum(x[0] + 1.0, axes(), {.groups = one_alone}),
                        pmax(turned, axes(), {.groups = one_alone}),
                        all_gather(turned, axes(), {.dim = 1, .tiled = true, .groups = backwards}),
                        psum_scatter(turned, axes(), {.dim = 1, .tiled = true, .groups = backwards}),
                        all_to_all(x[0], axes(), {.concat = 1, .tiled = true, .groups = backwards})};
        },
        {{axes()}, {axes()}, {axes()}, {axes()}, {axes()}});
}

TEST_P(OnMeshWithAxes, masks_and_broadcasts_from_one_device) {
  check({{DType::f32, {2 * n(), 5}, {axes()}}, {DType::f32, {2, 5}}},
        [&](const Arrays& x) {
          Array kept = keep_on_one(transpose(x[1]) + 1.0, last(), {.at = 1});
          return Arrays{kept, broadcast(x[0], first(), 1) * 2.0};
        },
        {{{}, last()}, {without(axes(), axes()[0])}});
}

TEST_P(OnMesh, multiplies_matrices) {
  check({{DType::f32, {4 * n(), 6}, {axes()}},
         {DType::f32, {6, 5}, {}},
         {DType::f64, {3, 6}, {}},
         {DType::f64, {6, 2}, {}}},
        [&](const Arrays& x) {
          Array y = matmul(x[0], x[1]), z = matmul(transpose(x[0]), y) * 2.0;
          return Arrays{y, reshape(z, {1, 6, 5}), matmul(x[2], x[3])};
        },
        {{axes()}, {axes()}, {}});
}

TEST_P(OnMesh, transposes_reshapes_and_reads_literals) {
  check({{DType::f32, {2 * n(), 3, 4}, {axes()}}},
        [&](const Arrays& x) {
          Array turned = transpose(x[0], {2, 0, 1}), flat = reshape(turned, {4, 6});
          Array steps = iota(flat.shape(), DType::f32, 1);
          Array index =
              axes().empty() ? constant(Tensor::scalar(1.0F)) : convert(axis_index(axes()), DType::f32);
          return Arrays{flat + steps * index, turned + x[0].dim(0)};
        },
        {{{}, axes()}, {{}, axes()}});
}

TEST_P(OnMesh, compares_selects_converts_and_negates) {
  check({{DType::f32, {2 * n(), 9}, {axes()}}, {DType::i32, {9}, {}}},
        [&](const Arrays& x) {
          Array other = broadcast_to(convert(x[1], DType::f32), x[0].shape());
          Array more = x[0] > other;
          return Arrays{select(more, x[0], -other), convert(more, DType::i32),
                        abs(broadcast_to(x[1], x[0].shape())), exp(x[0] * 0.0)};
        },
        {{axes()}, {axes()}, {}, {axes()}});
}

TEST_P(OnMesh, runs_programs_without_elements_and_outputs_that_are_inputs) {
  check({{DType::f32, {0, 3}, {}}, {DType::f32, {2 * n(), 3}, {axes()}}},
        [&](const Arrays& x) {
          return Arrays{x[0] + 1.0, reduce_sum(x[0], 0), x[1], x[1], reduce_sum(x[0], 1)};
        },
        {{}, {}, {axes()}, {axes()}, {}});
}

TEST_P(OnMesh, splits_large_values_over_tiles) {
  check({{DType::f32, {8 * n(), 3000}, {axes()}}, {DType::f32, {3000}, {}}},
        [&](const Arrays& x) {
          Array y = (x[0] + x[1]) * 2.0;
          return Arrays{y - x[0], reduce_max(y, 1), reduce_max(x[1] * 3.0, 0)};
        },
        {{axes()}, {axes()}, {}});
}

using MeshAxes = std::vector<std::pair<std::string, int>>;
const auto meshes_with_axes =
    testing::Values(MeshAxes{{"a", 2}}, MeshAxes{{"a", 4}}, MeshAxes{{"a", 2}, {"b", 2}},
                    MeshAxes{{"a", 3}, {"b", 2}}, MeshAxes{{"a", 2}, {"b", 2}, {"c", 2}});
INSTANTIATE_TEST_SUITE_P(one_device, OnMesh, testing::Values(MeshAxes{}));
INSTANTIATE_TEST_SUITE_P(meshes, OnMesh, meshes_with_axes);
INSTANTIATE_TEST_SUITE_P(meshes, OnMeshWithAxes, meshes_with_axes);

}  // namespace
}  // namespace tutti
