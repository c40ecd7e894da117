// SPDX-License-Identifier: Apache-2.0
// Normalisation of layers; programs show the ops. standardize is in functions/folds/statistics.
#pragma once

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/array.hpp"
#include "tutti/ops/dims.hpp"

namespace tutti {

/// Options of layer_norm and rms_norm: the dims that are normalised, and what is added to the variance.
struct NormalizationOptions {
  internal::WhichDims dims = -1;
  double epsilon = 1e-5;
};
/// (x - mean) / sqrt(variance + epsilon) over `dims`, times scale, plus bias, which broadcast as in NumPy.
/// f16 and bf16 are normalised in f32 and rounded before they are scaled. Throws T006, T007 (complex numbers,
/// or dtypes that differ).
/// Source: Ba, Kiros, Hinton 2016.
Array layer_norm(const Operand& x, const NormalizationOptions& options = {});
Array layer_norm(const Operand& x, const Operand& scale, const Operand& bias,
                 const NormalizationOptions& options = {});
/// x / sqrt(mean(x^2) + epsilon) over `dims`, times scale; otherwise as layer_norm.
/// Source: Zhang, Sennrich 2019.
Array rms_norm(const Operand& x, const NormalizationOptions& options = {});
Array rms_norm(const Operand& x, const Operand& scale, const NormalizationOptions& options = {});

}  // namespace tutti
