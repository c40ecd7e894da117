// SPDX-License-Identifier: Apache-2.0
#include "tests/xla/fake_plugin/module_text.hpp"

#include <map>
#include <regex>

namespace fake_pjrt {
namespace {

struct Element {
  std::int32_t type;
  std::size_t bytes;
};
const std::map<std::string, Element>& elements() {
  static const std::map<std::string, Element> all{{"i1", {1, 1}},
                                                  {"i8", {2, 1}},
                                                  {"i16", {3, 2}},
                                                  {"i32", {4, 4}},
                                                  {"i64", {5, 8}},
                                                  {"ui8", {6, 1}},
                                                  {"ui16", {7, 2}},
                                                  {"ui32", {8, 4}},
                                                  {"ui64", {9, 8}},
                                                  {"f16", {10, 2}},
                                                  {"f32", {11, 4}},
                                                  {"f64", {12, 8}},
                                                  {"bf16", {13, 2}},
                                                  {"complex<f32>", {14, 8}},
                                                  {"complex<f64>", {15, 16}}};
  return all;
}

/// "2x3xf32"
ArrayText read_array(std::string text) {
  ArrayText array;
  for (std::size_t x; !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) &&
                      (x = text.find('x')) != text.npos;
       text.erase(0, x + 1))
    array.dims.push_back(std::stoll(text));
  array.type = elements().at(text).type;
  return array;
}

std::vector<ArrayText> read_arrays(const std::string& text) {
  static const std::regex tensor("tensor<((?:[^<>]|<[^<>]*>)*)>");
  std::vector<ArrayText> arrays;
  for (std::sregex_iterator at(text.begin(), text.end(), tensor); at != std::sregex_iterator(); ++at)
    arrays.push_back(read_array((*at)[1]));
  return arrays;
}

std::uint64_t read_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0; !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

struct Field {
  std::uint64_t name = 0, number = 0;
  std::string_view content;
};
std::vector<Field> read_fields(std::string_view bytes) {
  std::vector<Field> fields;
  while (!bytes.empty()) {
    const std::uint64_t tag = read_varint(bytes);
    Field field{tag / 8, read_varint(bytes), {}};
    if (tag % 8 == 2) {
      field.content = bytes.substr(0, field.number);
      bytes.remove_prefix(field.content.size());
    }
    fields.push_back(field);
  }
  return fields;
}

std::vector<int> read_assignment(std::string_view bytes) {
  std::vector<int> ids;
  for (const Field& field : read_fields(bytes))
    if (field.name == 3)
      for (const Field& packed : read_fields(field.content))
        for (std::string_view list = packed.content; !list.empty();)
          ids.push_back(static_cast<int>(read_varint(list)));
  return ids;
}

}  // namespace

std::size_t ArrayText::bytes() const {
  std::size_t product = 0;
  for (const auto& [name, element] : elements())
    if (element.type == type) product = element.bytes;
  for (const std::int64_t dim : dims) product *= static_cast<std::size_t>(dim);
  return product;
}

std::optional<ModuleText> read_module(const std::string& text) {
  static const std::regex alias("tf\\.aliasing_output = (\\d+)");
  std::smatch main;
  if (!std::regex_search(text, main, std::regex("@main\\(([^)]*)\\)\\s*->\\s*([^\\n]*)\\{\\n")))
    return std::nullopt;
  ModuleText module{read_arrays(main[1]), read_arrays(main[2]), {}};
  std::string parameters = main[1];
  for (std::size_t at = parameters.find('%'); at != parameters.npos;) {
    const std::size_t next = parameters.find('%', at + 1);
    const std::string one = parameters.substr(at, next - at);
    std::smatch found;
    module.alias.push_back(std::regex_search(one, found, alias) ? std::optional(std::stoul(found[1]))
                                                                : std::nullopt);
    at = next;
  }
  return module;
}

OptionsText read_options(std::string_view bytes) {
  OptionsText options;
  for (const Field& outer : read_fields(bytes)) {
    if (outer.name == 7) options.overrides.emplace_back(read_fields(outer.content).at(0).content);
    if (outer.name != 3) continue;
    for (const Field& field : read_fields(outer.content)) {
      if (field.name == 4) options.replicas = field.number;
      if (field.name == 5) options.partitions = field.number;
      if (field.name == 9) options.device_ids = read_assignment(field.content);
    }
  }
  return options;
}

}  // namespace fake_pjrt
