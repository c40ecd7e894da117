// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/mesh.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include <charconv>
#include <deque>
#include <map>
#include <mutex>
#include <set>

#include "tutti/base/counted.hpp"
#include "tutti/base/fork.hpp"
#include "tutti/base/never_destroyed.hpp"
#include "tutti/base/require.hpp"

namespace tutti {
namespace {

void check(const std::vector<std::pair<std::string, int>>& names_and_sizes) {
  std::set<std::string> seen;
  std::int64_t devices = 1;
  for (const auto& [name, size] : names_and_sizes) {
    require(!name.empty(), Code::mesh, "an axis of size {0} has no name; write for example {{\"data\", {0}}}",
            size);
    require(seen.insert(name).second, Code::mesh, "axis '{}' is named twice; give every axis its own name",
            name);
    require(name.find_first_of("()") == name.npos, Code::mesh,
            "an axis cannot be called '{}': x(2)4 is a part of the axis x; take a name without brackets",
            name);
    require(size >= 1, Code::mesh, "axis '{}' has size {}; a size is at least 1", name, size);
    devices *= size;
    require(devices <= Mesh::max_devices, Code::mesh,
            "axis '{}' of size {} makes more than {} devices; make the mesh smaller", name, size,
            int{Mesh::max_devices});
  }
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// "data=4". The name must be one that the text of a sharding can have.
std::pair<std::string, int> parse_axis(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = without_blanks(text.substr(0, equals));
  const std::string_view digits = equals == text.npos ? "" : without_blanks(text.substr(equals + 1));
  int size = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  require(equals != text.npos && equals > 0 && error == std::errc{} && end == digits.data() + digits.size(),
          Code::mesh, "'{}' is not an axis and its size; write for example data=4,model=2", text);
  require(
      name.find_first_of(" ()+") == name.npos && name != "none", Code::mesh,
      "an axis cannot be called '{}' in P(..); take a name without blanks, brackets and '+', other than none",
      name);
  return {std::string(name), size};
}

void check(const std::vector<int>& devices, int wanted) {
  require(std::ssize(devices) == wanted, Code::mesh,
          "a mesh of {} has a list of {}; name one for each position", counted(wanted, "device"),
          devices.size());
  std::set<int> seen;
  for (int device : devices) {
    require(device >= 0 && device < Mesh::max_devices, Code::mesh, "there is no device {}; use 0 to {}",
            device, Mesh::max_devices - 1);
    require(seen.insert(device).second, Code::mesh,
            "device {} stands at two positions of the mesh; name it once", device);
  }
}

bool is_in_order(const std::vector<int>& devices) {
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (devices[i] != static_cast<int>(i)) return false;
  return true;
}

/// The box of a process has the axes of its mesh, with smaller sizes.
std::vector<std::pair<int, int>> ids_and_sizes(const Axes& axes) {
  std::vector<std::pair<int, int>> all;
  for (const Axis& axis : axes) all.emplace_back(axis.id, axis.size);
  return all;
}

constinit std::mutex meshes_lock;

}  // namespace

/// All meshes that there were, and those of some of their axes. They are never removed.
struct Mesh::AllInterned {
  using Key = std::pair<std::vector<std::pair<std::string, int>>, std::vector<int>>;

  std::deque<Interned> meshes;
  std::map<Key, const Interned*> by_names;
  std::map<std::vector<std::pair<int, int>>, const Interned*> by_axes;  // by their ids and sizes
  std::map<std::pair<const Interned*, std::vector<std::vector<int>>>, const Interned*> by_cuts;
  std::map<int, AxisFactor> factors;  // by the id of the part

