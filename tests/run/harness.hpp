// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tutti/run/executable.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// An input of a test program: elements small whole numbers, different everywhere.
struct TestInput {
  DType dtype;
  Shape shape;                  // of the whole
  std::vector<Axes> dims = {};  // axes per dim; may be shorter than the rank
  Axes unreduced = {}, reduced = {};
};

/// Plans that tests look at do not depend on the machine's caches.
inline constexpr Caches test_caches{.own_bytes = 2 << 20, .last_bytes = 32 << 20};

/// Records what one device does with its parts, between Enter and Leave. Axis names of `mesh` are bound. A
/// result leaves over the axes that `out` gives it per dim (shorter lists: none), which must fit its states.
Program test_program(const Mesh& mesh, const std::vector<TestInput>& inputs,
                     const std::function<Arrays(const Arrays&)>& body,
                     const std::vector<std::vector<Axes>>& out);
Sharding sharding_of(const Mesh& mesh, const TestInput& input);
/// Whole numbers from -8 to 8; bools.
Tensor test_data(DType dtype, const Shape& shape, int seed);
Tensors test_data(const Program& program);

/// The results: from the same arguments twice, then from some that are given away, which changes
/// nothing.
Tensors run_once(const Program& program, const Mesh& mesh, const Tensors& inputs, Team& team,
                 const CompileOptions& options);

/// Compares what all plans compute, under both storages, fused and not, on one and two workers, with the
/// definition of the kernels, bit for bit. Sums of `program` must be exact for its inputs.
void expect_all_plans_compute(const Program& program, const Mesh& mesh);
/// The same among the plans only.
void expect_all_plans_agree(const Program& program, const Mesh& mesh);

/// Records what a device does with a value of this type, which differs between all devices. Axis names of
/// `mesh` are bound.
Program traced_on(const Mesh& mesh, Type type, const std::function<Array(const Array&)>& body);

}  // namespace tutti
