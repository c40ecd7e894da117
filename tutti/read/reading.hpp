// SPDX-License-Identifier: Apache-2.0
// Replays the operations of a module with the functions of this library, in the current trace.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "tutti/ir/builder.hpp"
#include "tutti/read/source.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti {

/// Digits of a device's number: number / divisor % modulus.
struct DeviceDigits {
  std::int64_t divisor, modulus;
};

/// The facts about one value of the text.
struct ReadValue {
  std::optional<Array> array;
  std::optional<double> number;        // all elements are this number
  std::optional<DeviceDigits> digits;  // an integer that tells devices apart
  std::optional<Array> drawn_by;       // the key whose 64 random bits it is a half of, for each element
  const stablehlo::Operation* made_by = nullptr;
};

class OpReader;

/// The evaluation of one function: its values, by their numbers. Regions share them.
class Reading {
 public:
  struct Options {
    const SourceModule& source;
    Mesh mesh;                      // of the module
    bool assumes_invariant = true;  // results that a map does not name are taken as equal on all devices
  };
  /// Bounds what the calls of a module may be inlined to.
  struct Budget {
    std::int64_t operations = 10'000'000;
    int calls = 0;
  };

  Reading(const Options& options, Budget& budget, Axes bound = {})
      : options_(options), budget_(budget), bound_(std::move(bound)) {}

  /// The results of a function for these arguments. Inlines it.
  Arrays function(const stablehlo::Function& function, const Arrays& arguments);
  /// Computes a region for these arguments. The region may use values of outside.
  Arrays block(const stablehlo::Block& block, const Arrays& arguments);

  const SourceModule& source() const { return options_.source; }
  const Options& options() const { return options_; }
  Budget& budget() { return budget_; }
  /// The mesh that the devices of collectives are positions of.
  const Mesh& mesh() const { return options_.mesh; }
  /// The axes that maps around have made manual.
  const Axes& bound() const { return bound_; }

  const ReadValue& value(stablehlo::Value value) const;
  ReadValue& value(stablehlo::Value value);
  /// The same, or an empty record if the value has not been computed yet.
  ReadValue value_if_known(stablehlo::Value value) const;
  /// A number above those of all values so far.
  int values() const { return static_cast<int>(values_.size()); }

 private:
  void operation(const stablehlo::Operation& op);
  void set_results(const stablehlo::Operation& op, const Arrays& results);

  Options options_;
  Budget& budget_;
  Axes bound_;
  std::vector<ReadValue> values_;
};

/// One operation to be read: its operands as arrays, and its attributes.
class OpReader {
 public:
  OpReader(Reading& reading, const stablehlo::Operation& op) : reading_(reading), op_(op) {
    for (const stablehlo::Value operand : op.operands) operands_.push_back(*reading.value(operand).array);
  }

  const stablehlo::Operation& op() const { return op_; }
  Reading& reading() const { return reading_; }
  const Arrays& operands() const { return operands_; }
  const Array& operand(std::size_t i) const { return operands_[i]; }
  const ReadValue& known(std::size_t i) const { return reading_.value(op_.operands[i]); }
  Where where() const { return reading_.source().place(op_); }

  Type result_type(std::size_t i = 0) const;
  Shape shape(std::size_t i = 0) const { return result_type(i).shape(); }
  DType dtype(std::size_t i = 0) const { return result_type(i).dtype(); }

  const stablehlo::Attribute* attribute(std::string_view name) const { return find(op_.attributes, name); }
  /// Throws T009 if the operation lacks the attribute, or it is of another kind.
  std::int64_t integer(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  std::vector<std::int64_t> integers(std::string_view name) const;
  /// `each` numbers for each of `dims` dims. `label` ends the message of another count: " (convolution_c2)".
  struct ForDims {
    std::size_t dims, each = 1;
    std::string_view label = {};
  };
  /// The numbers of an attribute; without it each is `otherwise`. Throws T006 if it has another count.
  std::vector<std::int64_t> integers(std::string_view name, std::int64_t otherwise, ForDims dims) const;
  int dim(std::string_view name) const;
  std::vector<int> dims(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::string word(std::string_view name, std::string_view otherwise = {}) const;
  const stablehlo::Record& record(std::string_view name) const;

 private:
  Reading& reading_;
  const stablehlo::Operation& op_;
  Arrays operands_;
};

/// The type of one device's value of a type of the text. Throws S002 for elements or dims that are not known
/// here.
Type type_of(const stablehlo::ValueType& type);
/// Whether a type of the text is that of arrays of this dtype and shape.
bool is_type(const stablehlo::ValueType& type, DType dtype, const Shape& shape);
/// None: elements that are not known here.
std::optional<DType> dtype_of_elements(const stablehlo::TensorType& type);

/// A number of the text as a dim. Throws T006 if it is none: beyond 2^31.
int dim_of(std::int64_t number);
/// The dims that a record lists under this name; empty if it does not.
std::vector<int> dims_in(const stablehlo::Record& record, std::string_view name);
/// The integers of array<i64: ..>, of a list, or of dense<..>, as earlier versions wrote it.
std::optional<std::vector<std::int64_t>> integers_of(const stablehlo::Attribute& attribute);

}  // namespace tutti
