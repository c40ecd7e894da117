// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/values.hpp"

#include <fmt/ranges.h>

#include "tutti/base/overloaded.hpp"

namespace tutti::xla {
namespace {

void set_value(NamedValue& named, const Value& value) {
  named.size = 1;
  std::visit(Overloaded{[&](const std::string& text) {
                          named.kind = value_kind::string;
                          named.string = text.data();
                          named.size = text.size();
                        },
                        [&](std::int64_t number) {
                          named.kind = value_kind::int64;
                          named.int64 = number;
                        },
                        [&](const std::vector<std::int64_t>& list) {
                          named.kind = value_kind::int64_list;
                          named.int64_list = list.data();
                          named.size = list.size();
                        },
                        [&](float number) {
                          named.kind = value_kind::float32;
                          named.float32 = number;
                        },
                        [&](bool flag) {
                          named.kind = value_kind::boolean;
                          named.boolean = flag;
                        }},
             value);
}

Value value_of(const NamedValue& named) {
  switch (named.kind) {
    case value_kind::string: return text_of(named.string, named.size);
    case value_kind::int64: return named.int64;
    case value_kind::int64_list:
      return std::vector<std::int64_t>(named.int64_list, named.int64_list + named.size);
    case value_kind::float32: return named.float32;
    case value_kind::boolean: return named.boolean;
    default: return fmt::format("(a value of kind {})", named.kind);
  }
}

}  // namespace

std::string to_string(const Value& value) {
  return std::visit(Overloaded{[](const std::string& text) { return text; },
                               [](const std::vector<std::int64_t>& list) {
                                 return fmt::format("[{}]", fmt::join(list, ", "));
                               },
                               [](auto number) { return fmt::format("{}", number); }},
                    value);
}

std::vector<NamedValue> named_values(const Values& values) {
  std::vector<NamedValue> all(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    all[i].head.struct_size = sizeof(NamedValue);
    all[i].name = values[i].first.data();
    all[i].name_bytes = values[i].first.size();
    set_value(all[i], values[i].second);
  }
  return all;
}

Values values_of(const NamedValue* list, std::size_t count) {
  Values values;
  for (std::size_t i = 0; i < count; ++i)
    values.emplace_back(text_of(list[i].name, list[i].name_bytes), value_of(list[i]));
  return values;
}

std::string text_of(const char* text, std::size_t bytes) {
  return text ? std::string(text, bytes) : std::string();
}

}  // namespace tutti::xla
