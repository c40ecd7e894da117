// SPDX-License-Identifier: Apache-2.0
// Words of StableHLO for the ops of linear algebra.
#pragma once

#include <string>
#include <string_view>

#include "tutti/base/inside.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/tensor/tensor.hpp"

namespace tutti::ops {

/// Writes ops on values of one shape, whose last two dims are rows and columns.
class MatrixEmitter {
 public:
  MatrixEmitter(Emitter& emitter, Shape shape) : emitter_(emitter), shape_(std::move(shape)) {}

  /// The number of the row of each element, and of the column: i32.
  stablehlo::Value rows() const { return counted(shape_.rank() - 2); }
  stablehlo::Value columns() const { return counted(shape_.rank() - 1); }
  /// Compares i32 numbers.
  stablehlo::Value compare(std::string direction, stablehlo::Value a, stablehlo::Value b) const {
    return emitter_.emit("stablehlo.compare", {a, b}, Type(DType::boolean, shape_),
                         {{"comparison_direction",
                           stablehlo::enumeration("comparison_direction", std::move(direction))},
                          {"compare_type", stablehlo::enumeration("comparison_type", "SIGNED")}});
  }
  stablehlo::Value select(stablehlo::Value kept, stablehlo::Value x, stablehlo::Value y, Type type) const {
    return emitter_.emit("stablehlo.select", {kept, x, y}, type);
  }
  stablehlo::Value zeros(Type type) const { return emitter_.constant(Tensor(type.shape(), type.dtype())); }

 private:
  stablehlo::Value counted(int dim) const {
    return emitter_.emit("stablehlo.iota", {}, Type(DType::i32, shape_),
                         {{"iota_dimension", stablehlo::integer(dim)}});
  }

  Emitter& emitter_;
  Shape shape_;
};

}  // namespace tutti::ops
