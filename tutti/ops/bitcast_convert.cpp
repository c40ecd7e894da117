// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/bitcast_convert.hpp"
#include "tutti/base/inside.hpp"

#include <cstring>

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {
namespace {

Shape shape_in(Type x, DType to) {
  std::size_t from_bytes = bytes_per_element(x.dtype()), to_bytes = bytes_per_element(to);
  Dim behind{x.rank()}, last{x.rank() - 1};
  if (from_bytes == to_bytes) return x.shape();
  if (from_bytes > to_bytes)
    return x.shape().inserted(behind, static_cast<std::int64_t>(from_bytes / to_bytes));
  auto parts = static_cast<std::int64_t>(to_bytes / from_bytes);
  require(x.rank() > 0 && x.shape()[last] == parts, Code::shape,
          "{} does not end in a dim of {} elements, which make one {} (bitcast_convert_c1); reshape it first",
          x, parts, name(to));
  return x.shape().erased(last);
}

}  // namespace

Parameters BitcastConvert::parameters() const { return {{"to", std::string(tutti::name(to))}}; }

Types BitcastConvert::infer(const Types& operands) const {
  const Type& x = operands[0];
  require(x.dtype() != DType::boolean && to != DType::boolean, Code::dtype,
          "from {} to {}: a bool is one bit, however it is stored; convert it: {}", tutti::name(x.dtype()),
          tutti::name(to), conversion_to(to == DType::boolean ? DType::boolean : DType::i32));
  require(!is_complex(x.dtype()) && !is_complex(to), Code::dtype,
          "from {} to {}: a complex number is two numbers; take its parts: real(x), imag(x)",
          tutti::name(x.dtype()), tutti::name(to));
  require(x.dtype() != to, Code::dtype, "{} has this dtype already; leave the conversion out", x);
  return {Type(to, shape_in(x, to), agreed_states(operands, mixing()))};
}

Kernel BitcastConvert::kernel(const Layout& layout) const {
  return kernel::Opaque{.nanoseconds = 20 + 0.02 * static_cast<double>(layout.results()[0].bytes()),
                        .run = [bytes = layout.results()[0].bytes()](const kernel::Unit& unit) {
                          std::memcpy(unit.results[0], unit.operands[0], bytes);
                        }};
}

// Integers have no tangent. A float would have one that is wrong everywhere.
Jvp BitcastConvert::jvp(const Arrays& operands, const Tangents&) const {
  return constant_jvp(*this, operands);
}

std::string_view BitcastConvert::refusal(Rule rule) const {
  return rule == Rule::jvp && is_inexact(to)
             ? "the bits of a number do not follow it smoothly; take them of stop_gradient(x)"
             : "";
}

BatchedArrays BitcastConvert::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return elementwise_batch(*this, axis, operands);
}

Lowered BitcastConvert::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit("stablehlo.bitcast_convert", operands, emitter.result_types()[0])};
}

// Between dtypes of one width, and to and from u8 and i32, where these fit.
std::vector<Example> BitcastConvert::examples() {
  const Axes& axes = example_mesh().axes();
  std::vector<Example> examples;
  auto has_bits = [](DType dtype) { return dtype != DType::boolean && !is_complex(dtype); };
  auto is_part = [](DType dtype) { return dtype == DType::u8 || dtype == DType::i32; };
  for (DType from : all_dtypes())
    for (DType to : all_dtypes()) {
      if (from == to || !has_bits(from) || !has_bits(to)) continue;
      auto from_bytes = static_cast<std::int64_t>(bytes_per_element(from)),
           to_bytes = static_cast<std::int64_t>(bytes_per_element(to));
      if (from_bytes != to_bytes && !is_part(from) && !is_part(to)) continue;
      Shape parts = from_bytes < to_bytes ? Shape{to_bytes / from_bytes} : Shape{};
      Type row(from, parts.inserted(Dim{0}, 3), {{axes[0], varying}, {axes[1], reduced}});
      double low = is_unsigned(from) ? 0.0 : -2.0;
      examples.push_back({BitcastConvert{to}, {{row, low, 2}}});
      if (is_part(from)) examples.push_back({BitcastConvert{to}, {{Type(from, parts), low, 2}}});
    }
  return examples;
}

Array bitcast_convert(const Operand& x, DType to) {
  return front_end(BitcastConvert::name, x.where(), [&] {
    Array array = as_array(x);
    return array.dtype() == to ? array : apply_one(BitcastConvert{to}, {array});
  });
}

}  // namespace tutti
