// SPDX-License-Identifier: Apache-2.0
// Evaluates programs in the plainest way: the law's own machine.
#pragma once

#include <functional>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/tensor/tensor.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti {

/// One value on every device of a mesh, whatever its type.
using PerDevice = std::vector<Tensor>;

/// Sees every program that is run, sub-programs each time they are, with the value of every variable.
using Watch = std::function<void(const Program& program, const std::vector<PerDevice>& values)>;

/// Every equation on every device, one after the other, as its kernel describes it: a buffer per device and
/// variable, no fusion, no sharing, no workers. Returns the value of every variable of `program`.
/// Throws I001 where a kernel does not cover its result exactly once.
std::vector<PerDevice> evaluate_all(const Program& program, const Mesh& mesh,
                                    const std::vector<PerDevice>& inputs, const Watch& watch = {});

/// The program with borders of shard_map that have unreduced axes replaced by their moves: no kernel does
/// them.
Program without_unreduced_borders(const Program& program);

/// The outputs only. Borders with unreduced axes are replaced by their moves first.
std::vector<PerDevice> evaluate(const Program& program, const Mesh& mesh,
                                const std::vector<PerDevice>& inputs, const Watch& watch = {});

Types types_of(const Tensors& tensors);
/// The results of an op for whole arrays.
Tensors computed(const Op& op, const Tensors& operands);
/// The result of a function for whole arrays.
Tensor computed_by(const std::function<Array(const Arrays&)>& function, const Tensors& inputs);

/// The results of a program of whole arrays.
Tensors evaluate_whole(const Program& program, const Mesh& mesh, const Tensors& inputs);

}  // namespace tutti
