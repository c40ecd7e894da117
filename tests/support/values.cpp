// SPDX-License-Identifier: Apache-2.0
#include "tests/support/values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

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

double epsilon(DType dtype) {
  switch (dtype) {
    case DType::f16: return 0x1p-10;
    case DType::bf16: return 0x1p-7;
    case DType::f32:
    case DType::complex64: return std::numeric_limits<float>::epsilon();
    case DType::f64:
    case DType::complex128: return std::numeric_limits<double>::epsilon();
    case DType::boolean:
    case DType::u8:
    case DType::i8:
    case DType::u16:
    case DType::i16:
    case DType::u32:
    case DType::i32:
    case DType::u64:
    case DType::i64: break;
  }
  return 0;
}

Tensor in_parts(const Tensor& tensor) {
  if (!is_complex(tensor.dtype())) return tensor;
  Tensor parts(tensor.shape().inserted(Dim{tensor.shape().rank()}, 2), part_of(tensor.dtype()));
  std::memcpy(parts.mutable_bytes(), tensor.data(), tensor.bytes());
  return parts;
}

PerDevice in_parts(const PerDevice& value) {
  PerDevice parts;
  for (const Tensor& tensor : value) parts.push_back(in_parts(tensor));
  return parts;
}

Tensor out_of_parts(const Tensor& parts, const Tensor& like) {
  Tensor tensor(like.shape(), like.dtype());
  std::memcpy(tensor.mutable_bytes(), parts.data(), parts.bytes());
  return tensor;
}

void put_element(Tensor& tensor, std::int64_t index, double value) {
  Tensor element = is_float(tensor.dtype())
                       ? Tensor::scalar_of(tensor.dtype(), value)
                       : Tensor::scalar_of(tensor.dtype(), static_cast<std::int64_t>(value));
  std::memcpy(tensor.mutable_bytes() + static_cast<std::size_t>(index) * element.bytes(), element.data(),
              element.bytes());
}

double Random::below(double n) { return std::floor(static_cast<double>(engine_() >> 11) * 0x1p-53 * n); }

Tensor Random::draw(const ExampleOperand& operand, Numbers numbers) {
  Tensor tensor(operand.type.shape(), operand.type.dtype()), drawn = in_parts(tensor);
  for (std::int64_t i = 0; i < drawn.elements(); ++i)
    put_element(drawn, i, draw(operand.low, operand.high, drawn.dtype(), numbers));
  bool on_axes =
      is_complex(tensor.dtype()) && numbers == Numbers::powers_of_two;  // else division is not exact
  for (std::int64_t i = 0; i < tensor.elements() && on_axes; ++i)
    put_element(drawn, 2 * i + static_cast<std::int64_t>(below(2)), 0);
  return out_of_parts(drawn, tensor);
}

double Random::draw(double low, double high, DType dtype, Numbers numbers) {
  if (dtype == DType::boolean) return below(2);
  if (is_integer(dtype)) return std::ceil(low) + below(std::floor(high) - std::ceil(low) + 1);
  if (low == high) return low;
  double step = is_half(dtype) ? 1 : 0.25;
  switch (numbers) {
    case Numbers::any: return low + static_cast<double>(engine_() >> 11) * 0x1p-53 * (high - low);
    case Numbers::smooth: step = is_half(dtype) ? 0.5 : dtype == DType::f32 ? 0x1p-4 : 0x1p-10; break;
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

Types types_of(const std::vector<ExampleOperand>& operands) {
  Types types;
  for (const ExampleOperand& operand : operands) types.push_back(operand.type);
  return types;
}

PerDevice random_value(Random& random, const ExampleOperand& operand, Numbers numbers, const Mesh& mesh) {
  PerDevice value;
  if (operand.given) {
    Layout layout(mesh, Storage::per_device, {}, {});
    for (int device = 0; device < mesh.devices(); ++device) {
      int position = layout.position(operand.given->along, device);
      value.push_back(operand.given->at_positions[static_cast<std::size_t>(position)]);
    }
    return value;
  }
  for (int device = 0; device < mesh.devices(); ++device) {
    int first = first_with_same_value(operand.type, device, mesh);
    if (first < device) {
      value.push_back(value[static_cast<std::size_t>(first)]);
      continue;
    }
    value.push_back(random.draw(operand, numbers));
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

std::vector<std::vector<double>> totals(Type type, const PerDevice& complex_or_not) {
  const Mesh& mesh = example_mesh();
  PerDevice value = in_parts(complex_or_not);
  auto holds_a_term = [&](int device, int other) {
    return std::ranges::all_of(mesh.axes(), [&](const Axis& axis) {
      return type.at(axis) == State::unreduced ||
             mesh.coordinate(device, axis) == mesh.coordinate(other, axis);
    });
  };
  std::vector<std::vector<double>> sums;
  for (int device = 0; device < mesh.devices(); ++device) {
    std::vector<double>& sum = sums.emplace_back(static_cast<std::size_t>(value[0].elements()));
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
    Tensor a = in_parts(x), b = in_parts(y);
    bool is_pair = is_complex(x.dtype());
    for (std::int64_t i = 0; i < a.elements(); ++i)
      sum += (is_pair && i % 2 == 1 ? -1 : 1) * a.at(i) * b.at(i);
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
  Tensor all(lanes[0].shape().inserted(Dim{0}, static_cast<std::int64_t>(lanes.size())), lanes[0].dtype());
  for (std::size_t i = 0; i < lanes.size(); ++i)
    std::memcpy(all.mutable_bytes() + i * lanes[i].bytes(), lanes[i].data(), lanes[i].bytes());
  return all;
}

}  // namespace tutti
