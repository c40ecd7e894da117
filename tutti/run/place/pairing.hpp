// SPDX-License-Identifier: Apache-2.0
// Which output of a program is written over which input: for donated arguments, and for the operands of a
// switch.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "tutti/run/place/reuse.hpp"

namespace tutti {

/// The inputs and outputs of a program. An output may take the memory of an input of its own kind.
struct Pairing {
  struct Input {
    std::size_t kind;
    std::optional<Reuse::Moment> last;  // access; none: nobody reads the input
  };
  struct Output {
    std::size_t kind;
    Reuse::Moment made;
    std::vector<std::size_t> near;  // inputs that its maker may write over in place
  };
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::function<bool(std::size_t input, std::size_t output)> may = {};
};

/// Per output: the input that it is written over, or none. An input is used at most once.
/// Outputs with few near inputs choose first, among these. The others take, in the order in which they are
/// made, the input that was free first. Each tries 64 inputs at most, so the time grows with the inputs and
/// outputs, not with their product.
std::vector<std::optional<std::size_t>> paired(const Pairing& pairing);

}  // namespace tutti
