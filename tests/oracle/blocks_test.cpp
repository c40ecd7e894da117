// SPDX-License-Identifier: Apache-2.0
// The blocks of all even shardings, against those of JAX's NamedSharding.
#include <gtest/gtest.h>

#include "tests/support/oracle.hpp"
#include "tests/support/shardings.hpp"
#include "tutti/types/block.hpp"

namespace tutti {
namespace {

class blocks : public OracleTest {};

// [sharding, dim, k]: the k-th axis of a dim, or -1.
Tensor splits_of(const std::vector<Sharding>& shardings, const Mesh& mesh, int rank) {
  const std::size_t k = mesh.axes().size();
  std::vector<std::int64_t> numbers(shardings.size() * static_cast<std::size_t>(rank) * k, -1);
  std::size_t at = 0;
  for (const Sharding& sharding : shardings)
    for (const Axes& dim : sharding.dims) {
      for (std::size_t i = 0; i < dim.size(); ++i) numbers[at + i] = dim[i].id - mesh.axes()[0].id;
      at += k;
    }
  return {Shape{std::ssize(shardings), rank, static_cast<std::int64_t>(k)}, numbers};
}

// [sharding, device, dim, begin and end].
Tensor blocks_of(const std::vector<Sharding>& shardings, const Mesh& mesh, const Shape& shape) {
  std::vector<std::int64_t> numbers;
  for (const Sharding& sharding : shardings)
    for (int device = 0; device < mesh.devices(); ++device) {
      const Box box = block(device, sharding, shape);
      for (std::size_t dim = 0; dim < box.begin.size(); ++dim)
        numbers.insert(numbers.end(), {box.begin[dim], box.end[dim]});
    }
  return {Shape{std::ssize(shardings), mesh.devices(), shape.rank(), 2}, numbers};
}

void expect_blocks_of_jax(const Mesh& mesh, const Shape& shape) {
  const std::vector<Sharding> shardings = all_shardings(mesh, shape.rank());
  std::vector<std::int64_t> sizes;
  for (const Axis& axis : mesh.axes()) sizes.push_back(axis.size);
  const Verdict jax =
      Oracle::shared().run_jax("blocks_of_shardings", {Tensor(Shape{std::ssize(sizes)}, sizes),
                                                       Tensor(Shape{shape.rank()}, shape.sizes()),
                                                       splits_of(shardings, mesh, shape.rank())});
  ASSERT_EQ(jax.failure, "");
  EXPECT_EQ(blocks_of(shardings, mesh, shape), jax.results.at(0).at(0)) << to_string(mesh);
}

TEST_F(blocks, of_all_even_shardings_are_those_of_jax) {
  for (const Mesh& mesh : {Mesh({{"x", 2}, {"y", 2}, {"z", 2}}), Mesh({{"x", 4}, {"y", 2}}),
                           Mesh({{"x", 2}, {"y", 3}}), Mesh({{"x", 6}})})
    for (const Shape& shape : {Shape{24}, Shape{24, 48}, Shape{24, 48, 72}})
      expect_blocks_of_jax(mesh, shape);
}

}  // namespace
}  // namespace tutti
