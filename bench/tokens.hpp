// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "examples/transformer_model.hpp"
#include "tutti/tensor/tensor.hpp"

namespace tutti::bench {

/// A batch for the transformer: i32[32,32], characters 0 to 95.
inline transformer::Batch tokens() {
  Tensor seen({32, 32}, DType::i32), next = seen;
  for (std::int64_t i = 0; i < seen.elements(); ++i) {
    seen.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(i * 7 % 96);
    next.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>((i + 1) * 7 % 96);
  }
  return {seen, next};
}

}  // namespace tutti::bench
