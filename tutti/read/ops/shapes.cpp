// SPDX-License-Identifier: Apache-2.0
// Operations that move elements, products and Fourier transforms.
#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/fft.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/optimization_barrier.hpp"
#include "tutti/ops/pad.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/reverse.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/ops/windows/convolution.hpp"
#include "tutti/read/operation_rows.hpp"
#include "tutti/stablehlo/attribute_text.hpp"

namespace tutti {
namespace {

Arrays iota_read(const OpReader& op) { return {iota(op.shape(), op.dtype(), op.dim("iota_dimension"))}; }

/// A number of a device, or a splat, stays one in another shape.
void keep_facts(const OpReader& op) {
  ReadValue& result = op.reading().value(op.op().results[0]);
  result.number = op.known(0).number;
  result.digits = op.known(0).digits;
}

Arrays reshaped(const OpReader& op) {
  keep_facts(op);
  return {reshape(op.operand(0), op.shape())};
}

Arrays broadcast_read(const OpReader& op) {
  keep_facts(op);
  return {broadcast_in_dim(op.operand(0), op.shape(), op.dims("broadcast_dimensions"))};
}

Arrays transposed(const OpReader& op) { return {transpose(op.operand(0), op.dims("permutation"))}; }

Arrays reversed(const OpReader& op) { return {rev(op.operand(0), op.dims("dimensions"))}; }

Arrays concatenated(const OpReader& op) { return {concatenate(op.operands(), op.dim("dimension"))}; }

Arrays sliced(const OpReader& op) {
  return {slice_in_dims(op.operand(0), {op.integers("start_indices"), op.integers("limit_indices"),
                                        op.integers("strides")})};
}

Arrays padded(const OpReader& op) {
  const std::vector<std::int64_t> low = op.integers("edge_padding_low"),
                                  high = op.integers("edge_padding_high"),
                                  interior = op.integers("interior_padding");
  require(low.size() == high.size() && low.size() == interior.size(), Code::shape,
          "{}, {} and {} values of low, high and interior padding", low.size(), high.size(), interior.size());
  std::vector<Padding> paddings;
  for (std::size_t i = 0; i < low.size(); ++i) paddings.push_back({low[i], high[i], interior[i]});
  return {pad(op.operand(0), op.operand(1), paddings)};
}

/// Converts an operand to `dtype`. The dtype of a result may be wider than that of its operands.
Array in_dtype(const Array& x, DType dtype) { return x.dtype() == dtype ? x : convert(x, dtype); }

/// Bools are multiplied by "and" and added by "or".
Array product_of(const OpReader& op, const DotGeneralOptions& dims) {
  const bool of_bools = op.dtype() == DType::boolean;
  const DType dtype = of_bools ? DType::i32 : op.dtype();
  const Array found = dot_general(in_dtype(op.operand(0), dtype), in_dtype(op.operand(1), dtype), dims);
  return of_bools ? not_equal(found, constant(std::int32_t{0})) : found;
}

Arrays product(const OpReader& op) {
  const stablehlo::Record& numbers = op.record("dot_dimension_numbers");
  const auto dims = [&](std::string_view name) { return dims_in(numbers, name); };
  return {product_of(op, {dims("lhs_batching_dimensions"), dims("rhs_batching_dimensions"),
                          dims("lhs_contracting_dimensions"), dims("rhs_contracting_dimensions")})};
}

/// The older product: the last dim of the first operand with the first dim of the second one.
Arrays plain_product(const OpReader& op) {
  return {product_of(op, {{}, {}, {op.operand(0).rank() - 1}, {0}})};
}

Arrays fourier(const OpReader& op) {
  const std::string word = op.word("fft_type");
  for (FftKind kind : {FftKind::fft, FftKind::ifft, FftKind::rfft, FftKind::irfft})
    if (word == fft_type_of(kind)) return {apply_one(Fft{kind, op.integers("fft_length")}, {op.operand(0)})};
  fail(Code::argument, "fft_type is {}, not FFT, IFFT, RFFT or IRFFT", word);
}

ConvolutionNumbers numbers_of(const OpReader& op) {
  const stablehlo::Attribute* found = op.attribute("dimension_numbers");
  require(found != nullptr, Code::text, "the attribute 'dimension_numbers' is missing");
  const std::string text = stablehlo::to_string(*found);
  constexpr std::string_view begin = "#stablehlo.conv<";
  const auto numbers =
      text.starts_with(begin) && text.ends_with(">")
          ? convolution_numbers(std::string_view(text).substr(begin.size(), text.size() - begin.size() - 1))
          : std::nullopt;
  require(numbers.has_value(), Code::text,
          "the attribute 'dimension_numbers' is {}; expected #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>",
          text);
  return *numbers;
}

Arrays convolved(const OpReader& op) {
  Convolution convolution{numbers_of(op),
                          {},
                          op.integer("feature_group_count", 1),
                          op.integer("batch_group_count", 1)};
  const std::size_t n = convolution.dims.input.spatial.size();
  const auto strides = op.integers("window_strides", 1, {n, 1, " (convolution_c2)"}),
             padding = op.integers("padding", 0, {n, 2, " (convolution_c4)"}),
             input = op.integers("lhs_dilation", 1, {n, 1, " (convolution_c5)"}),
             kernel = op.integers("rhs_dilation", 1, {n, 1, " (convolution_c7)"}),
             reversed = op.integers("window_reversal", 0, {n, 1, " (convolution_c9)"});
  for (std::size_t i = 0; i < n; ++i)
    convolution.windows.push_back(
        {strides[i], padding[2 * i], padding[2 * i + 1], input[i], kernel[i], reversed[i] != 0});
  const bool of_bools = op.dtype() == DType::boolean;
  const DType dtype = of_bools ? DType::i32 : op.dtype();
  const Array found =
      apply_one(convolution, {in_dtype(op.operand(0), dtype), in_dtype(op.operand(1), dtype)}, op.where());
  return {of_bools ? not_equal(found, constant(std::int32_t{0})) : found};
}

Arrays barrier(const OpReader& op) { return optimization_barrier_flat(op.operands(), op.where()); }

using namespace forms;
constexpr OperationRow rows[] = {
    {"stablehlo.broadcast_in_dim", one, broadcast_read},
    {"stablehlo.concatenate", some, concatenated},
    {"stablehlo.convolution", two, convolved},
    {"stablehlo.dot", two, plain_product},
    {"stablehlo.dot_general", two, product},
    {"stablehlo.fft", one, fourier},
    {"stablehlo.iota", none, iota_read},
    {"stablehlo.optimization_barrier", any, barrier},
    {"stablehlo.pad", two, padded},
    {"stablehlo.reshape", one, reshaped},
    {"stablehlo.reverse", one, reversed},
    {"stablehlo.slice", one, sliced},
    {"stablehlo.transpose", one, transposed},
};

}  // namespace

OperationRows shape_rows() { return rows; }

}  // namespace tutti
