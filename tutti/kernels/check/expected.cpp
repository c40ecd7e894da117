// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/check/expected.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "tutti/kernels/check/random.hpp"
#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::kernels {
namespace {

using Coordinates = std::vector<std::int64_t>;

Coordinates coordinates(const Shape& shape, std::int64_t index) {
  Coordinates at(static_cast<std::size_t>(shape.rank()));
  for (int i = shape.rank(); i-- > 0;) {
    at[static_cast<std::size_t>(i)] = index % shape[i];
    index /= shape[i];
  }
  return at;
}

std::int64_t index_of(const Shape& shape, const Coordinates& at) {
  std::int64_t index = 0;
  for (int i = 0; i < shape.rank(); ++i) index = index * shape[i] + at[static_cast<std::size_t>(i)];
  return index;
}

Shape times(const Shape& shape, Dim dim, int world) { return shape.with(dim, shape[dim] * world); }

// Halves are added as floats and rounded once, at the end.
template <class T>
using Accumulator = std::conditional_t<is_half_element<T>, float, T>;

template <class T>
T combined(ReduceKind kind, T x, T y) {
  if (kind == ReduceKind::max) return std::max(x, y);
  if (kind == ReduceKind::min) return std::min(x, y);
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));
  else return x + y;
}

template <class T>
constexpr bool is_reduced = !std::is_same_v<T, bool> && !is_complex_element<T>;

}  // namespace

CallData::CallData(const CollectiveSpec& spec, int call, Numbers numbers)
    : spec_(spec),
      seed_(mixed(static_cast<std::uint64_t>(call))),
      numbers_(numbers),
      input_(spec.shape),
      output_(spec.shape),
      element_bytes_(static_cast<std::int64_t>(bytes_per_element(spec.dtype))) {
  const bool is_cut = spec.kind == CollectiveKind::reduce_scatter || spec.kind == CollectiveKind::all_to_all;
  if (is_cut) input_ = times(spec.shape, spec.dim, spec.world);
  if (spec.kind == CollectiveKind::all_gather) output_ = times(spec.shape, spec.dim, spec.world);
  if (spec.kind == CollectiveKind::all_to_all)
    output_ = times(spec.shape, spec.concat.value_or(spec.dim), spec.world);
}

void CallData::input(Source source, std::byte* to) const {
  const std::uint64_t at =
      static_cast<std::uint64_t>(source.rank) << 56 ^ static_cast<std::uint64_t>(source.index);
  const std::uint64_t bits = mixed(seed_ ^ at);
  if (is_reduction(spec_.kind) && is_float(spec_.dtype)) {
    // Whole numbers from -8 to 8: sums of 16 are exact in a significand of 8 bits. Other numbers differ in
    // magnitude, so that a sum depends on its order.
    const double whole = static_cast<double>(bits % 17) - 8;
    const double any = (static_cast<double>(bits >> 12) / 0x1p52 - 0.5) * static_cast<double>(1 << bits % 8);
    const double value = numbers_ == Numbers::whole ? whole : any;
    return with_element(spec_.dtype, [&]<class T>(std::type_identity<T>) {
      const T element(static_cast<Accumulator<T>>(value));
      std::memcpy(to, &element, sizeof element);
    });
  }
  std::memcpy(to, &bits, std::min<std::size_t>(sizeof bits, static_cast<std::size_t>(element_bytes_)));
  if (element_bytes_ <= 8) return;
  const std::uint64_t more = mixed(bits);
  std::memcpy(to + 8, &more, 8);
}

CallData::Source CallData::source(int rank, std::int64_t index) const {
  switch (spec_.kind) {
    case CollectiveKind::all_reduce: return {rank, index};
    case CollectiveKind::ppermute:
      for (const auto& [from, to] : spec_.pairs)
        if (to == rank) return {from, index};
      return {-1, index};
    default: break;
  }
  Coordinates at = coordinates(output_, index);
  const auto dim = static_cast<std::size_t>(spec_.dim.index);
  if (spec_.kind == CollectiveKind::reduce_scatter) {
    at[dim] += rank * spec_.shape[spec_.dim];
    return {rank, index_of(input_, at)};
  }
  const Dim along = spec_.concat.value_or(spec_.dim);
  std::int64_t& place = at[static_cast<std::size_t>(along.index)];
  const auto from = static_cast<int>(place / spec_.shape[along]);
  place %= spec_.shape[along];
  if (spec_.kind == CollectiveKind::all_to_all) at[dim] += rank * spec_.shape[spec_.dim];
  return {from, index_of(input_, at)};
}

void CallData::folded(std::int64_t index, std::byte* to) const {
  with_element(spec_.dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (is_reduced<T>) {
      Accumulator<T> sum{};
      for (int rank = 0; rank < spec_.world; ++rank) {
        T element{};
        input({rank, index}, reinterpret_cast<std::byte*>(&element));
        const auto value = static_cast<Accumulator<T>>(element);
        sum = rank == 0 ? value : combined(*spec_.reduction, sum, value);
      }
      const T result(sum);
      std::memcpy(to, &result, sizeof result);
    }
  });
}

void CallData::fill_input(int rank, std::uint64_t offset, std::span<std::byte> to) const {
  const auto size = static_cast<std::size_t>(element_bytes_);
  for (std::size_t at = 0; at < to.size(); at += size)
    input({rank, static_cast<std::int64_t>((offset + at) / size)}, &to[at]);
}

void CallData::fill_output(int rank, std::uint64_t offset, std::span<std::byte> to) const {
  const auto size = static_cast<std::size_t>(element_bytes_);
  for (std::size_t at = 0; at < to.size(); at += size) {
    const Source from = source(rank, static_cast<std::int64_t>((offset + at) / size));
    if (is_reduction(spec_.kind)) folded(from.index, &to[at]);
    else if (from.rank >= 0) input(from, &to[at]);
    else std::memset(&to[at], 0, size);
  }
}

std::string CallData::find(std::span<const std::byte> element) const {
  constexpr std::int64_t most = 4096;
  std::byte here[16];
  for (int rank = 0; rank < spec_.world; ++rank)
    for (std::int64_t i = 0; i < std::min(input_.elements(), most); ++i) {
      input({rank, i}, here);
      if (std::memcmp(here, element.data(), element.size()) == 0)
        return fmt::format("element {} of the input of rank {}", i, rank);
    }
  return "";
}

}  // namespace tutti::kernels