  /// Callers hold the lock.
  static AllInterned& get() {
    static NeverDestroyed<AllInterned> all;
    return *all;
  }
  const Interned* add(Interned mesh) {
    const Interned& added = meshes.emplace_back(std::move(mesh));
    return by_axes[ids_and_sizes(added.axes)] = &added;
  }
  static std::unique_lock<std::mutex> locked() {
    intern_name("");  // its lock is taken while this one is held
    free_at_fork<meshes_lock>();
    return std::unique_lock(meshes_lock);
  }
};

Mesh::Mesh(const std::vector<std::pair<std::string, int>>& names_and_sizes, Where where)
    : Mesh(names_and_sizes, {}, where) {}

Mesh::Mesh(const std::vector<std::pair<std::string, int>>& names_and_sizes, MeshOptions options,
           Where where) try {
  check(names_and_sizes);
  std::vector<int>& devices = options.devices;
  if (!devices.empty()) {
    int wanted = 1;
    for (const auto& [name, size] : names_and_sizes) wanted *= size;
    check(devices, wanted);
    if (is_in_order(devices)) devices.clear();
  }
  const std::unique_lock lock = AllInterned::locked();
  AllInterned& all = AllInterned::get();
  const Interned*& found = all.by_names[{names_and_sizes, devices}];
  if (found == nullptr) found = all.add({fresh_mesh_axes(names_and_sizes), std::move(devices), nullptr});
  interned_ = found;
} catch (const Error& error) {
  throw error.at(where, "mesh");
}

Mesh Mesh::of(const Axes& axes) {
  Mesh mesh;
  if (axes.empty()) return mesh;  // one device, not that of a mesh of no axes on another
  const std::unique_lock lock = AllInterned::locked();
  AllInterned& all = AllInterned::get();
  const auto found = all.by_axes.find(ids_and_sizes(axes));
  mesh.interned_ = found != all.by_axes.end() ? found->second : all.add({axes, {}, nullptr});
  return mesh;
}

Mesh Mesh::cut(const std::vector<std::vector<int>>& sizes) const {
  ensure(interned_->whole == nullptr && sizes.size() == axes().size(), "a whole mesh is cut, axis by axis");
  Mesh mesh;
  const std::unique_lock lock = AllInterned::locked();
  AllInterned& all = AllInterned::get();
  const Interned*& found = all.by_cuts[{interned_, sizes}];
  if (found == nullptr) {
    std::vector<AxisFactor> factors;
    std::vector<std::pair<std::string, int>> names_and_sizes;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const Axis& axis = axes()[i];
      int before = 1;
      for (int size : sizes[i]) {
        const std::string name(axis.name);
        names_and_sizes.emplace_back(size == axis.size ? name : fmt::format("{}({}){}", name, before, size),
                                     size);
        factors.push_back({axis, before, size});
        before *= size;
      }
      ensure(before == axis.size, "the parts of '{}' have {} positions of {}", axis.name, before, axis.size);
    }
    const Axes parts = fresh_mesh_axes(names_and_sizes);
    for (std::size_t i = 0; i < parts.size(); ++i) all.factors[parts[i].id] = factors[i];
    found = all.add({parts, interned_->devices, interned_});
  }
  mesh.interned_ = found;
  return mesh;
}

Mesh Mesh::whole() const {
  Mesh mesh = *this;
  if (interned_->whole != nullptr) mesh.interned_ = interned_->whole;
  return mesh;
}

AxisFactor internal::factor_of(const Axis& axis) {
  const std::unique_lock lock = Mesh::AllInterned::locked();
  const Mesh::AllInterned& all = Mesh::AllInterned::get();
  const auto found = all.factors.find(axis.id);
  return found != all.factors.end() ? found->second : AxisFactor{axis, 1, axis.size};
}

int Mesh::coordinate(int device, const Axis& axis) const {
  const Axes& all = axes();
  for (std::size_t i = all.size(); i-- > 0; device /= all[i].size)
    if (all[i] == axis) return device % all[i].size;
  fail(Code::internal, "axis '{}' is not in the mesh {}", axis.name, to_string(*this));
}

int Mesh::position(int device, const Axes& axes) const {
  int position = 0;
  for (const Axis& axis : axes) position = position * axis.size + coordinate(device, axis);
  return position;
}

int Mesh::stride(const Axis& axis) const {
  int stride = 1;
  for (auto it = axes().rbegin(); *it != axis; ++it) stride *= it->size;
  return stride;
}

int Mesh::device_id(int position) const {
  return is_in_device_order() ? position : interned_->devices.at(static_cast<std::size_t>(position));
}

Mesh Mesh::without(const Axes& axes) const {
  Axes left = this->axes();
  for (const Axis& axis : axes) std::erase(left, axis);
  return of(left);
}

std::string to_string(const Mesh& mesh) {
  std::string text;
  for (const Axis& axis : mesh.axes())
    text += (text.empty() ? "" : ",") + std::string(axis.name) + "=" + std::to_string(axis.size);
  if (mesh.is_in_device_order()) return text;
  text += text.empty() ? "device " : " on devices ";
  for (int position = 0; position < mesh.devices(); ++position)
    text += (position == 0 ? "" : ",") + std::to_string(mesh.device_id(position));
  return text;
}

Mesh parse_mesh(std::string_view text) try {
  std::vector<std::pair<std::string, int>> names_and_sizes;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    std::string_view item = text.substr(begin, text.find(',', begin) - begin);
    names_and_sizes.push_back(parse_axis(item));
    begin += item.size() + 1;
  }
  return Mesh(names_and_sizes, Where{});
} catch (const Error& error) {
  throw error.at({}, "mesh");
}

}  // namespace tutti
