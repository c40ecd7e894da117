// SPDX-License-Identifier: Apache-2.0
// The pretty forms of operations, as MLIR prints them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "tutti/base/rows_by_name.hpp"
#include "tutti/stablehlo/attribute_text.hpp"
#include "tutti/stablehlo/write/writer.hpp"

namespace tutti::stablehlo {

/// A row without `write` or `write_lines` has the form of elementwise operations.
struct Writer::Form {
  std::string_view name;
  PrettyForm (Writer::*write)(const Operation&) = nullptr;
  bool (Writer::*write_lines)(const Operation&) = nullptr;
  std::string_view detail = {};  // the attribute that the form names by a word of its own
};

#define ELEMENTWISE(name) {"stablehlo." name, &Writer::elementwise}
#define NAMED(name, write, ...) {"stablehlo." name, &Writer::write, nullptr __VA_OPT__(, ) __VA_ARGS__}

const Writer::Form Writer::forms[] = {
    ELEMENTWISE("abs"),
    ELEMENTWISE("add"),
    ELEMENTWISE("and"),
    ELEMENTWISE("atan2"),
    ELEMENTWISE("cbrt"),
    ELEMENTWISE("ceil"),
    ELEMENTWISE("clamp"),
    ELEMENTWISE("convert"),
    ELEMENTWISE("cosine"),
    ELEMENTWISE("count_leading_zeros"),
    ELEMENTWISE("divide"),
    ELEMENTWISE("exponential"),
    ELEMENTWISE("exponential_minus_one"),
    ELEMENTWISE("floor"),
    ELEMENTWISE("imag"),
    ELEMENTWISE("is_finite"),
    ELEMENTWISE("log"),
    ELEMENTWISE("log_plus_one"),
    ELEMENTWISE("logistic"),
    ELEMENTWISE("maximum"),
    ELEMENTWISE("minimum"),
    ELEMENTWISE("multiply"),
    ELEMENTWISE("negate"),
    ELEMENTWISE("not"),
    ELEMENTWISE("or"),
    ELEMENTWISE("popcnt"),
    ELEMENTWISE("power"),
    ELEMENTWISE("real"),
    ELEMENTWISE("remainder"),
    ELEMENTWISE("round_nearest_afz"),
    ELEMENTWISE("round_nearest_even"),
    ELEMENTWISE("rsqrt"),
    ELEMENTWISE("shift_left"),
    ELEMENTWISE("shift_right_arithmetic"),
    ELEMENTWISE("shift_right_logical"),
    ELEMENTWISE("sign"),
    ELEMENTWISE("sine"),
    ELEMENTWISE("sqrt"),
    ELEMENTWISE("subtract"),
    ELEMENTWISE("tan"),
    ELEMENTWISE("tanh"),
    ELEMENTWISE("xor"),
    NAMED("bitcast_convert", with_functional_type),
    NAMED("broadcast_in_dim", dims, "broadcast_dimensions"),
    NAMED("compare", compare),
    NAMED("complex", complex),
    NAMED("composite", composite),
    NAMED("concatenate", dim, "dimension"),
    NAMED("constant", constant),
    NAMED("convolution", convolution),
    NAMED("custom_call", custom_call),
    NAMED("dot", dot),
    NAMED("dot_general", dot_general),
    NAMED("dynamic_slice", dynamic_slice),
    NAMED("dynamic_update_slice", with_functional_type),
    NAMED("fft", fft),
    NAMED("iota", iota),
    NAMED("optimization_barrier", barrier),
    NAMED("pad", pad),
    NAMED("partition_id", without_operands),
    NAMED("reduce_precision", reduce_precision),
    NAMED("replica_id", without_operands),
    NAMED("reshape", with_functional_type),
    NAMED("return", returned),
    NAMED("reverse", dims, "dimensions"),
    NAMED("select", select),
    NAMED("slice", slice),
    NAMED("transpose", dims, "permutation"),
    {"stablehlo.reduce", nullptr, &Writer::reduce},
    {"stablehlo.while", nullptr, &Writer::while_loop},
    {"chlo.top_k", &Writer::top_k},
    {"func.call", &Writer::call},
    {"func.return", &Writer::returned},
    {"sdy.manual_computation", nullptr, &Writer::manual_computation},
    {"sdy.mesh", &Writer::mesh_symbol},
    {"sdy.reshard", &Writer::sharding_constraint},
    {"sdy.return", &Writer::returned},
    {"sdy.sharding_constraint", &Writer::sharding_constraint},
};

#undef ELEMENTWISE
#undef NAMED

namespace {

std::string in_brackets(const std::vector<std::int64_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

/// "[DEFAULT, HIGHEST]"; none: the list holds something else.
std::optional<std::string> precisions(const List& list) {
  std::vector<std::string> words;
  for (const Attribute& item : list.items) {
    const auto* word = std::get_if<Enumeration>(&item.value);
    if (!word) return std::nullopt;
    words.push_back(word->value);
  }
  return fmt::format("[{}]", fmt::join(words, ", "));
}

}  // namespace

bool Writer::pretty(const Operation& op) {
  static const RowsByName<Form> rows{forms};
  form_ = rows.find(op.name);
  if (!form_ && !op.name.starts_with("chlo.")) return false;
  if (form_ && form_->write_lines) return (this->*form_->write_lines)(op);
  if (!op.regions.empty()) return false;
  const PrettyForm form = form_ ? (this->*form_->write)(op) : arrow_typed(op);
  if (!form) return false;
  const std::string name = op.name == "func.return" ? "return" : op.name;
  const bool has_types = !op.operand_types.empty() || !op.result_types.empty();
  const std::string types = form->types.empty() ? same_or_functional_type(op) : form->types;
  const std::string content = name + form->text + other_attributes(op, form->spelled) +
                              (has_types ? " : " + types : "") + location(op.location);
  line(results_text(op) + content);
  return true;
}

std::string Writer::other_attributes(const Operation& op, const std::vector<std::string_view>& spelled) {
  Attributes others;
  for (const NamedAttribute& attribute : op.attributes)
    if (std::ranges::find(spelled, attribute.name) == spelled.end()) others.push_back(attribute);
  return others.empty() ? "" : " " + to_string(others);
}

Writer::PrettyForm Writer::elementwise(const Operation& op) { return Pretty{" " + operands(op)}; }

/// %x : (T) -> T, also where operands and result have one type
Writer::PrettyForm Writer::with_functional_type(const Operation& op) {
  return Pretty{" " + operands(op), {}, functional_type(op)};
}

/// %a, %b : tensor<2xcomplex<f32>>, where the operands are tensor<2xf32>
Writer::PrettyForm Writer::complex(const Operation& op) {
  if (op.result_types.size() != 1) return std::nullopt;
  const bool is_short = std::ranges::all_of(op.operand_types, [&](const ValueType& type) {
    const auto* part = std::get_if<TensorType>(&type);
    return part && op.result_types[0] ==
                       ValueType(TensorType{part->shape, "complex<" + part->element + ">", part->encoding});
  });
  return Pretty{" " + operands(op), {}, is_short ? to_string(op.result_types[0]) : functional_type(op)};
}

/// %p, %a, %b : P, T
Writer::PrettyForm Writer::select(const Operation& op) {
  if (op.operand_types.size() != 3 || op.result_types.size() != 1) return std::nullopt;
  const ValueType& type = op.result_types[0];
  const bool is_short = op.operand_types[1] == type && op.operand_types[2] == type;
  return Pretty{" " + operands(op),
                {},
                is_short ? listed_types({op.operand_types[0], type}) : functional_type(op)};
}

/// LT, %a, %b, FLOAT : (T, T) -> B
Writer::PrettyForm Writer::compare(const Operation& op) {
  const auto* direction = find_as<Enumeration>(op.attributes, "comparison_direction");
  const auto* kind = find_as<Enumeration>(op.attributes, "compare_type");
  if (!direction) return std::nullopt;
  return Pretty{fmt::format(" {}, {}{}", direction->value, operands(op), kind ? ", " + kind->value : ""),
                {"comparison_direction", "compare_type"},
                functional_type(op)};
}

/// dense<1.0> : T. The attributes stand before it.
Writer::PrettyForm Writer::constant(const Operation& op) {
  const auto* dense = find_as<Dense>(op.attributes, "value");
  if (!dense || op.result_types.size() != 1 || op.attributes.size() != 1) return std::nullopt;
  if (op.result_types[0] != ValueType(dense->type)) return std::nullopt;
  const std::string text = to_string(*dense);
  return Pretty{" " + text.substr(0, text.rfind(" : ")), {"value"}};
}

/// dim = 0 : T
Writer::PrettyForm Writer::iota(const Operation& op) {
  const auto* dim = find_as<Integer>(op.attributes, "iota_dimension");
  if (!dim) return std::nullopt;
  return Pretty{fmt::format(" dim = {}", dim->value), {"iota_dimension"}};
}

/// %x, dims = [0, 1] : ..
Writer::PrettyForm Writer::dims(const Operation& op) {
  const auto* all = find_as<IntegerArray>(op.attributes, form_->detail);
  if (!all) return std::nullopt;
  const bool keeps_type = op.name == "stablehlo.reverse";
  return Pretty{fmt::format(" {}, dims = {}", operands(op), in_brackets(all->values)),
                {form_->detail},
                keeps_type ? "" : functional_type(op)};
}

/// %a, %b, dim = 1 : ..
Writer::PrettyForm Writer::dim(const Operation& op) {
  const auto* dim = find_as<Integer>(op.attributes, form_->detail);
  if (!dim) return std::nullopt;
  return Pretty{fmt::format(" {}, dim = {}", operands(op), dim->value), {form_->detail}, functional_type(op)};
}

/// %x [1:3, 4:8:2] : (T) -> U
Writer::PrettyForm Writer::slice(const Operation& op) {
  const auto* starts = find_as<IntegerArray>(op.attributes, "start_indices");
  const auto* limits = find_as<IntegerArray>(op.attributes, "limit_indices");
  const auto* strides = find_as<IntegerArray>(op.attributes, "strides");
  if (!starts || !limits || !strides || starts->values.size() != limits->values.size() ||
      starts->values.size() != strides->values.size())
    return std::nullopt;
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < starts->values.size(); ++i)
    ranges.push_back(fmt::format("{}:{}", starts->values[i], limits->values[i]) +
                     (strides->values[i] == 1 ? "" : fmt::format(":{}", strides->values[i])));
  return Pretty{fmt::format(" {} [{}]", operands(op), fmt::join(ranges, ", ")),
                {"start_indices", "limit_indices", "strides"},
                functional_type(op)};
}

/// %x, %i, %j, sizes = [1, 4] : ..
Writer::PrettyForm Writer::dynamic_slice(const Operation& op) {
  const auto* sizes = find_as<IntegerArray>(op.attributes, "slice_sizes");
  if (!sizes) return std::nullopt;
  return Pretty{fmt::format(" {}, sizes = {}", operands(op), in_brackets(sizes->values)),
                {"slice_sizes"},
                functional_type(op)};
}

/// %x, %v, low = [..], high = [..], interior = [..] : ..
Writer::PrettyForm Writer::pad(const Operation& op) {
  const auto* low = find_as<IntegerArray>(op.attributes, "edge_padding_low");
  const auto* high = find_as<IntegerArray>(op.attributes, "edge_padding_high");
  const auto* interior = find_as<IntegerArray>(op.attributes, "interior_padding");
  if (!low || !high || !interior) return std::nullopt;
  return Pretty{fmt::format(" {}, low = {}, high = {}, interior = {}", operands(op), in_brackets(low->values),
                            in_brackets(high->values), in_brackets(interior->values)),
                {"edge_padding_low", "edge_padding_high", "interior_padding"},
                functional_type(op)};
}

/// %x, format = e5m10 : T
Writer::PrettyForm Writer::reduce_precision(const Operation& op) {
  const auto* exponent = find_as<Integer>(op.attributes, "exponent_bits");
  const auto* mantissa = find_as<Integer>(op.attributes, "mantissa_bits");
  if (!exponent || !mantissa) return std::nullopt;
  return Pretty{fmt::format(" {}, format = e{}m{}", operands(op), exponent->value, mantissa->value),
                {"exponent_bits", "mantissa_bits"}};
}

/// %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [..] : ..
Writer::PrettyForm Writer::dot_general(const Operation& op) {
  const auto* numbers = find_as<Record>(op.attributes, "dot_dimension_numbers");
  if (!numbers) return std::nullopt;
  const auto dims = [&](std::string_view name) {
    const auto* array = find_as<IntegerArray>(numbers->fields, name);
    return array ? array->values : std::vector<std::int64_t>{};
  };
  std::string text = " " + operands(op);
  for (const char* kind : {"batching", "contracting"}) {
    const auto left = dims(fmt::format("lhs_{}_dimensions", kind));
    const auto right = dims(fmt::format("rhs_{}_dimensions", kind));
    // The contracting dims are always written.
    if (!left.empty() || !right.empty() || kind[0] == 'c')
      text += fmt::format(", {}_dims = {} x {}", kind, in_brackets(left), in_brackets(right));
  }
  std::vector<std::string_view> spelled{"dot_dimension_numbers"};
  if (const auto* precision = find_as<List>(op.attributes, "precision_config")) {
    const auto words = precisions(*precision);
    if (!words) return std::nullopt;
    if (!precision->items.empty()) text += ", precision = " + *words;
    spelled.emplace_back("precision_config");
  }
  if (find(op.attributes, "algorithm")) return std::nullopt;
  return Pretty{text, spelled, functional_type(op)};
}

/// %a, %b, precision = [DEFAULT, DEFAULT] : ..
Writer::PrettyForm Writer::dot(const Operation& op) {
  const auto* precision = find_as<List>(op.attributes, "precision_config");
  const auto words = precision ? precisions(*precision) : std::nullopt;
  if (precision && !words) return std::nullopt;
  const bool is_written = precision && !precision->items.empty();
  return Pretty{" " + operands(op) + (is_written ? ", precision = " + *words : ""),
                {"precision_config"},
                functional_type(op)};
}

namespace {

/// "[[0, 1], [2, 3]]" of a table of i64 with two columns.
std::optional<std::string> pairs_in_brackets(const Dense& dense) {
  constexpr std::size_t bytes = sizeof(std::int64_t);
  if (dense.type.elements() == 0) return "[]";
  if (dense.type.element != "i64" || dense.data.size() < bytes) return {};
  const auto at = [&](std::int64_t i) {
    std::int64_t value = 0;
    const bool is_splat = dense.data.size() == bytes;
    std::memcpy(&value, dense.data.data() + (is_splat ? 0 : static_cast<std::size_t>(i) * bytes), bytes);
    return value;
  };
  std::vector<std::string> pairs;
  for (std::int64_t i = 0; i + 1 < dense.type.elements(); i += 2)
    pairs.push_back(fmt::format("[{}, {}]", at(i), at(i + 1)));
  return fmt::format("[{}]", fmt::join(pairs, ", "));
}

}  // namespace

/// (%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], ..} {..} : (..) -> ..
Writer::PrettyForm Writer::convolution(const Operation& op) {
  const auto* numbers = find_as<Verbatim>(op.attributes, "dimension_numbers");
  constexpr std::string_view begin = "#stablehlo.conv<";
  if (!numbers || !numbers->text.starts_with(begin) || !numbers->text.ends_with(">")) return std::nullopt;
  std::vector<std::string> window;
  std::vector<std::string_view> spelled{"dimension_numbers"};
  const auto add = [&](std::string_view name, std::string_view key, const std::string& value) {
    spelled.push_back(name);
    window.push_back(fmt::format("{} = {}", key, value));
  };
  constexpr std::pair<std::string_view, std::string_view> lists[] = {{"window_strides", "stride"},
                                                                     {"padding", "pad"},
                                                                     {"lhs_dilation", "lhs_dilate"},
                                                                     {"rhs_dilation", "rhs_dilate"},
                                                                     {"window_reversal", "reverse"}};
  for (const auto& [name, key] : lists) {
    const Attribute* attribute = find(op.attributes, name);
    if (!attribute) continue;
    if (name == "padding") {
      const auto* pairs = std::get_if<Dense>(&attribute->value);
      const auto text = pairs ? pairs_in_brackets(*pairs) : std::nullopt;
      if (!text) return std::nullopt;
      add(name, key, *text);
      continue;
    }
    const auto* array = std::get_if<IntegerArray>(&attribute->value);
    if (!array) return std::nullopt;
    std::vector<std::string> words;
    for (const std::int64_t value : array->values)
      words.push_back(name == "window_reversal" ? (value != 0 ? "true" : "false") : std::to_string(value));
    add(name, key, fmt::format("[{}]", fmt::join(words, ", ")));
  }
  const std::string dims = numbers->text.substr(begin.size(), numbers->text.size() - begin.size() - 1);
  return Pretty{fmt::format("({}) dim_numbers = {}, window = {{{}}}", operands(op), dims,
                            fmt::join(window, ", ")),
                spelled, functional_type(op)};
}

/// %x : T -> U. MLIR has other forms for operations with attributes and for those that broadcast.
Writer::PrettyForm Writer::arrow_typed(const Operation& op) {
  if (op.operands.empty() || op.result_types.size() != 1) return std::nullopt;
  if (op.name.starts_with("chlo.broadcast_") || !std::ranges::all_of(op.attributes, is_foreign))
    return std::nullopt;
  return Pretty{" " + operands(op),
                {},
                listed_types(op.operand_types) + " -> " + to_string(op.result_types[0])};
}

/// %x, type = FFT, length = [16] : (T) -> T
Writer::PrettyForm Writer::fft(const Operation& op) {
  const auto* kind = find_as<Enumeration>(op.attributes, "fft_type");
  const auto* lengths = find_as<IntegerArray>(op.attributes, "fft_length");
  if (!kind || !lengths) return std::nullopt;
  return Pretty{fmt::format(" {}, type = {}, length = {}", operands(op), kind->value,
                            in_brackets(lengths->values)),
                {"fft_type", "fft_length"},
                functional_type(op)};
}

/// (%x, k = 3) : T -> (U, V)
Writer::PrettyForm Writer::top_k(const Operation& op) {
  const auto* k = find_as<Integer>(op.attributes, "k");
  if (!k || op.attributes.size() != 1) return std::nullopt;
  return Pretty{fmt::format("({}, k = {})", operands(op), k->value),
                {"k"},
                listed_types(op.operand_types) + " -> (" + listed_types(op.result_types) + ")"};
}

}  // namespace tutti::stablehlo
