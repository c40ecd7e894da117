// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/program/expected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/cli/program/program_inputs.hpp"
#include "tutti/cli/program/result_files.hpp"
#include "tutti/tensor/files/npy.hpp"
#include "tutti/tensor/files/npz.hpp"

namespace tutti::cli {
namespace {

struct Tolerance {
  double relative, absolute;
};

/// Compares a result with what was expected. Returns false if it differs by more than the tolerance.
bool as_expected(const std::string& name, const Tensor& found, const Tensor& wanted,
                 const Tolerance& tolerance) {
  if (found == wanted) {
    fmt::print("{}: equal in all bits\n", name);
    return true;
  }
  if (found.dtype() != wanted.dtype() || found.shape() != wanted.shape()) {
    fmt::print("{}: {}, expected {}\n", name, type_text(found.shape(), found.dtype()),
               type_text(wanted.shape(), wanted.dtype()));
    return false;
  }
  const bool of_parts = is_complex(found.dtype());
  const auto part = [&](const Tensor& tensor, std::int64_t i) {
    if (!of_parts) return tensor.at(i);
    return tensor.dtype() == DType::complex64
               ? static_cast<double>(reinterpret_cast<const float*>(tensor.data())[i])
               : reinterpret_cast<const double*>(tensor.data())[i];
  };
  const std::int64_t count = found.elements() * (of_parts ? 2 : 1);
  double largest = 0, worst = 0;
  std::int64_t where = 0;
  for (std::int64_t i = 0; i < count; ++i)
    if (std::isfinite(part(wanted, i))) largest = std::max(largest, std::abs(part(wanted, i)));
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = part(found, i), y = part(wanted, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double difference = std::abs(x - y);
    if (difference > worst || std::isnan(difference)) {
      worst = std::isnan(difference) ? HUGE_VAL : difference;
      where = i;
    }
  }
  const double allowed = tolerance.absolute + tolerance.relative * largest;
  fmt::print("{}: the largest difference is {:.3g}, at element {}: {:.9g}, expected {:.9g}; allowed {:.3g}\n",
             name, worst, of_parts ? where / 2 : where, part(found, where), part(wanted, where), allowed);
  return worst <= allowed;
}

}  // namespace

bool all_as_expected(const RunArguments& arguments, const std::vector<LoadedArray>& names,
                     const Tensors& results) {
  Tensors wanted;
  if (arguments.expect.size() == 1 && is_archive(arguments.expect[0]))
    for (auto& [name, tensor] : read_npz(arguments.expect[0])) wanted.push_back(tensor);
  else
    for (const std::string& file : arguments.expect) wanted.push_back(read_npy(file));
  require(wanted.size() <= results.size(), Code::usage, "--expect has {}, the program has {}",
          counted(std::ssize(wanted), "array"), counted(std::ssize(results), "result"));
  bool all = true;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool of_floats = is_inexact(results[i].dtype());
    const Tolerance tolerance{arguments.rtol.value_or(of_floats ? 1e-5 : 0), arguments.atol};
    all = as_expected(names[i].name, results[i], with_bf16(wanted[i], results[i].dtype()), tolerance) && all;
  }
  return all;
}

}  // namespace tutti::cli
