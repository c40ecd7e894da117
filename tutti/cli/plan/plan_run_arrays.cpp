// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/plan/plan_run_arrays.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include "tutti/base/require.hpp"
#include "tutti/plan/take_step.hpp"
#include "tutti/types/block.hpp"

namespace tutti::cli {
namespace {

// The term of position `k`, above 0, along the unreduced axes. Position 0 has what is left: more than the
// value.
std::int32_t term_at(std::int64_t index, std::int64_t k) {
  return -static_cast<std::int32_t>(1 + (index + k) % 5);
}

// A shard of [terms, whole] whose dim 0 is split over the unreduced axes is one of terms.
GlobalArray with_terms(const Shape& whole, const Sharding& sharding) {
  Sharding by_term{sharding.mesh, sharding.dims, {}, sharding.reduced};
  by_term.dims.insert(by_term.dims.begin(), sharding.unreduced);
  const Tensor terms = terms_of_the_whole(whole, joint_size(sharding.unreduced));
  return {Type(DType::i32, whole), sharding, GlobalArray::distributed(terms, by_term).buffer()};
}

void check(const GlobalArray& array, std::string_view when) {
  const Sharding& held = *array.sharding();
  if (!held.unreduced.empty()) {
    Sharding sum = held;
    sum.unreduced.clear();
    return check(GlobalArray::distributed(array, sum), when);
  }
  for (int position = 0; position < held.mesh.devices(); ++position) {
    const Tensor part = array.shard(position);
    check_block(part.as<std::int32_t>().data(), part.shape(), position, held, array.type().shape(), when);
  }
}

}  // namespace

std::int32_t value_at(std::int64_t index) { return static_cast<std::int32_t>(index % 1'000'000'007) + 1; }

Tensor terms_of_the_whole(const Shape& whole, int terms) {
  Tensor tensor(whole.inserted(Dim{0}, terms), DType::i32);
  auto* values = tensor.mutable_data<std::int32_t>();
  const std::int64_t n = whole.elements();
  for (std::int64_t i = 0; i < n; ++i) values[i] = value_at(i);
  for (std::int64_t k = 1; k < terms; ++k)
    for (std::int64_t i = 0; i < n; ++i) {
      values[k * n + i] = term_at(i, k);
      values[i] -= term_at(i, k);
    }
  return tensor;
}

void check_block(const std::int32_t* values, const Shape& stored, int position, const Sharding& sharding,
                 const Shape& whole, std::string_view when) {
  const Box box = block(position, sharding, whole);
  std::vector<std::int64_t> at = box.begin;
  for (std::int64_t left = box.elements(); left > 0; --left) {
    std::int64_t index = 0, place = 0;
    for (std::size_t dim = 0; dim < at.size(); ++dim) {
      index = index * whole[static_cast<int>(dim)] + at[dim];
      place = place * stored[static_cast<int>(dim)] + at[dim] - box.begin[dim];
    }
    ensure(values[place] == value_at(index), "{}, device {} has {} at [{}], where {} belongs", when,
           sharding.mesh.device_id(position), values[place], Shape(at), value_at(index));
    for (std::size_t dim = at.size(); dim-- > 0;) {
      if (++at[dim] < box.end[dim]) break;
      at[dim] = box.begin[dim];
    }
  }
}

void check_by_moving_arrays(const ReshardPlan& plan) {
  GlobalArray array = with_terms(plan.request.whole.shape(), plan.request.from);
  check(array, "before the first step");
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    array = GlobalArray::distributed(array, plan.steps[i].after);
    check(array, fmt::format("after step {} ({})", i + 1, op_name(plan.steps[i])));
  }
  check(GlobalArray::distributed(array, plan.request.to), "at the end");
}

}  // namespace tutti::cli
