// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "tutti/base/inside.hpp"
#include "tutti/types/counted_dim.hpp"

#include "tutti/base/require.hpp"

namespace tutti {

Dim counted_dim(int index, int rank, std::string_view whose) {
  require(-rank <= index && index < rank, Code::dim, "dim {} is out of range for {}, which has {}", index,
          whose, rank == 0 ? "no dims" : fmt::format("dims {} to {}", -rank, rank - 1));
  return Dim{index < 0 ? index + rank : index};
}

}  // namespace tutti
