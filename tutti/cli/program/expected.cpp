// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/program/expected.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <concepts>

#include "tutti/base/counted.hpp"
#include "tutti/base/excerpt.hpp"
#include "tutti/base/require.hpp"
#include "tutti/cli/program/program_inputs.hpp"
#include "tutti/cli/program/result_files.hpp"
#include "tutti/tensor/files/archive.hpp"
#include "tutti/tensor/files/npy.hpp"

namespace tutti::cli {
namespace {

Expected expected_of_archive(const std::string& file, const std::vector<LoadedArray>& results) {
  NamedTensors arrays = read_archive(file, {}, Where{});
  const std::vector<std::string> names = names_in_archive(results);
  std::vector<std::string> found;
  for (const auto& [name, tensor] : arrays) found.push_back(excerpt(name));
  const auto position = [&](const std::string& name) {
    return std::ranges::find(arrays, name, &NamedTensors::value_type::first) - arrays.begin();
  };
  const bool is_by_name =
      std::ranges::any_of(names, [&](const auto& name) { return position(name) < std::ssize(arrays); });
  Expected expected;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto at =
        static_cast<std::size_t>(is_by_name ? position(names[i]) : static_cast<std::ptrdiff_t>(i));
    require(at < arrays.size() || !is_by_name, Code::usage, "--expect {}: there is no array '{}'; it has {}",
            excerpt(file), names[i], fmt::format("{}", fmt::join(found, ", ")));
    if (at < arrays.size()) expected.emplace_back(arrays[at].second);
  }
  require(arrays.size() == names.size(), Code::usage,
          "--expect {}: it has {}{}, the program has {}: {}; an archive has one array for each result",
          excerpt(file), counted(std::ssize(arrays), "array"),
          arrays.empty() ? "" : fmt::format(": {}", fmt::join(found, ", ")),
          counted(std::ssize(names), "result"), fmt::format("{}", fmt::join(names, ", ")));
  return expected;
}

/// The largest difference of two arrays of one type.
struct Difference {
  std::string largest, found, wanted;  // as numbers
  std::int64_t element = 0;
  double allowed = 0;
  bool is_allowed = false;
};

/// |a - b|. It fits: two numbers of 64 bits are less than 2^64 apart.
template <std::integral T>
std::uint64_t distance(T a, T b) {
  return static_cast<std::uint64_t>(std::max(a, b)) - static_cast<std::uint64_t>(std::min(a, b));
}

template <std::integral T>
Difference integers_apart(const Tensor& found, const Tensor& wanted, const Tolerance& tolerance) {
  const auto of_found = found.as<T>(), of_wanted = wanted.as<T>();
  std::uint64_t largest = 0, worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < of_found.size(); ++i) {
    largest = std::max(largest, distance(of_wanted[i], T{0}));
    const std::uint64_t difference = distance(of_found[i], of_wanted[i]);
    if (difference <= worst) continue;
    worst = difference;
    at = i;
  }
  const double allowed = tolerance.absolute + tolerance.relative.value_or(0) * static_cast<double>(largest);
  // As a double, `worst` might be rounded down to what is allowed.
  const bool is_allowed = allowed >= 0x1p64 || (allowed >= 0 && worst <= static_cast<std::uint64_t>(allowed));
  return {fmt::format("{}", worst),
          fmt::format("{}", of_found[at]),
          fmt::format("{}", of_wanted[at]),
          static_cast<std::int64_t>(at),
          allowed,
          is_allowed};
}

/// Compares floats, bools and complex numbers, these by their parts.
Difference numbers_apart(const Tensor& found, const Tensor& wanted, const Tolerance& tolerance) {
  const bool of_parts = is_complex(found.dtype());
  const auto part = [&](const Tensor& tensor, std::int64_t i) {
    if (!of_parts) return tensor.at(i);
    return tensor.dtype() == DType::complex64
               ? static_cast<double>(reinterpret_cast<const float*>(tensor.data())[i])
               : reinterpret_cast<const double*>(tensor.data())[i];
  };
  const std::int64_t count = found.elements() * (of_parts ? 2 : 1);
  double largest = 0, worst = 0;
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < count; ++i)
    if (std::isfinite(part(wanted, i))) largest = std::max(largest, std::abs(part(wanted, i)));
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = part(found, i), y = part(wanted, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double difference = std::abs(x - y);
    if (difference > worst || std::isnan(difference)) {
      worst = std::isnan(difference) ? HUGE_VAL : difference;
      at = i;
    }
  }
  const double relative = tolerance.relative.value_or(is_inexact(found.dtype()) ? 1e-5 : 0);
  const double allowed = tolerance.absolute + relative * largest;
  return {fmt::format("{:.3g}", worst),
          fmt::format("{:.9g}", part(found, at)),
          fmt::format("{:.9g}", part(wanted, at)),
          of_parts ? at / 2 : at,
          allowed,
          worst <= allowed};
}

Difference largest_difference(const Tensor& found, const Tensor& wanted, const Tolerance& tolerance) {
  return with_element(found.dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (std::integral<T> && !std::same_as<T, bool>)
      return integers_apart<T>(found, wanted, tolerance);
    else return numbers_apart(found, wanted, tolerance);
  });
}

/// Prints a line for one result. Returns false if it differs by more than the tolerance.
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
  const Difference difference = largest_difference(found, wanted, tolerance);
  fmt::print("{}: the largest difference is {}, at element {}: {}, expected {}; allowed {:.3g}\n", name,
             difference.largest, difference.element, difference.found, difference.wanted, difference.allowed);
  return difference.is_allowed;
}

}  // namespace

Expected read_expected(const std::vector<std::string>& files, const std::vector<LoadedArray>& results) {
  if (files.size() == 1 && is_archive(files[0])) return expected_of_archive(files[0], results);
  Expected expected(results.size());
  for (std::size_t i = 0; i < files.size(); ++i) expected[i] = read_npy(files[i], Where{});
  return expected;
}

bool all_as_expected(const Expected& expected, const std::vector<LoadedArray>& names, const Tensors& results,
                     const Tolerance& tolerance) {
  bool all = true;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!expected[i]) {
      fmt::print("{}: not compared; --expect has no file for it\n", names[i].name);
      continue;
    }
    const Tensor wanted = with_bf16(*expected[i], results[i].dtype());
    all = as_expected(names[i].name, results[i], wanted, tolerance) && all;
  }
  return all;
}

}  // namespace tutti::cli
