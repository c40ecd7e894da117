// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/effects/message.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/tensor/print.hpp"

namespace tutti {
namespace {

/// The one element of a scalar, as `{:format}` writes it.
std::string formatted(const Tensor& scalar, const std::string& format) {
  const std::string place = "{:" + format + "}";
  return with_element(scalar.dtype(), [&]<class T>(std::type_identity<T>) -> std::string {
    if constexpr (std::same_as<T, bool>) return fmt::format(fmt::runtime(place), scalar.at(0) != 0);
    else if constexpr (std::signed_integral<T>)
      return fmt::format(fmt::runtime(place), static_cast<std::int64_t>(scalar.as<T>()[0]));
    else if constexpr (std::unsigned_integral<T>)
      return fmt::format(fmt::runtime(place), static_cast<std::uint64_t>(scalar.as<T>()[0]));
    else return fmt::format(fmt::runtime(place), scalar.at(0));
  });
}

void require_format(const std::string& format, Type value) {
  if (format.empty()) return;
  require(value.rank() == 0 && !is_complex(value.dtype()), Code::argument,
          "the format {{:{}}} is for a real scalar, the value is {}; write {{}}", format, value);
  try {
    formatted(Tensor(Shape{}, value.dtype()), format);
  } catch (const fmt::format_error& error) {
    fail(Code::argument, "the format {{:{}}} does not suit {}: {}; write {{}} or a format of std::format",
         format, to_string(value), error.what());
  }
}

}  // namespace

Message::Message(std::string_view text) {
  std::string before;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '{' && c != '}') {
      before += c;
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == c) {
      before += text[++i];
      continue;
    }
    const std::size_t end = c == '{' ? text.find('}', i) : text.npos;
    const std::string_view inside = end == text.npos ? "" : text.substr(i + 1, end - i - 1);
    require(end != text.npos && (inside.empty() || inside[0] == ':') && inside.find('{') == inside.npos,
            Code::argument,
            "\"{}\" has a brace at {} that is no place for a value; write {{}} or {{:.3f}} for a place, "
            "{{{{ and }}}} for braces",
            text, i);
    places_.push_back({std::exchange(before, ""), std::string(inside.substr(inside.empty() ? 0 : 1))});
    i = end;
  }
  end_ = before;
}

void Message::require_values(const Types& values) const {
  require(places_.size() == values.size(), Code::argument, "the text has {} for {}; write one {{}} per value",
          counted(std::ssize(places_), "place"), counted(std::ssize(values), "value"));
  for (std::size_t i = 0; i < values.size(); ++i) require_format(places_[i].format, values[i]);
}

std::string Message::with(const Tensors& values) const {
  std::string text;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto& [before, format] = places_[i];
    text += before + (format.empty() ? to_string(values[i]) : formatted(values[i], format));
  }
  return text + end_;
}

std::int64_t ops::count_of(const Lanes& lanes) { return Shape(lanes).elements(); }

Parameters ops::message_parameters(const std::string& text, const Lanes& lanes) {
  Parameters parameters{{"text", fmt::format("\"{}\"", text)}};
  if (!lanes.empty()) parameters.emplace_back("lanes", bracketed(lanes));
  return parameters;
}

Type ops::effect_type(const Types& operands, const Lanes& lanes) {
  Type effect(DType::boolean, Shape(lanes));
  for (const Type& operand : operands)
    for (const auto& [axis, state] : operand.states())
      if (is_stored_per_device(state)) effect = effect.with(axis, State::varying);
  return effect;
}

Tensors ops::values_of(const kernel::Unit& unit, const Types& operands, std::size_t first, const Lanes& lanes,
                       std::int64_t lane) {
  const Types types = without_lanes(operands, lanes);
  Tensors values;
  for (std::size_t i = first; i < operands.size(); ++i) {
    Tensor value(types[i].shape(), types[i].dtype());
    if (value.bytes() > 0)
      std::memcpy(value.mutable_bytes(), unit.operands[i] + static_cast<std::size_t>(lane) * value.bytes(),
                  value.bytes());
    values.push_back(std::move(value));
  }
  return values;
}

std::string internal::devices_of(const kernel::Unit& unit, const std::vector<std::string>& holders) {
  const auto number = static_cast<std::size_t>(unit.number);
  const std::string inside = number < holders.size() ? holders[number] : "";
  const std::string outside = unit.printer ? unit.printer->place() : "";
  return outside + (outside.empty() || inside.empty() ? "" : ", ") + inside;
}

void ops::require_lanes(const Types& operands, const Lanes& lanes) {
  for (const Type& operand : operands) {
    const std::vector<std::int64_t>& sizes = operand.shape().sizes();
    require(sizes.size() >= lanes.size() && std::equal(lanes.begin(), lanes.end(), sizes.begin()),
            Code::shape, "an operand is {}; its first dims must be the lanes, [{}]", operand,
            fmt::format("{}", fmt::join(lanes, ", ")));
  }
}

Types ops::without_lanes(const Types& operands, const Lanes& lanes) {
  Types values;
  for (const Type& operand : operands) {
    const std::vector<std::int64_t>& sizes = operand.shape().sizes();
    values.push_back(operand.with(Shape(std::vector(sizes.begin() + std::ssize(lanes), sizes.end()))));
  }
  return values;
}

InLanes ops::in_lanes(const Axis& axis, const BatchedArrays& operands) {
  const bool batched = std::ranges::any_of(operands, &Batched::batched);
  Arrays arrays;
  for (const Batched& operand : operands)
    arrays.push_back(batched ? materialised(operand, axis) : operand.array);
  return {std::move(arrays), batched};
}

Arrays ops::as_values(const std::vector<Operand>& values) {
  Arrays arrays;
  for (const Operand& value : values) {
    if (value.array()) arrays.push_back(*value.array());
    else arrays.push_back(std::visit([](auto number) { return constant(number); }, *value.number()));
  }
  return arrays;
}

}  // namespace tutti
