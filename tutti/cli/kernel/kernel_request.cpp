// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/kernel/kernel_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "tutti/base/require.hpp"
#include "tutti/cli/words/words.hpp"
#include "tutti/kernels/spec/element_type.hpp"
#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::cli {
namespace {

using kernels::CollectiveKind;
using kernels::CollectiveSpec;

/// Returns the enumerator of this name; `option` names the option in the error.
template <class Values>
auto named(const Values& all, std::string_view wanted, std::string_view option) {
  std::vector<std::string_view> names;
  for (const auto value : all) {
    if (name(value) == wanted) return value;
    names.push_back(name(value));
  }
  fail(Code::usage, "{}: there is no '{}'; use one of {}", option, wanted,
       fmt::format("{}", fmt::join(names, ", ")));
}

DType dtype_of(const std::string& text, CollectiveKind kind) {
  const auto answer = kernels::element_type(text, kind);
  if (const auto* refusal = std::get_if<kernels::ElementRefusal>(&answer))
    fail(Code::argument, "--dtype: {}", refusal->why);
  return std::get<DType>(answer);
}

// Reads pairs: "0-1,1-2".
Pairs parse_pairs(std::string_view text) {
  Pairs pairs;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::string_view word = text.substr(begin, text.find(',', begin) - begin);
    const std::size_t dash = word.find('-');
    int source = 0, target = 0;
    require(dash != word.npos && reads(word.substr(0, dash), source) && reads(word.substr(dash + 1), target),
            Code::usage, "--pairs: '{}' in '{}' is not a source and a target; write for example 0-1,1-0",
            word, text);
    pairs.emplace_back(source, target);
    begin += word.size() + 1;
  }
  return pairs;
}

Pairs ring_of(int world) {
  Pairs pairs;
  for (int rank = 0; rank < world; ++rank) pairs.emplace_back(rank, (rank + 1) % world);
  return pairs;
}

Pairs pairs_of(const KernelArguments& arguments, CollectiveKind kind) {
  if (!arguments.pairs.empty()) return parse_pairs(arguments.pairs);
  return kind == CollectiveKind::ppermute ? ring_of(arguments.world) : Pairs{};
}

std::optional<ReduceKind> reduction_of(const std::string& op, CollectiveKind kind) {
  constexpr ReduceKind all[] = {ReduceKind::sum, ReduceKind::max, ReduceKind::min};
  if (!op.empty()) return named(all, op, "--op");
  return kernels::is_reduction(kind) ? std::optional(ReduceKind::sum) : std::nullopt;
}

}  // namespace

KernelRequest request_of(const KernelArguments& arguments) {
  KernelRequest request;
  CollectiveSpec& spec = request.spec;
  spec.kind = named(kernels::all_collectives(), arguments.kind, "collective");
  // The ranks are written out below, so a huge world is refused first.
  require(arguments.world >= 1 && arguments.world <= 1 << 16, Code::usage,
          "--world: {} ranks; a kernel is for 1 to {}", arguments.world, kernels::most_world);
  spec.world = arguments.world;
  spec.reduction = reduction_of(arguments.op, spec.kind);
  spec.dtype = dtype_of(arguments.dtype, spec.kind);
  request.type_name = arguments.dtype;
  spec.shape = parse_shape(arguments.shape);
  spec.dim = Dim{arguments.dim};
  if (!arguments.concat.empty()) {
    int concat = 0;
    require(reads(arguments.concat, concat), Code::usage, "--concat: '{}' is not a dim; write for example 1",
            arguments.concat);
    if (concat != arguments.dim) spec.concat = Dim{concat};
  }
  spec.groups.emplace_back(static_cast<std::size_t>(spec.world));
  std::iota(spec.groups[0].begin(), spec.groups[0].end(), 0);
  spec.pairs = pairs_of(arguments, spec.kind);
  spec.variant = kernels::variants_of(spec.kind).front();
  if (!arguments.variant.empty())
    spec.variant = named(kernels::all_variants(), arguments.variant, "--variant");
  constexpr kernels::Target targets[] = {kernels::Target::nvidia, kernels::Target::amd};
  request.target = named(targets, arguments.target, "--target");
  request.encoding = named(kernels::all_encodings(), arguments.encoding, "--encoding");
  return request;
}

}  // namespace tutti::cli
