// SPDX-License-Identifier: Apache-2.0
// Compares generated programs and their gradients with a peer, such as XLA, on the same number of devices.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/soundness/generated_drafts.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/tensor/tensor.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti::generated {

/// A peer's results of a program, or the reason why there are none.
struct Answer {
  std::string failure;
  std::vector<Tensors> results;  // [result][device]
};
using Peer =
    std::function<Answer(const Program& program, const Mesh& mesh, const std::vector<Tensors>& inputs)>;

/// Fails if the peer's numbers differ from the runtime's. `seed` is that of the first ten programs.
void expect_same_numbers(const Trials& trials, std::uint64_t seed, const Peer& peer);

}  // namespace tutti::generated
