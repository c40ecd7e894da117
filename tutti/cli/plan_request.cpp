// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/plan_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tutti/base/require.hpp"
#include "tutti/tree/specs.hpp"

namespace tutti::cli {
namespace {

constexpr PlanObjective all_objectives[] = {PlanObjective::time, PlanObjective::bytes, PlanObjective::steps};

// All of the text is one number.
template <class Number>
bool reads(std::string_view text, Number& number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

Shape parse_shape(std::string_view text) {
  std::vector<std::int64_t> sizes;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::string_view word = text.substr(begin, text.find('x', begin) - begin);
    std::int64_t size = 0;
    require(reads(word, size) && size >= 0, Code::usage,
            "--shape: '{}' in '{}' is not the size of a dim; write for example 4096x4096", word, text);
    sizes.push_back(size);
    begin += word.size() + 1;
  }
  Shape shape(sizes);
  shape.check();
  return shape;
}

DType parse_dtype(std::string_view text) {
  const std::optional<DType> dtype = dtype_named(text);
  std::vector<std::string_view> names;
  for (DType one : all_dtypes()) names.push_back(tutti::name(one));
  require(dtype.has_value(), Code::usage, "--dtype: there is no '{}'; use one of {}", text,
          fmt::join(names, ", "));
  return *dtype;
}

PlanObjective parse_objective(std::string_view text) {
  const auto* found = std::ranges::find(all_objectives, text, [](PlanObjective one) { return name(one); });
  require(found != std::end(all_objectives), Code::usage,
          "--objective: there is no '{}'; use time, bytes or steps", text);
  return *found;
}

double parse_cap(std::string_view text) {
  double cap = 0;
  require(reads(text, cap) && std::isfinite(cap) && cap > 0, Code::usage,
          "--cap: '{}' is not a number above 0; write for example 1.5", text);
  return cap;
}

void add_link(std::string_view text, const Mesh& mesh, std::vector<std::pair<std::string, double>>& links) {
  const std::size_t equals = text.find('=');
  double cost = 0;
  require(equals != text.npos && equals > 0 && reads(text.substr(equals + 1), cost) && std::isfinite(cost) &&
              cost >= 0,
          Code::usage, "--link: '{}' is not an axis and the cost of a byte; write for example y=10", text);
  std::string axis(text.substr(0, equals));
  axes_named(mesh, {axis}, "--link");
  require(std::ranges::find(links, axis, &std::pair<std::string, double>::first) == links.end(), Code::usage,
          "--link: axis '{}' has two costs; give one", axis);
  links.emplace_back(std::move(axis), cost);
}

void require_divides(const Sharding& sharding, Type whole, std::string_view option) try {
  local_type(whole, sharding);
} catch (const Error& error) {
  throw error.at({}, option);
}

}  // namespace

PlanRequest request_of(const PlanArguments& arguments) {
  const Mesh mesh = parse_mesh(arguments.mesh);
  const Type whole(parse_dtype(arguments.dtype), parse_shape(arguments.shape));
  PlanRequest request{whole, parse_sharding(arguments.from, mesh, whole, "--from"),
                      parse_sharding(arguments.to, mesh, whole, "--to")};
  require_divides(request.from, whole, "--from");
  require_divides(request.to, whole, "--to");
  request.options.objective = parse_objective(arguments.objective);
  request.options.cap = parse_cap(arguments.cap);
  request.options.direct = arguments.direct;
  for (const std::string& link : arguments.links) add_link(link, mesh, request.options.links);
  return request;
}

}  // namespace tutti::cli
