// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/replica_form.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace tutti {
namespace {

using stablehlo::Operation;
using stablehlo::TensorType;
using stablehlo::Value;

// Only partitions have these.
constexpr std::array<std::string_view, 2> attributes_of_partitions{"channel_handle", "use_global_device_ids"};
constexpr std::array<std::string_view, 2> products{"stablehlo.dot_general", "stablehlo.convolution"};

const TensorType& tensor_of(const stablehlo::ValueType& type) { return std::get<TensorType>(type); }

bool is_integer_element(std::string_view element) {
  return element.starts_with('i') || element.starts_with("ui");
}

bool has_parts_of_f32(const stablehlo::ValueType& type) {
  const std::string& element = tensor_of(type).element;
  return element == "f32" || element == "complex<f32>";
}

std::size_t bytes_of_element(std::string_view element) {
  const std::string_view bits = element.substr(element.starts_with("ui") ? 2 : 1);
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::stoi(std::string(bits))) / 8);
}

/// Rewrites the operations of a block, and of the blocks inside.
class ReplicaForm {
 public:
  ReplicaForm(FunctionEmitter& emitter, Precision precision) : emitter_(emitter), precision_(precision) {}

  std::vector<Operation> rewritten(std::vector<Operation> operations) {
    std::vector<Operation> outer = std::exchange(written_, {});
    for (Operation& operation : operations) rewrite(std::move(operation));
    return std::exchange(written_, std::move(outer));
  }

 private:
  void rewrite(Operation operation) {
    for (stablehlo::Block& block : operation.regions)
      block.operations = rewritten(std::move(block.operations));
    if (has_no_zero(operation)) never_zero_.insert(operation.results[0].id);
    if (operation.name == "stablehlo.partition_id") operation.name = "stablehlo.replica_id";
    std::erase_if(operation.attributes, [](const stablehlo::NamedAttribute& attribute) {
      return std::ranges::find(attributes_of_partitions, attribute.name) != attributes_of_partitions.end();
    });
    if (precision_ == Precision::highest && std::ranges::find(products, operation.name) != products.end())
      set_highest_precision(operation);
    const bool divides = operation.name == "stablehlo.divide",
               leaves = operation.name == "stablehlo.remainder";
    if ((divides || leaves) && is_integer_element(tensor_of(operation.result_types[0]).element) &&
        !never_zero_.contains(operation.operands[1].id))
      guard_division(std::move(operation), divides);
    else written_.push_back(std::move(operation));
  }

  /// True for a constant of integers that holds no zero.
  static bool has_no_zero(const Operation& operation) {
    if (operation.name != "stablehlo.constant") return false;
    const auto* dense = std::get_if<stablehlo::Dense>(&operation.attributes.at(0).value.value);
    if (!dense || !is_integer_element(dense->type.element)) return false;
    const std::size_t bytes = bytes_of_element(dense->type.element);
    for (std::size_t at = 0; at < dense->data.size(); at += bytes)
      if (std::ranges::all_of(std::span(dense->data).subspan(at, bytes),
                              [](std::byte b) { return b == std::byte{0}; }))
        return false;
    return true;
  }

  static void set_highest_precision(Operation& product) {
    const stablehlo::Attribute highest = stablehlo::enumeration("precision", "HIGHEST");
    if (std::ranges::none_of(product.operand_types, has_parts_of_f32)) return;
    std::erase_if(product.attributes,
                  [](const auto& attribute) { return attribute.name == "precision_config"; });
    product.attributes.push_back({"precision_config", {stablehlo::List{{highest, highest}}}});
  }

  /// x / 0 is all ones, x % 0 is x.
  void guard_division(Operation division, bool divides) {
    const TensorType type = tensor_of(division.result_types[0]);
    const TensorType truth{type.shape, "i1"};
    const Value dividend = division.operands[0], divisor = division.operands[1], result = division.results[0];
    const Value is_zero =
        add("stablehlo.compare", {divisor, filled(type, 0)}, truth, division.location,
            {{"comparison_direction", stablehlo::enumeration("comparison_direction", "EQ")}});
    const Value safe = add("stablehlo.select", {is_zero, one(type), divisor}, type, division.location);
    const Value quotient =
        add(division.name, {dividend, safe}, type, division.location, std::move(division.attributes));
    const Value by_zero = divides ? filled(type, 0xff) : dividend;
    add("stablehlo.select", {is_zero, by_zero, quotient}, type, division.location);
    written_.back().results[0] = result;  // its readers stay as they are
  }

  Value add(std::string name, std::vector<Value> operands, const TensorType& type,
            const stablehlo::Location& place, stablehlo::Attributes attributes = {}) {
    Operation made;
    made.name = std::move(name);
    for (const Value operand : operands) made.operand_types.push_back(emitter_.type_of(operand));
    made.operands = std::move(operands);
    made.results = {emitter_.new_value(type)};
    made.result_types = {type};
    made.attributes = std::move(attributes);
    made.location = place;
    written_.push_back(std::move(made));
    return written_.back().results[0];
  }

  /// An array whose elements all have these bytes.
  Value constant(const TensorType& type, const std::vector<std::byte>& element) {
    stablehlo::Dense data{type, type.elements() > 0 ? element : std::vector<std::byte>{}};
    return add("stablehlo.constant", {}, type, {}, {{"value", {std::move(data)}}});
  }
  Value filled(const TensorType& type, int byte) {
    return constant(type, std::vector(bytes_of_element(type.element), static_cast<std::byte>(byte)));
  }
  Value one(const TensorType& type) {
    std::vector<std::byte> element(bytes_of_element(type.element));
    element[0] = std::byte{1};
    return constant(type, element);
  }

  FunctionEmitter& emitter_;
  Precision precision_;
  std::vector<Operation> written_;
  std::set<int> never_zero_;  // constants, by their numbers
};

}  // namespace

std::vector<Operation> in_replica_form(std::vector<Operation> operations, FunctionEmitter& emitter,
                                       Precision precision) {
  return ReplicaForm(emitter, precision).rewritten(std::move(operations));
}

}  // namespace tutti
