// SPDX-License-Identifier: Apache-2.0
// Legal operations that are not run here, and what to do instead.
#include "tutti/read/operation_rows.hpp"

namespace tutti {
namespace {

using Source = const SourceModule&;
using Op = const stablehlo::Operation&;

template <const char* instead>
std::optional<Refusal> says(Source, Op) {
  return Refusal{"", instead};
}

constexpr char older[] = "an operation of earlier versions; lower with a newer one";
constexpr char generators[] = "draw by threefry: jax.random with the default generator";
constexpr char one_thread[] = "programs that talk to a host, or differ between devices, are not run";
constexpr char fixed_shapes[] = "export with fixed shapes";
constexpr char replicas[] = "lower with partitions: one replica";
constexpr char quantized[] = "dequantize before, and compute in floats";
constexpr char bundles[] = "return the arrays by themselves";
constexpr char reducer[] = "reduce over all devices, and keep the result on one";
constexpr char batches[] = "lower without batch_norm operations: write mean and variance";

using namespace forms;
constexpr OperationRow rows[] = {
    {"stablehlo.after_all", unknown, nullptr, says<one_thread>},
    {"stablehlo.batch_norm_grad", unknown, nullptr, says<batches>},
    {"stablehlo.batch_norm_inference", unknown, nullptr, says<batches>},
    {"stablehlo.batch_norm_training", unknown, nullptr, says<batches>},
    {"stablehlo.broadcast", unknown, nullptr, says<older>},
    {"stablehlo.collective_reduce", unknown, nullptr, says<reducer>},
    {"stablehlo.create_token", unknown, nullptr, says<one_thread>},
    {"stablehlo.cross-replica-sum", unknown, nullptr, says<replicas>},
    {"stablehlo.dynamic_broadcast_in_dim", unknown, nullptr, says<fixed_shapes>},
    {"stablehlo.dynamic_conv", unknown, nullptr, says<fixed_shapes>},
    {"stablehlo.dynamic_gather", unknown, nullptr, says<fixed_shapes>},
    {"stablehlo.dynamic_iota", unknown, nullptr, says<fixed_shapes>},
    {"stablehlo.dynamic_pad", unknown, nullptr, says<fixed_shapes>},
    {"stablehlo.dynamic_reshape", unknown, nullptr, says<fixed_shapes>},
    {"stablehlo.einsum", unknown, nullptr, says<older>},
    {"stablehlo.get_dimension_size", unknown, nullptr, says<fixed_shapes>},
    {"stablehlo.get_tuple_element", unknown, nullptr, says<bundles>},
    {"stablehlo.infeed", unknown, nullptr, says<one_thread>},
    {"stablehlo.map", unknown, nullptr, says<older>},
    {"stablehlo.outfeed", unknown, nullptr, says<one_thread>},
    {"stablehlo.real_dynamic_slice", unknown, nullptr, says<fixed_shapes>},
    {"stablehlo.recv", unknown, nullptr, says<one_thread>},
    {"stablehlo.rng", unknown, nullptr, says<generators>},
    {"stablehlo.rng_bit_generator", unknown, nullptr, says<generators>},
    {"stablehlo.send", unknown, nullptr, says<one_thread>},
    {"stablehlo.set_dimension_size", unknown, nullptr, says<fixed_shapes>},
    {"stablehlo.torch_index_select", unknown, nullptr, says<older>},
    {"stablehlo.tuple", unknown, nullptr, says<bundles>},
    {"stablehlo.unary_einsum", unknown, nullptr, says<older>},
    {"stablehlo.uniform_dequantize", unknown, nullptr, says<quantized>},
    {"stablehlo.uniform_quantize", unknown, nullptr, says<quantized>},
};

}  // namespace

OperationRows refused_rows() { return rows; }

}  // namespace tutti
