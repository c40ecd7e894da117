// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/mesh.hpp"

#include <charconv>
#include <map>
#include <mutex>
#include <set>

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

/// The axes of all meshes that there were. They are never removed.
struct Interned {
  std::mutex mutex;
  std::map<std::vector<std::pair<std::string, int>>, Axes> whole;
  std::map<std::vector<int>, Axes> part;  // meshes of some axes of another one, by their ids
};
Interned& interned() {
  static Interned all;
  return all;
}

}  // namespace

Mesh::Mesh(const std::vector<std::pair<std::string, int>>& names_and_sizes, Where where) try {
  check(names_and_sizes);
  Interned& all = interned();
  std::lock_guard lock(all.mutex);
  auto it = all.whole.find(names_and_sizes);
  if (it == all.whole.end()) it = all.whole.emplace(names_and_sizes, fresh_mesh_axes(names_and_sizes)).first;
  axes_ = &it->second;
} catch (const Error& error) {
  throw error.at(where, "mesh");
}

Mesh Mesh::of(const Axes& axes) {
  std::vector<std::pair<std::string, int>> names_and_sizes;
  std::vector<int> ids;
  for (const Axis& axis : axes) {
    names_and_sizes.emplace_back(axis.name, axis.size);
    ids.push_back(axis.id);
  }
  Mesh mesh;
  Interned& all = interned();
  std::lock_guard lock(all.mutex);
  auto whole = all.whole.find(names_and_sizes);
  bool is_whole = whole != all.whole.end() && whole->second == axes;
  mesh.axes_ = is_whole ? &whole->second : &all.part.emplace(ids, axes).first->second;
  return mesh;
}

int Mesh::coordinate(int device, const Axis& axis) const {
  for (std::size_t i = axes_->size(); i-- > 0; device /= (*axes_)[i].size)
    if ((*axes_)[i] == axis) return device % (*axes_)[i].size;
  fail(Code::internal, "axis '{}' is not in the mesh {}", axis.name, to_string(*this));
}

Mesh Mesh::without(const Axes& axes) const {
  Axes left = *axes_;
  for (const Axis& axis : axes) std::erase(left, axis);
  return of(left);
}

std::string to_string(const Mesh& mesh) {
  std::string text;
  for (const Axis& axis : mesh.axes())
    text += (text.empty() ? "" : ",") + std::string(axis.name) + "=" + std::to_string(axis.size);
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
