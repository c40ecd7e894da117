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

constexpr char products[] = "write it with slices and dot_general";
constexpr char transforms[] = "compute it by dot_general with a matrix of sines and cosines";
constexpr char solvers[] = "compute it outside, or by loops";
constexpr char generators[] = "draw by threefry: jax.random with the default generator";
constexpr char one_thread[] = "programs that talk to a host, or differ between devices, are not run";
constexpr char fixed_shapes[] = "export with fixed shapes";
constexpr char rounding[] = "convert to bf16 or f16 and back";
constexpr char older[] = "an operation of earlier versions; lower with a newer one";
constexpr char pooling[] = "write it with slices, maximum and select";
constexpr char replicas[] = "lower with partitions: one replica";
constexpr char quantized[] = "dequantize before, and compute in floats";
constexpr char bundles[] = "return the arrays by themselves";
constexpr char reducer[] = "reduce over all devices, and keep the result on one";
constexpr char batches[] = "lower without batch_norm operations: write mean and variance";

constexpr OperationRow rows[] = {
    {"stablehlo.after_all", nullptr, says<one_thread>},
    {"stablehlo.batch_norm_grad", nullptr, says<batches>},
    {"stablehlo.batch_norm_inference", nullptr, says<batches>},
    {"stablehlo.batch_norm_training", nullptr, says<batches>},
    {"stablehlo.broadcast", nullptr, says<older>},
    {"stablehlo.cholesky", nullptr, says<solvers>},
    {"stablehlo.collective_reduce", nullptr, says<reducer>},
    {"stablehlo.convolution", nullptr, says<products>},
    {"stablehlo.create_token", nullptr, says<one_thread>},
    {"stablehlo.cross-replica-sum", nullptr, says<replicas>},
    {"stablehlo.dynamic_broadcast_in_dim", nullptr, says<fixed_shapes>},
    {"stablehlo.dynamic_conv", nullptr, says<fixed_shapes>},
    {"stablehlo.dynamic_gather", nullptr, says<fixed_shapes>},
    {"stablehlo.dynamic_iota", nullptr, says<fixed_shapes>},
    {"stablehlo.dynamic_pad", nullptr, says<fixed_shapes>},
    {"stablehlo.dynamic_reshape", nullptr, says<fixed_shapes>},
    {"stablehlo.einsum", nullptr, says<older>},
    {"stablehlo.fft", nullptr, says<transforms>},
    {"stablehlo.get_dimension_size", nullptr, says<fixed_shapes>},
    {"stablehlo.get_tuple_element", nullptr, says<bundles>},
    {"stablehlo.infeed", nullptr, says<one_thread>},
    {"stablehlo.map", nullptr, says<older>},
    {"stablehlo.outfeed", nullptr, says<one_thread>},
    {"stablehlo.real_dynamic_slice", nullptr, says<fixed_shapes>},
    {"stablehlo.recv", nullptr, says<one_thread>},
    {"stablehlo.reduce_precision", nullptr, says<rounding>},
    {"stablehlo.replica_id", nullptr, says<replicas>},
    {"stablehlo.rng", nullptr, says<generators>},
    {"stablehlo.rng_bit_generator", nullptr, says<generators>},
    {"stablehlo.round_nearest_afz", nullptr, says<older>},
    {"stablehlo.select_and_scatter", nullptr, says<pooling>},
    {"stablehlo.send", nullptr, says<one_thread>},
    {"stablehlo.set_dimension_size", nullptr, says<fixed_shapes>},
    {"stablehlo.torch_index_select", nullptr, says<older>},
    {"stablehlo.triangular_solve", nullptr, says<solvers>},
    {"stablehlo.tuple", nullptr, says<bundles>},
    {"stablehlo.unary_einsum", nullptr, says<older>},
    {"stablehlo.uniform_dequantize", nullptr, says<quantized>},
    {"stablehlo.uniform_quantize", nullptr, says<quantized>},
};

}  // namespace

OperationRows refused_rows() { return rows; }

}  // namespace tutti
