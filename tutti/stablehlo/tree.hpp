// SPDX-License-Identifier: Apache-2.0
// The syntax of StableHLO as plain values: what a reader fills and a writer prints. No meaning is checked
// here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tutti/base/where.hpp"
#include "tutti/stablehlo/location.hpp"
#include "tutti/stablehlo/shardy.hpp"

namespace tutti::stablehlo {

/// The position of a byte in the text that a tree was read from. Two trees are equal wherever they stand.
struct TextPosition {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t byte = none;
  bool operator==(const TextPosition&) const { return true; }
};

struct TextPositions {
  std::vector<TextPosition> list;  // empty, or one per item
  bool operator==(const TextPositions&) const { return true; }
};

/// tensor<8x4xf32>: shape and element type by MLIR's name ("f32", "i1", "ui8", "complex<f32>"). A dim of
/// unknown size is -1.
struct TensorType {
  std::vector<std::int64_t> shape;
  std::string element;
  std::string encoding = {};  // "#stablehlo.bounds<3, ?>"; empty: none
  std::int64_t elements() const;
  bool operator==(const TensorType&) const = default;
};
/// !stablehlo.future<tensor<8x4xf32>>: what an asynchronous op returns before it is done.
struct FutureType {
  TensorType of;
  bool operator==(const FutureType&) const = default;
};
/// !stablehlo.token: orders sends and receives.
struct TokenType {
  bool operator==(const TokenType&) const = default;
};
/// A type without structure here, such as tuple<..>, as it stands in the text.
struct OtherType {
  std::string text;
  bool operator==(const OtherType&) const = default;
};
using ValueType = std::variant<TensorType, FutureType, TokenType, OtherType>;

struct Attribute;
struct NamedAttribute;  // not a pair: clang cannot complete one in the middle of the cycle of types
using Attributes = std::vector<NamedAttribute>;

struct Unit {
  bool operator==(const Unit&) const = default;
};
/// 1 : i64
struct Integer {
  std::int64_t value;
  std::string type = "i64";
  bool operator==(const Integer&) const = default;
};
/// 1.5 : f32
struct Float {
  double value;
  std::string type = "f64";
  bool operator==(const Float&) const = default;
};
/// array<i64: 1, 2>
struct IntegerArray {
  std::vector<std::int64_t> values;
  std::string type = "i64";
  bool operator==(const IntegerArray&) const = default;
};
/// @main
struct Symbol {
  std::string name;
  bool operator==(const Symbol&) const = default;
};
/// tensor<8xf32> as an attribute.
struct TypeAttribute {
  ValueType type;
  bool operator==(const TypeAttribute&) const = default;
};
/// dense<..> : tensor<..>; `data` little-endian, one byte per i1; one element's bytes alone mean a splat.
struct Dense {
  TensorType type;
  std::vector<std::byte> data;
  bool operator==(const Dense&) const = default;
};
/// #stablehlo<comparison_direction LT>
struct Enumeration {
  std::string kind, value;
  bool operator==(const Enumeration&) const = default;
};
/// #stablehlo.dot<lhs_contracting_dimensions = [1], ..>: the fields are Integers (bare), IntegerArrays (in
/// brackets), or any other attribute.
struct Record {
  std::string name;
  Attributes fields;
  bool operator==(const Record&) const;
};
struct List {
  std::vector<Attribute> items;
  bool operator==(const List&) const;
};
/// {channel_id = 1 : i64, ..}
struct Dictionary {
  Attributes entries;
  bool operator==(const Dictionary&) const;
};
/// An attribute that has no structure here, as it stands in the text.
struct Verbatim {
  std::string text;
  bool operator==(const Verbatim&) const = default;
};

struct Attribute {
  std::variant<Unit, bool, std::string, Integer, Float, IntegerArray, Dense, Enumeration, Symbol,
               TypeAttribute, Record, List, Dictionary, AxisPart, MeshAxes, ValueSharding, ShardingPerValue,
               ManualAxes, Verbatim>
      value;
  bool operator==(const Attribute&) const = default;
};
struct NamedAttribute {
  std::string name;
  Attribute value;
  TextPosition at = {};
  bool operator==(const NamedAttribute&) const = default;
};

Attribute integer(std::int64_t value);
Attribute integers(std::vector<std::int64_t> values);  // array<i64: ..>
/// `data` of all elements, row-major; equal elements become a splat.
Attribute dense(TensorType type, std::vector<std::byte> data);
Attribute dense_i64(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& values);
Attribute enumeration(std::string kind, std::string value);
Attribute record(std::string name, Attributes fields);

/// The attribute of this name; null if there is none.
const Attribute* find(const Attributes& attributes, std::string_view name);
/// The same, if it is a T.
template <class T>
const T* find_as(const Attributes& attributes, std::string_view name) {
  const Attribute* attribute = find(attributes, name);
  return attribute ? std::get_if<T>(&attribute->value) : nullptr;
}

/// An SSA value: its number in the function that holds it.
struct Value {
  int id = -1;
  bool operator==(const Value&) const = default;
};

struct Block;
struct Operation {
  std::string name;  // "stablehlo.add"
  std::vector<Value> operands, results;
  std::vector<ValueType> operand_types, result_types;
  Attributes attributes;
  std::vector<Block> regions;  // of one block each
  Location location;
  TextPosition at = {};  // of the name
  TextPositions operands_at = {};
  bool operator==(const Operation&) const;
};
struct Block {
  std::vector<Value> arguments;
  std::vector<ValueType> argument_types;
  std::vector<Operation> operations;  // the last one is the terminator
  bool operator==(const Block&) const;
};
struct Function {
  std::string name = "main";
  bool is_public = true;
  bool is_declaration = false;  // without body
  Block body;
  std::vector<Attributes> argument_attributes;  // empty, or one per argument
  std::vector<ValueType> result_types;
  std::vector<Attributes> result_attributes;
  Attributes attributes = {};  // of the function itself
  Locations argument_locations = {};
  TextPosition at = {};  // of the name
  bool operator==(const Function&) const = default;
};
struct Module {
  std::string name;
  Attributes attributes;
  std::vector<Operation> symbols;  // sdy.mesh
  std::vector<Function> functions;
  Location location = {};
  bool operator==(const Module&) const = default;
};

}  // namespace tutti::stablehlo
