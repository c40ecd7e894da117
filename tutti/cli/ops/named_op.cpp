// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/ops/named_op.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "tutti/base/require.hpp"
#include "tutti/cli/ops/named_function.hpp"
#include "tutti/cli/ops/op_facts.hpp"

namespace tutti::cli {
namespace {

// Letters to change, add or leave out: the distance of Levenshtein, row by row.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0UL);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// A third of the letters may be wrong; a part of a name is like it, too. Only the nearest count.
std::vector<std::string> names_like(const std::string& name) {
  constexpr std::size_t shown = 3;
  std::set<std::pair<std::size_t, std::string>> near;
  auto add = [&](const std::string& other) {
    std::size_t far = distance(name, other);
    bool is_part = name.size() > 2 && other.find(name) != other.npos;
    if (far <= 1 + name.size() / 3 || is_part) near.emplace(far, other);
  };
  for (const OpRow& row : all_ops()) {
    add(row.name);
    for (const std::string& front_end : front_ends(row)) add(front_end);
  }
  for (const std::vector<FunctionRow>* all : {&functions_made_of_ops(), &all_transforms()})
    for (const FunctionRow& row : *all) add(std::string(row.name));
  std::vector<std::string> names;
  for (const auto& [far, other] : near)
    if (names.size() < shown && far <= near.begin()->first + 1) names.push_back(other);
  return names;
}

/// Names that people look for, of functions that have another name here. docs/numpy.md has all of NumPy and JAX.
constexpr std::pair<std::string_view, std::string_view> names_elsewhere[] = {
    {"std", "stddev"},         {"var", "variance"},
    {"max", "amax"},           {"min", "amin"},
    {"dot", "matmul"},         {"absolute", "abs"},
    {"fabs", "abs"},           {"ravel", "reshape"},
    {"swish", "silu"},         {"sigmoid", "logistic"},
    {"concat", "concatenate"}, {"subtract", "sub"},
    {"multiply", "mul"},       {"divide", "div"},
    {"true_divide", "div"},    {"remainder", "mod"},
    {"power", "pow"},          {"float_power", "pow"},
    {"negative", "neg"},       {"greater", "gt"},
    {"greater_equal", "ge"},   {"less", "lt"},
    {"less_equal", "le"},      {"invert", "not"},
    {"arcsin", "asin"},        {"arccos", "acos"},
    {"arctan", "atan"},        {"arctan2", "atan2"},
    {"arcsinh", "asinh"},      {"arccosh", "acosh"},
    {"arctanh", "atanh"},      {"permute_dims", "transpose"},
    {"astype", "convert"},     {"radians", "deg2rad"},
    {"degrees", "rad2deg"},    {"pmap", "shard_map"}};

std::string way_to(const std::string& name) {
  for (const auto& [theirs, ours] : names_elsewhere)
    if (name == theirs) return fmt::format("it is {} here", ours);
  const std::vector<std::string> like = names_like(name);
  if (!like.empty()) return fmt::format("did you mean {}?", fmt::join(like, ", "));
  return "tutti rules lists the ops, docs/numpy.md the functions";
}

}  // namespace

std::vector<const OpRow*> named_ops(const std::string& name) {
  std::vector<const OpRow*> found;
  for (const OpRow& row : all_ops()) {
    if (row.name == name) return {&row};
    std::vector<std::string> names = front_ends(row);
    if (std::ranges::find(names, name) != names.end()) found.push_back(&row);
  }
  if (found.empty()) fail(Code::usage, "there is no op or function '{}'; {}", name, way_to(name));
  return found;
}

}  // namespace tutti::cli
