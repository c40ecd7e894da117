// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/plan/plan_request.hpp"

#include <algorithm>
#include <cmath>

#include "tutti/base/require.hpp"
#include "tutti/cli/words/words.hpp"
#include "tutti/tree/specs.hpp"

namespace tutti::cli {
namespace {

constexpr PlanObjective all_objectives[] = {PlanObjective::time, PlanObjective::bytes, PlanObjective::steps};

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

void add_link(std::string_view text, const Mesh& mesh, const Mesh& to_mesh,
              std::vector<std::pair<std::string, double>>& links) {
  const std::size_t equals = text.find('=');
  double cost = 0;
  require(equals != text.npos && equals > 0 && reads(text.substr(equals + 1), cost) && std::isfinite(cost) &&
              cost >= 0,
          Code::usage, "--link: '{}' is not an axis and the cost of a byte; write for example y=10", text);
  std::string axis(text.substr(0, equals));
  auto has_axis = [&](const Mesh& one) {
    return std::ranges::find(one.axes(), axis, &Axis::name) != one.axes().end();
  };
  require(has_axis(mesh) || has_axis(to_mesh), Code::axis_unbound,
          "--link names axis '{}', but the mesh is {}{}; use one of its axes", axis, mesh,
          mesh == to_mesh ? "" : " or " + to_string(to_mesh));
  require(std::ranges::find(links, axis, &std::pair<std::string, double>::first) == links.end(), Code::usage,
          "--link: axis '{}' has two costs; give one", axis);
  links.emplace_back(std::move(axis), cost);
}

// "2,0,1".
std::vector<int> parse_devices(std::string_view text, std::string_view option) {
  std::vector<int> devices;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::string_view word = text.substr(begin, text.find(',', begin) - begin);
    int device = 0;
    require(reads(word, device) && device >= 0, Code::usage,
            "{}: '{}' in '{}' is not the number of a device; write for example 2,0,1", option, word, text);
    devices.push_back(device);
    begin += word.size() + 1;
  }
  return devices;
}

// Errors of the axes have the name of the one option, those of the devices that of the other.
Mesh mesh_on(const Mesh& axes, const std::string& devices, std::string_view option) try {
  if (devices.empty()) return axes;
  std::vector<std::pair<std::string, int>> names_and_sizes;
  for (const Axis& axis : axes.axes()) names_and_sizes.emplace_back(axis.name, axis.size);
  return Mesh(names_and_sizes, {.devices = parse_devices(devices, option)}, Where{});
} catch (const Error& error) {
  if (error.code() == Code::usage) throw;
  fail(error.code(), "{}: {}", option, error.message().substr(std::string_view("mesh: ").size()));
}

Mesh parse_to_mesh(const std::string& text) try { return parse_mesh(text); } catch (const Error& error) {
  fail(error.code(), "--to-{}", error.message());
}

}  // namespace

PlanRequest request_of(const PlanArguments& arguments) {
  const Mesh axes = parse_mesh(arguments.mesh);
  const Mesh mesh = mesh_on(axes, arguments.devices, "--devices");
  const bool stays = arguments.to_mesh.empty() && arguments.to_devices.empty();
  const Mesh to_axes = arguments.to_mesh.empty() ? axes : parse_to_mesh(arguments.to_mesh);
  const Mesh to_mesh = stays ? mesh : mesh_on(to_axes, arguments.to_devices, "--to-devices");
  const Type whole(parse_dtype(arguments.dtype), parse_shape(arguments.shape));
  PlanRequest request{whole, parse_sharding(arguments.from, mesh, whole, "--from"),
                      parse_sharding(arguments.to, to_mesh, whole, "--to")};
  request.options.objective = parse_objective(arguments.objective);
  request.options.cap = parse_cap(arguments.cap);
  request.options.direct = arguments.direct;
  request.options.parts = !arguments.whole_axes;
  for (const std::string& link : arguments.links) add_link(link, mesh, to_mesh, request.options.links);
  return request;
}

}  // namespace tutti::cli
