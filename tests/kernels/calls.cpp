// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/calls.hpp"

#include <cstring>

#include <fmt/format.h>

#include "tests/kernels/specs.hpp"
#include "tutti/kernels/check/expected.hpp"
#include "tutti/kernels/gpu/call_arrays.hpp"

namespace tutti::kernels {

Tensors inputs_of(const CollectiveSpec& spec, int call) {
  const CallData data(spec, call, Numbers::whole);
  Tensors tensors;
  for (int rank = 0; rank < spec.world; ++rank) {
    Tensor& tensor = tensors.emplace_back(spec.dtype, data.input_shape());
    data.fill_input(rank, 0, {tensor.mutable_bytes(), tensor.bytes()});
  }
  return tensors;
}

Tensors outputs_of(const CollectiveSpec& spec, int call) {
  const CallData data(spec, call, Numbers::whole);
  Tensors tensors;
  for (int rank = 0; rank < spec.world; ++rank) {
    Tensor& tensor = tensors.emplace_back(spec.dtype, data.output_shape());
    data.fill_output(rank, 0, {tensor.mutable_bytes(), tensor.bytes()});
  }
  return tensors;
}

Calls::Calls(const std::shared_ptr<Group>& group, const CollectiveSpec& wanted,
             const CollectiveOptions& options)
    : spec(wanted),
      inputs(group, spec.dtype, operand_shape(spec)),
      outputs(group, spec.dtype, result_shape(spec)),
      collective(Collective::make(group, spec, options)) {}

std::string difference(const Tensors& found, const Tensors& expected) {
  for (std::size_t rank = 0; rank < expected.size(); ++rank) {
    const std::size_t size = bytes_per_element(expected[rank].dtype());
    for (std::size_t at = 0; at < expected[rank].bytes(); at += size)
      if (std::memcmp(found[rank].data() + at, expected[rank].data() + at, size) != 0)
        return fmt::format("rank {}, element {} of {}", rank, at / size, expected[rank].elements());
  }
  return "";
}

std::vector<CollectiveSpec> specs_of_world(int world, DType moved, DType reduced, const Shape& shape) {
  std::vector<CollectiveSpec> specs;
  for (CollectiveKind kind : all_collectives()) {
    const int dims = has_dim(kind) ? shape.rank() : 1;
    for (int dim = 0; dim < dims; ++dim) {
      CollectiveSpec spec = spec_for(kind, is_reduction(kind) ? reduced : moved, shape, world, Dim{dim});
      // A ring without its last pair: one rank has no source, and one no target.
      if (kind == CollectiveKind::ppermute)
        for (int rank = 0; rank + 1 < world; ++rank) spec.pairs.emplace_back(rank, rank + 1);
      specs.push_back(spec);
      if (kind == CollectiveKind::all_to_all && shape.rank() > 1) {
        spec.concat = Dim{(dim + 1) % shape.rank()};
        specs.push_back(spec);
      }
    }
  }
  return specs;
}

}  // namespace tutti::kernels
