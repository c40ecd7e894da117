// SPDX-License-Identifier: Apache-2.0
#include "tests/xla/same_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/support/values.hpp"

namespace tutti {
namespace {

std::string difference(const Tensor& ours, const Tensor& theirs, double epsilons) {
  if (ours == theirs) return {};
  if (ours.dtype() != theirs.dtype() || ours.shape() != theirs.shape()) return "other types";
  const Tensor x = in_parts(ours), y = in_parts(theirs);
  const double unit = is_inexact(ours.dtype()) ? epsilon(ours.dtype()) : 0;
  for (std::int64_t i = 0; i < x.elements(); ++i) {
    const double bound = epsilons * unit * std::max(1.0, std::abs(x.at(i)));
    if (!(std::abs(x.at(i) - y.at(i)) <= bound))
      return fmt::format("element {} is {} on the local machine, {} on XLA's", i, x.at(i), y.at(i));
  }
  return epsilons > 0 ? "" : "other bits";
}

}  // namespace

std::string difference(const Arrays& ours, const Arrays& theirs, double epsilons) {
  if (ours.size() != theirs.size()) return "other numbers of results";
  for (std::size_t k = 0; k < ours.size(); ++k) {
    const GlobalArray &x = *ours[k].finished(), &y = *theirs[k].finished();
    if (!(x.type() == y.type()))
      return fmt::format("result {} is {} and {}", k, to_string(x.type()), to_string(y.type()));
    if (!y.remote()) return fmt::format("result {} is on the host", k);
    if (x.sharding() && !(x.sharding() == y.sharding())) return fmt::format("result {} lies otherwise", k);
    const int devices = y.sharding()->mesh.devices();
    for (int device = 0; device < devices; ++device)
      if (std::string found = difference(x.shard(device), y.shard(device), epsilons); !found.empty())
        return fmt::format("result {}, device {}: {}", k, device, found);
    if (std::string found = difference(x.whole(), y.whole(), epsilons); !found.empty())
      return fmt::format("result {}, whole: {}", k, found);
  }
  return {};
}

Array quarters(const Shape& shape, int kind, DType dtype) {
  Tensor tensor(shape, dtype);
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    put_element(tensor, i, static_cast<double>((i * i * 3 + i * 7 + kind * 11) % 17 - 8) / 4);
  return tensor;
}

}  // namespace tutti
