// SPDX-License-Identifier: Apache-2.0
#include "tests/support/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace tutti {

void PrintTo(const Tensor& tensor, std::ostream* out) {
  constexpr std::int64_t most = 32;
  std::string elements;
  for (std::int64_t i = 0; i < std::min(tensor.elements(), most); ++i)
    elements += (i ? ", " : "") + fmt::format("{}", tensor.at(i));
  *out << name(tensor.dtype()) << "[" << to_string(tensor.shape()) << "]{" << elements
       << (tensor.elements() > most ? ", ..}" : "}");
}

}  // namespace tutti
