// SPDX-License-Identifier: Apache-2.0
// The table of all operations.
#include "tutti/stablehlo/parse/forms.hpp"

#include <fmt/format.h>

#include "tutti/base/rows_by_name.hpp"
#include "tutti/base/similar_names.hpp"

namespace tutti::stablehlo {

#define NAME(name) "stablehlo." name
#define ELEMENTWISE(name) {NAME(name), &Parser::elementwise}
#define GENERIC_ONLY(name) {NAME(name), nullptr}

const Parser::Form Parser::forms[] = {
    ELEMENTWISE("abs"),
    ELEMENTWISE("add"),
    ELEMENTWISE("and"),
    ELEMENTWISE("atan2"),
    ELEMENTWISE("bitcast_convert"),
    ELEMENTWISE("cbrt"),
    ELEMENTWISE("ceil"),
    ELEMENTWISE("clamp"),
    ELEMENTWISE("convert"),
    ELEMENTWISE("cosine"),
    ELEMENTWISE("count_leading_zeros"),
    ELEMENTWISE("divide"),
    ELEMENTWISE("dynamic_pad"),
    ELEMENTWISE("dynamic_reshape"),
    ELEMENTWISE("dynamic_update_slice"),
    ELEMENTWISE("exponential"),
    ELEMENTWISE("exponential_minus_one"),
    ELEMENTWISE("floor"),
    ELEMENTWISE("imag"),
    ELEMENTWISE("is_finite"),
    ELEMENTWISE("log"),
    ELEMENTWISE("log_plus_one"),
    ELEMENTWISE("logistic"),
    ELEMENTWISE("maximum"),
    ELEMENTWISE("minimum"),
    ELEMENTWISE("multiply"),
    ELEMENTWISE("negate"),
    ELEMENTWISE("not"),
    ELEMENTWISE("or"),
    ELEMENTWISE("popcnt"),
    ELEMENTWISE("power"),
    ELEMENTWISE("real"),
    ELEMENTWISE("real_dynamic_slice"),
    ELEMENTWISE("remainder"),
    ELEMENTWISE("reshape"),
    ELEMENTWISE("round_nearest_afz"),
    ELEMENTWISE("round_nearest_even"),
    ELEMENTWISE("rsqrt"),
    ELEMENTWISE("shift_left"),
    ELEMENTWISE("shift_right_arithmetic"),
    ELEMENTWISE("shift_right_logical"),
    ELEMENTWISE("sign"),
    ELEMENTWISE("sine"),
    ELEMENTWISE("sqrt"),
    ELEMENTWISE("subtract"),
    ELEMENTWISE("tan"),
    ELEMENTWISE("tanh"),
    ELEMENTWISE("uniform_dequantize"),
    ELEMENTWISE("uniform_quantize"),
    ELEMENTWISE("xor"),
    {NAME("after_all"), &Parser::after_all},
    {NAME("broadcast"), &Parser::with_sizes, "broadcast_sizes"},
    {NAME("broadcast_in_dim"), &Parser::with_dims, "broadcast_dimensions"},
    {NAME("cholesky"), &Parser::with_words},
    {NAME("compare"), &Parser::compare},
    {NAME("complex"), &Parser::complex},
    {NAME("composite"), &Parser::composite},
    {NAME("concatenate"), &Parser::with_dim, "dimension"},
    {NAME("constant"), &Parser::constant},
    {NAME("convolution"), &Parser::convolution},
    {NAME("create_token"), &Parser::without_operands},
    {NAME("custom_call"), &Parser::custom_call},
    {NAME("dot"), &Parser::dot},
    {NAME("dot_general"), &Parser::dot_general},
    {NAME("dynamic_broadcast_in_dim"), &Parser::with_dims, "broadcast_dimensions"},
    {NAME("dynamic_iota"), &Parser::with_dim, "iota_dimension"},
    {NAME("dynamic_slice"), &Parser::with_sizes, "slice_sizes"},
    {NAME("fft"), &Parser::with_words},
    {NAME("get_dimension_size"), &Parser::with_dim, "dimension"},
    {NAME("get_tuple_element"), &Parser::element_of_tuple},
    {NAME("iota"), &Parser::iota},
    {NAME("optimization_barrier"), &Parser::barrier},
    {NAME("pad"), &Parser::pad},
    {NAME("partition_id"), &Parser::without_operands},
    {NAME("reduce"), &Parser::reduce},
    {NAME("reduce_precision"), &Parser::with_words},
    {NAME("replica_id"), &Parser::without_operands},
    {NAME("return"), &Parser::returned},
    {NAME("reverse"), &Parser::with_dims, "dimensions"},
    {NAME("rng"), &Parser::with_words},
    {NAME("rng_bit_generator"), &Parser::with_words},
    {NAME("select"), &Parser::select},
    {NAME("set_dimension_size"), &Parser::with_dim, "dimension"},
    {NAME("slice"), &Parser::slice},
    {NAME("transpose"), &Parser::with_dims, "permutation"},
    {NAME("tuple"), &Parser::tuple},
    {NAME("while"), &Parser::while_loop},
    GENERIC_ONLY("all_gather"),
    GENERIC_ONLY("all_reduce"),
    GENERIC_ONLY("all_to_all"),
    GENERIC_ONLY("async_done"),
    GENERIC_ONLY("async_start"),
    GENERIC_ONLY("batch_norm_grad"),
    GENERIC_ONLY("batch_norm_inference"),
    GENERIC_ONLY("batch_norm_training"),
    GENERIC_ONLY("case"),
    GENERIC_ONLY("collective_broadcast"),
    GENERIC_ONLY("collective_permute"),
    GENERIC_ONLY("collective_reduce"),
    GENERIC_ONLY("cross-replica-sum"),
    GENERIC_ONLY("dynamic_conv"),
    GENERIC_ONLY("dynamic_gather"),
    GENERIC_ONLY("einsum"),
    GENERIC_ONLY("gather"),
    GENERIC_ONLY("if"),
    GENERIC_ONLY("infeed"),
    GENERIC_ONLY("map"),
    GENERIC_ONLY("outfeed"),
    GENERIC_ONLY("recv"),
    GENERIC_ONLY("reduce_scatter"),
    GENERIC_ONLY("reduce_window"),
    GENERIC_ONLY("scatter"),
    GENERIC_ONLY("select_and_scatter"),
    GENERIC_ONLY("send"),
    GENERIC_ONLY("sort"),
    GENERIC_ONLY("torch_index_select"),
    GENERIC_ONLY("triangular_solve"),
    GENERIC_ONLY("unary_einsum"),
    {"chlo.top_k", &Parser::top_k},
    {"call", &Parser::call, "func.call"},
    {"func.call", &Parser::call},
    {"return", &Parser::returned, "func.return"},
    {"func.return", &Parser::returned},
    {"sdy.manual_computation", &Parser::manual_computation},
    {"sdy.mesh", &Parser::mesh_symbol},
    {"sdy.reshard", &Parser::sharding_constraint},
    {"sdy.return", &Parser::returned},
    {"sdy.sharding_constraint", &Parser::sharding_constraint},
};

#undef NAME
#undef ELEMENTWISE
#undef GENERIC_ONLY

const Parser::Form* Parser::form_of(std::string_view name) {
  static const RowsByName<Form> rows{forms};
  return rows.find(name);
}

void Parser::require_known(std::string_view name, std::size_t at) const {
  if (!name.starts_with("stablehlo.") || form_of(name)) return;
  std::vector<std::string> known;
  for (const Form& form : forms) known.emplace_back(form.name.substr(form.name.find('.') + 1));
  const std::vector<std::string> similar = similar_names(name.substr(name.find('.') + 1), known);
  in_.refuse_at(at, fmt::format("StableHLO has no operation '{}'{}", name,
                                similar.empty() ? "" : fmt::format("; is it stablehlo.{}?", similar[0])));
}

}  // namespace tutti::stablehlo
