// SPDX-License-Identifier: Apache-2.0
#include "tests/support/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tutti/transform/batch.hpp"

namespace tutti {
namespace {

// The first device that holds the same value of this type.
int first_with_same_value(Type type, int device, const Mesh& mesh) {
  Layout layout(mesh, Storage::per_device, {}, {});
  for (const auto& axis : mesh.axes())
    if (!is_stored_per_device(type.at(axis))) device = layout.peer({axis}, device, 0);
  return device;
}

}  // namespace

void put_element(Tensor& tensor, std::int64_t index, double value) {
  Tensor element = is_float(tensor.dtype())
                       ? Tensor::scalar_of(tensor.dtype(), value)
                       : Tensor::scalar_of(tensor.dtype(), static_cast<std::int64_t>(value));
  std::memcpy(tensor.mutable_bytes() + static_cast<std::size_t>(index) * element.bytes(), element.data(),
              element.bytes());
}

double Random::below(double n) { return std::floor(static_cast<double>(engine_() >> 11) * 0x1p-53 * n); }

double Random::draw(double low, double high, DType dtype, Numbers numbers) {
  if (dtype == DType::boolean) return below(2);
  if (is_integer(dtype)) return std::ceil(low) + below(std::floor(high) - std::ceil(low) + 1);
  if (low == high) return low;
  double step = 0.25;
  switch (numbers) {
    case Numbers::any: return low + static_cast<double>(engine_() >> 11) * 0x1p-53 * (high - low);
    case Numbers::smooth: step = dtype == DType::f32 ? 0x1p-4 : 0x1p-10; break;
    case Numbers::quarters: break;
    case Numbers::powers_of_two: {
      std::vector<double> found;
      for (double x : {0.25, 0.5, 1.0, 2.0})
        for (double y : {x, -x})
          if (low <= y && y <= high) found.push_back(y);
      if (!found.empty()) return found[static_cast<std::size_t>(below(static_cast<double>(found.size())))];
    }
  }
  while (std::floor(high / step) - std::ceil(low / step) < 3) step /= 2;
  return step * (std::ceil(low / step) + below(std::floor(high / step) - std::ceil(low / step) + 1));
}

PerDevice random_value(Random& random, const ExampleOperand& operand, Numbers numbers, const Mesh& mesh) {
  PerDevice value;
  for (int device = 0; device < mesh.devices(); ++device) {
    int first = first_with_same_value(operand.type, device, mesh);
    if (first < device) {
      value.push_back(value[static_cast<std::size_t>(first)]);
      continue;
    }
    Tensor tensor(operand.type.dtype(), operand.type.shape());
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
      put_element(tensor, i, random.draw(operand.low, operand.high, tensor.dtype(), numbers));
    value.push_back(tensor);
  }
  return value;
}

std::vector<PerDevice> random_values(Random& random, const std::vector<ExampleOperand>& operands,
                                     Numbers numbers, const Mesh& mesh) {
  std::vector<PerDevice> values;
  for (const ExampleOperand& operand : operands)
    values.push_back(random_value(random, operand, numbers, mesh));
  return values;
}

std::vector<PerDevice> random_values(Random& random, const Types& types, Numbers numbers, const Mesh& mesh) {
  return random_values(random, std::vector<ExampleOperand>(types.begin(), types.end()), numbers, mesh);
}

Axes unequal_axes(const PerDevice& value, const Axes& equal, const Mesh& mesh) {
  Layout layout(mesh, Storage::per_device, {}, {});
  Axes found;
  for (const Axis& axis : equal)
    for (int device = 0; device < mesh.devices(); ++device) {
      auto first = static_cast<std::size_t>(layout.peer({axis}, device, 0));
      if (value[static_cast<std::size_t>(device)] == value[first]) continue;
      found.push_back(axis);
      break;
    }
  return found;
}

std::vector<std::vector<double>> totals(Type type, const PerDevice& value) {
  const Mesh& mesh = example_mesh();
  auto holds_a_term = [&](int device, int other) {
    return std::ranges::all_of(mesh.axes(), [&](const Axis& axis) {
      return type.at(axis) == State::unreduced ||
             mesh.coordinate(device, axis) == mesh.coordinate(other, axis);
    });
  };
  std::vector<std::vector<double>> sums;
  for (int device = 0; device < mesh.devices(); ++device) {
    std::vector<double>& sum = sums.emplace_back(static_cast<std::size_t>(type.elements()));
    for (int other = 0; other < mesh.devices(); ++other)
      for (std::size_t i = 0; i < sum.size() && holds_a_term(device, other); ++i)
        sum[i] += value[static_cast<std::size_t>(other)].at(static_cast<std::int64_t>(i));
  }
  return sums;
}

double pairing(Type type_of_v, const PerDevice& v, const PerDevice& w, const Mesh& mesh) {
  double sum = 0;
  for (int device = 0; device < mesh.devices(); ++device) {
    bool counts = true;
    for (const Axis& axis : mesh.axes())
      counts &= type_of_v.at(axis) != State::invariant || mesh.coordinate(device, axis) == 0;
    if (!counts) continue;
    const Tensor &x = v[static_cast<std::size_t>(device)], &y = w[static_cast<std::size_t>(device)];
    for (std::int64_t i = 0; i < x.elements(); ++i) sum += x.at(i) * y.at(i);
  }
  return sum;
}

PerDevice lanes_along(const Axis& axis, const PerDevice& value, const Mesh& mesh) {
  Layout layout(mesh, Storage::per_device, {}, {});
  PerDevice all;
  for (int device = 0; device < mesh.devices(); ++device) {
    Tensors lanes;
    for (int position = 0; position < axis.size; ++position)
      lanes.push_back(value[static_cast<std::size_t>(layout.peer({axis}, device, position))]);
    all.push_back(stacked(lanes));
  }
  return all;
}

std::vector<PerDevice> batched_values(const Types& types, const Axis& axis, std::vector<PerDevice> values,
                                      const Mesh& mesh) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (has_lanes(types[i], axis)) values[i] = lanes_along(axis, values[i], mesh);
  return values;
}

Tensor stacked(const Tensors& lanes) {
  Tensor all(lanes[0].dtype(), lanes[0].shape().inserted(Dim{0}, static_cast<std::int64_t>(lanes.size())));
  for (std::size_t i = 0; i < lanes.size(); ++i)
    std::memcpy(all.mutable_bytes() + i * lanes[i].bytes(), lanes[i].data(), lanes[i].bytes());
  return all;
}

}  // namespace tutti
