// SPDX-License-Identifier: Apache-2.0
// The attributes of an operation, in the spellings of all versions.
#include <algorithm>
#include <cstring>

#include "tutti/base/require.hpp"
#include "tutti/read/reading.hpp"
#include "tutti/stablehlo/attribute_text.hpp"
#include "tutti/stablehlo/element.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {
namespace {

constexpr std::int64_t most_dims = 0x7fffffff;

std::vector<int> as_dims(const std::vector<std::int64_t>& numbers) {
  std::vector<int> dims;
  for (const std::int64_t number : numbers) dims.push_back(dim_of(number));
  return dims;
}

template <class T>
const T& as(const stablehlo::Operation& op, std::string_view name, std::string_view expected) {
  const stablehlo::Attribute* attribute = find(op.attributes, name);
  require(attribute != nullptr, Code::text, "the attribute '{}' is missing; it is {}", name, expected);
  const T* value = std::get_if<T>(&attribute->value);
  if (!value)
    fail(Code::text, "the attribute '{}' is {}; expected {}", name, to_string(*attribute), expected);
  return *value;
}

std::int64_t integer_at(const std::byte* data, const stablehlo::Element& element) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, data, element.bytes());
  return stablehlo::integer_of(element, bits);
}

}  // namespace

std::optional<std::vector<std::int64_t>> integers_of(const stablehlo::Attribute& attribute) {
  if (const auto* array = std::get_if<stablehlo::IntegerArray>(&attribute.value)) return array->values;
  std::vector<std::int64_t> values;
  if (const auto* list = std::get_if<stablehlo::List>(&attribute.value)) {
    for (const stablehlo::Attribute& item : list->items) {
      const auto* integer = std::get_if<stablehlo::Integer>(&item.value);
      if (!integer) return std::nullopt;
      values.push_back(integer->value);
    }
    return values;
  }
  const auto* dense = std::get_if<stablehlo::Dense>(&attribute.value);
  const auto element = dense ? stablehlo::element_named(dense->type.element) : std::nullopt;
  if (!element || is_float(*element) || element->complex) return std::nullopt;
  for (std::size_t at = 0; at < dense->data.size(); at += element->bytes())
    values.push_back(integer_at(dense->data.data() + at, *element));
  if (values.size() == 1) values.resize(static_cast<std::size_t>(dense->type.elements()), values[0]);
  return values;
}

int dim_of(std::int64_t number) {
  require(number >= -most_dims && number <= most_dims, Code::dim, "there is no dim {}", number);
  return static_cast<int>(number);
}

std::vector<int> dims_in(const stablehlo::Record& record, std::string_view name) {
  const stablehlo::Attribute* field = find(record.fields, name);
  if (!field) return {};
  const auto values = integers_of(*field);
  require(values.has_value(), Code::text, "{} is no list of dims", name);
  return as_dims(*values);
}

std::int64_t OpReader::integer(std::string_view name) const {
  return as<stablehlo::Integer>(op_, name, "an integer").value;
}

std::int64_t OpReader::integer(std::string_view name, std::int64_t otherwise) const {
  return attribute(name) ? integer(name) : otherwise;
}

std::vector<std::int64_t> OpReader::integers(std::string_view name) const {
  const stablehlo::Attribute* found = attribute(name);
  require(found != nullptr, Code::text, "the attribute '{}' is missing; it is array<i64: ..>", name);
  const auto values = integers_of(*found);
  if (!values) fail(Code::text, "the attribute '{}' is {}; expected array<i64: ..>", name, to_string(*found));
  return *values;
}

std::vector<std::int64_t> OpReader::integers(std::string_view name, std::int64_t otherwise,
                                             ForDims dims) const {
  const std::size_t count = dims.dims * dims.each;
  if (!attribute(name)) return std::vector<std::int64_t>(count, otherwise);
  std::vector<std::int64_t> all = integers(name);
  require(all.size() == count, Code::dim, "{} numbers of {} for {} dims; expected {}{}", all.size(), name,
          dims.dims, count, dims.label);
  return all;
}

int OpReader::dim(std::string_view name) const { return dim_of(integer(name)); }

std::vector<int> OpReader::dims(std::string_view name) const { return as_dims(integers(name)); }

bool OpReader::flag(std::string_view name) const {
  const stablehlo::Attribute* found = attribute(name);
  if (!found) return false;
  if (const bool* value = std::get_if<bool>(&found->value)) return *value;
  return std::holds_alternative<stablehlo::Unit>(found->value);
}

std::string OpReader::word(std::string_view name, std::string_view otherwise) const {
  const stablehlo::Attribute* found = attribute(name);
  if (!found) {
    require(!otherwise.empty(), Code::text, "the attribute '{}' is missing", name);
    return std::string(otherwise);
  }
  if (const auto* text = std::get_if<std::string>(&found->value)) return *text;
  return as<stablehlo::Enumeration>(op_, name, "a word").value;
}

const stablehlo::Record& OpReader::record(std::string_view name) const {
  return as<stablehlo::Record>(op_, name, "#stablehlo.name<..>");
}

std::optional<DType> dtype_of_elements(const stablehlo::TensorType& type) {
  static constexpr std::pair<std::string_view, DType> names[] = {{"i1", DType::boolean},
                                                                 {"i8", DType::i8},
                                                                 {"i16", DType::i16},
                                                                 {"i32", DType::i32},
                                                                 {"i64", DType::i64},
                                                                 {"si8", DType::i8},
                                                                 {"si16", DType::i16},
                                                                 {"si32", DType::i32},
                                                                 {"si64", DType::i64},
                                                                 {"ui8", DType::u8},
                                                                 {"ui16", DType::u16},
                                                                 {"ui32", DType::u32},
                                                                 {"ui64", DType::u64},
                                                                 {"f16", DType::f16},
                                                                 {"bf16", DType::bf16},
                                                                 {"f32", DType::f32},
                                                                 {"f64", DType::f64},
                                                                 {"complex<f32>", DType::complex64},
                                                                 {"complex<f64>", DType::complex128}};
  for (const auto& [name, dtype] : names)
    if (type.element == name) return dtype;
  return std::nullopt;
}

Type type_of(const stablehlo::ValueType& type) {
  const auto* future = std::get_if<stablehlo::FutureType>(&type);
  const auto* tensor = future ? &future->of : std::get_if<stablehlo::TensorType>(&type);
  if (!tensor) fail(Code::unsupported, "values of {} are not known here", to_string(type));
  const std::optional<DType> dtype = dtype_of_elements(*tensor);
  require(dtype.has_value(), Code::unsupported, "elements of {} are not known here; convert them before",
          tensor->element);
  if (std::ranges::any_of(tensor->shape, [](std::int64_t size) { return size < 0; }))
    fail(Code::unsupported, "{} has a dim of unknown size; export with fixed shapes", to_string(*tensor));
  return Type(*dtype, Shape(tensor->shape));
}

bool is_type(const stablehlo::ValueType& type, DType dtype, const Shape& shape) {
  const auto* future = std::get_if<stablehlo::FutureType>(&type);
  const auto* tensor = future ? &future->of : std::get_if<stablehlo::TensorType>(&type);
  return tensor && dtype_of_elements(*tensor) == dtype && std::ranges::equal(tensor->shape, shape);
}

Type OpReader::result_type(std::size_t i) const { return type_of(op_.result_types[i]); }

}  // namespace tutti
