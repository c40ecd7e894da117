// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/processes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"

namespace tutti {
namespace {

std::vector<int> slowest_first(const Mesh& mesh, int count) {
  std::vector<int> along;
  int left = count;
  for (const Axis& axis : mesh.axes()) {
    along.push_back(std::gcd(axis.size, left));
    left /= along.back();
  }
  if (left == 1) return along;
  std::vector<int> fitting;
  for (int n = 1; n <= mesh.devices(); ++n) {
    int rest = n;
    for (const Axis& axis : mesh.axes()) rest /= std::gcd(axis.size, rest);
    if (rest == 1) fitting.push_back(n);
  }
  const std::size_t shown = std::min<std::size_t>(fitting.size(), 8);
  fail(Code::device, "{} do not divide the mesh {}; start {}{}", counted(count, "process", "processes"),
       to_string(mesh),
       fmt::format("{}", fmt::join(fitting.begin(), fitting.begin() + std::ptrdiff_t(shown), ", ")),
       shown < fitting.size() ? ", .." : "");
}

std::vector<int> as_split(const Mesh& mesh, int count, const Processes::Split& split) {
  std::vector<int> along(mesh.axes().size(), 1);
  int boxes = 1;
  for (const auto& [name, parts] : split) {
    const auto axis = std::ranges::find(mesh.axes(), name, &Axis::name);
    require(axis != mesh.axes().end(), Code::axis_unbound,
            "split: there is no axis '{}', the mesh is {}; use one of its axes", name, mesh);
    require(parts >= 1 && axis->size % parts == 0, Code::device,
            "split: {} processes do not divide the axis '{}' of size {}", parts, name, axis->size);
    int& of_axis = along[static_cast<std::size_t>(axis - mesh.axes().begin())];
    require(of_axis == 1, Code::device, "split: the axis '{}' is named twice", name);
    of_axis = parts;
    boxes *= parts;
  }
  require(boxes == count, Code::device, "split: there are {}, and {}; start {}, or change the split",
          counted(boxes, "box", "boxes"), counted(count, "process", "processes"), boxes);
  return along;
}

}  // namespace

Processes::Processes(const Mesh& whole) : whole_(whole), box_(whole), axes_(whole.axes().size()) {}

Processes Processes::of(const Mesh& whole, int count, int self, const Split& split) {
  const std::vector<int> along = split.empty() ? slowest_first(whole, count) : as_split(whole, count, split);
  Processes made(whole);
  made.count_ = count;
  made.self_ = self;
  Axes own = whole.axes();
  int step = 1, left = self;
  for (std::size_t i = along.size(); i-- > 0;) {
    made.axes_[i] = {along[i], left % along[i], step};
    own[i].size /= along[i];
    left /= along[i];
    step *= along[i];
  }
  if (count == 1) return made;
  made.box_ = Mesh::of(own);
  auto drivers = std::make_shared<Drivers>(Drivers{{}, self});
  for (int device = 0; device < whole.devices(); ++device) {
    int process = 0;
    for (std::size_t i = 0; i < along.size(); ++i)
      process = process * along[i] + whole.coordinate(device, whole.axes()[i]) / own[i].size;
    drivers->process.push_back(process);
  }
  made.drivers_ = std::move(drivers);
  return made;
}

int Processes::number(const std::vector<int>& place) const {
  int number = self_;
  for (std::size_t i = 0; i < place.size(); ++i) number += (place[i] - axes_[i].at) * axes_[i].step;
  return number;
}

std::vector<std::vector<int>> Processes::places() const {
  std::vector<std::vector<int>> all{{}};
  for (const OfAxis& axis : axes_) {
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& place : all)
      for (int at = 0; at < axis.along; ++at) {
        longer.push_back(place);
        longer.back().push_back(at);
      }
    all = std::move(longer);
  }
  return all;
}

Processes Processes::without(const Axes& axes) const {
  Processes left = *this;
  left.axes_.clear();
  for (std::size_t i = 0; i < axes_.size(); ++i)
    if (!contains(axes, whole_.axes()[i])) left.axes_.push_back(axes_[i]);
  left.whole_ = whole_.without(axes);
  left.box_ = box_.without(axes);
  return left;
}

}  // namespace tutti
