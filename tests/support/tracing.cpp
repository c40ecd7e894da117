// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tracing.hpp"

#include <cstring>

#include "tutti/base/error.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

std::string code_and_message(const Error& error) {
  return std::string(error.label()) + ": " + error.message();
}

std::string to_string(const kernel::Coordinate& coordinate) {
  std::string weight = coordinate.weight == 1 ? "" : "*" + std::to_string(coordinate.weight);
  switch (coordinate.of) {
    case kernel::Coordinate::Source::nowhere: return "nowhere";
    case kernel::Coordinate::Source::dim: return "d" + std::to_string(coordinate.dim.index) + weight;
    case kernel::Coordinate::Source::axis: return std::string(coordinate.axis.name) + weight;
  }
  return {};
}

std::vector<std::int64_t> strides_of(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.sizes().size());
  std::int64_t stride = 1;
  for (std::size_t i = strides.size(); i-- > 0; stride *= shape.sizes()[i]) strides[i] = stride;
  return strides;
}

std::int64_t step(const kernel::Coordinate& coordinate, const std::vector<std::int64_t>& strides) {
  if (coordinate.of != kernel::Coordinate::Source::dim) return 0;
  return coordinate.weight * strides[static_cast<std::size_t>(coordinate.dim.index)];
}

}  // namespace

std::string refusal_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return code_and_message(error);
  }
  return "accepted";
}

std::string refusal_of(const Op& op, const Types& operands) {
  return refusal_of([&] { op->infer(operands); });
}

std::string program_text(const Types& types, const std::function<Array(const Arrays&)>& function) {
  return text_of(trace(types, [&](const Arrays& x) { return Arrays{function(x)}; }).program);
}

std::string text_of(Program program) {
  check(program);
  return to_string(without_places(program));
}

Kernel kernel_of(const Op& op, const Types& operands) {
  return op->kernel(Layout(example_mesh(), Storage::by_type, operands, op->infer(operands)));
}

std::string to_string(const kernel::View& view) {
  if (view.reshape) return "reshape";
  std::string text;
  for (const kernel::Digit& digit : view.digits)
    text += (text.empty() ? "" : ", ") + std::to_string(digit.size) + ": " + to_string(digit.from) + " > " +
            to_string(digit.to);
  for (std::size_t i = 0; i < view.start.size(); ++i)
    text +=
        (i == 0 ? " from [" : ", ") + std::to_string(view.start[i]) + (i + 1 == view.start.size() ? "]" : "");
  return text;
}

Tensor viewed(const kernel::View& view, const Tensor& x, const Shape& result) {
  if (view.reshape) return x.reshaped(result);
  Tensor y(result, x.dtype());
  std::vector<std::int64_t> from = strides_of(x.shape()), to = strides_of(result);
  std::int64_t elements = 1;
  for (const kernel::Digit& digit : view.digits) elements *= digit.size;
  std::size_t bytes = bytes_per_element(x.dtype());
  for (std::int64_t i = 0; i < elements; ++i) {
    std::int64_t rest = i, source = 0, target = 0;
    for (std::size_t d = 0; d < view.start.size(); ++d) source += view.start[d] * from[d];
    for (const kernel::Digit& digit : view.digits) {
      source += rest % digit.size * step(digit.from, from);
      target += rest % digit.size * step(digit.to, to);
      rest /= digit.size;
    }
    std::memcpy(y.mutable_bytes() + static_cast<std::size_t>(target) * bytes,
                x.data() + static_cast<std::size_t>(source) * bytes, bytes);
  }
  return y;
}

Tensor counted(DType dtype, const Shape& shape) {
  Tensor tensor(shape, dtype);
  std::size_t bytes = bytes_per_element(dtype);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    Tensor element = Tensor::scalar_of(dtype, dtype == DType::boolean ? (i + 1) % 2 : i + 1);
    std::memcpy(tensor.mutable_bytes() + static_cast<std::size_t>(i) * bytes, element.data(), bytes);
  }
  return tensor;
}

}  // namespace tutti
