// SPDX-License-Identifier: Apache-2.0
#include "tutti/stablehlo/tree.hpp"

#include <algorithm>
#include <span>

namespace tutti::stablehlo {

Attribute integer(std::int64_t value) { return {Integer{value}}; }
Attribute integers(std::vector<std::int64_t> values) { return {IntegerArray{std::move(values)}}; }
Attribute enumeration(std::string kind, std::string value) {
  return {Enumeration{std::move(kind), std::move(value)}};
}
Attribute record(std::string name, Attributes fields) { return {Record{std::move(name), std::move(fields)}}; }

Attribute dense(TensorType type, std::vector<std::byte> data) {
  std::int64_t elements = type.elements();
  if (elements > 1) {
    std::size_t width = data.size() / static_cast<std::size_t>(elements);
    bool splat = std::equal(data.begin() + static_cast<std::ptrdiff_t>(width), data.end(), data.begin());
    if (splat) data.resize(width);
  }
  return {Dense{std::move(type), std::move(data)}};
}

Attribute dense_i64(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& values) {
  auto bytes = std::as_bytes(std::span(values));
  return dense({std::move(shape), "i64"}, {bytes.begin(), bytes.end()});
}

std::int64_t TensorType::elements() const {
  std::int64_t product = 1;
  for (std::int64_t size : shape) product *= size;
  return product;
}

const Attribute* find(const Attributes& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &NamedAttribute::name);
  return found == attributes.end() ? nullptr : &found->value;
}

bool Record::operator==(const Record&) const = default;
bool List::operator==(const List&) const = default;
bool Dictionary::operator==(const Dictionary&) const = default;
bool Operation::operator==(const Operation&) const = default;
bool Block::operator==(const Block&) const = default;

}  // namespace tutti::stablehlo
