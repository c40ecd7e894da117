// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "tutti/base/inside.hpp"
#include "tutti/types/counted_dim.hpp"

#include "tutti/base/require.hpp"

namespace tutti {

Dim counted_dim(int index, int rank, const std::function<std::string()>& whose) {
  if (index < -rank || index >= rank)
    fail(Code::dim, "dim {} is out of range for {}, which has {}", index, whose,
         rank == 0 ? "no dims" : fmt::format("dims {} to {}", -rank, rank - 1));
  return Dim{index < 0 ? index + rank : index};
}

Dim counted_dim(int index, int rank, std::string_view whose) {
  return counted_dim(index, rank, [&] { return std::string(whose); });
}

}  // namespace tutti
