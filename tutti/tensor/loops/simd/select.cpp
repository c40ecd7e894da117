// SPDX-License-Identifier: Apache-2.0
// Compare and select: the loops that make and read bools.
#include <cstring>

#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/choose.hpp"
#include "tutti/tensor/loops/copies.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/lanes.hpp"
#include "tutti/tensor/loops/plain/scalar_loops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/loops/simd/select.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops/simd/loops_inl.hpp"
#include "tutti/tensor/loops/simd/vector_fn_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

template <CompareDirection direction>
struct Compare {
  template <class V>
  TUTTI_INLINE auto operator()(V a, V b) const {
    return compare<direction>(a, b);
  }
};

template <CompareDirection direction, class T, Stride a, Stride b>
void compare_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  map(D(), n, MaskResult<D>(out), Compare<direction>(), Operand<a, D>(in[0]), Operand<b, D>(in[1]));
}

template <CompareDirection direction, class T>
void both_scalar(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = hn::CappedTag<T, 1>;
  std::byte x;
  MaskResult<D>(&x).put(0, compare<direction>(Operand<Stride::scalar, D>(in[0]).at(0),
                                              Operand<Stride::scalar, D>(in[1]).at(0)));
  fill(out, &x, n, 1);
}

template <CompareDirection direction, class T>
ElementwiseKernel compare_with(Stride a, Stride b) {
  if (a == Stride::dense && b == Stride::dense)
    return compare_loop<direction, T, Stride::dense, Stride::dense>;
  if (a == Stride::dense) return compare_loop<direction, T, Stride::dense, Stride::scalar>;
  if (b == Stride::scalar) return both_scalar<direction, T>;
  if constexpr (direction == CompareDirection::eq || direction == CompareDirection::ne)
    return exchanged<compare_loop<direction, T, Stride::dense, Stride::scalar>>;
  else return compare_loop<direction, T, Stride::scalar, Stride::dense>;
}

/// The kernel of direction(b, a), where `a` and `b` are the strides of in[0] and in[1].
template <CompareDirection direction, class T>
ElementwiseKernel exchanged_compare(Stride a, Stride b) {
  if (a == Stride::dense && b == Stride::dense)
    return exchanged<compare_loop<direction, T, Stride::dense, Stride::dense>>;
  if (a == Stride::dense) return exchanged<compare_loop<direction, T, Stride::scalar, Stride::dense>>;
  if (b == Stride::dense) return exchanged<compare_loop<direction, T, Stride::dense, Stride::scalar>>;
  return exchanged<both_scalar<direction, T>>;
}

template <class T>
ElementwiseKernel compare_of(CompareDirection direction, Stride a, Stride b) {
  switch (direction) {
    case CompareDirection::eq: return compare_with<CompareDirection::eq, T>(a, b);
    case CompareDirection::ne: return compare_with<CompareDirection::ne, T>(a, b);
    case CompareDirection::lt: return compare_with<CompareDirection::lt, T>(a, b);
    case CompareDirection::le: return compare_with<CompareDirection::le, T>(a, b);
    case CompareDirection::gt: return exchanged_compare<CompareDirection::lt, T>(a, b);
    case CompareDirection::ge: return exchanged_compare<CompareDirection::le, T>(a, b);
  }
  return nullptr;
}

ElementwiseKernel vector_compare_kernel(CompareDirection direction, Lanes lanes, Stride a, Stride b) {
  return for_lanes(lanes, [&]<class T>(std::type_identity<T>) { return compare_of<T>(direction, a, b); });
}

enum class Limit { right, left };  // the limit's side of the comparison

template <CompareDirection direction, Limit side>
struct Gate {
  template <class V>
  TUTTI_INLINE V operator()(V x, V limit, V otherwise) const {
    const auto at_limit = side == Limit::right ? compare<direction>(x, limit) : compare<direction>(limit, x);
    return hn::IfThenElse(at_limit, limit, otherwise);
  }
};

template <CompareDirection direction, Limit side, class T>
void gate_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  map(D(), n, Result<D>(out), Gate<direction, side>(), Operand<Stride::dense, D>(in[0]),
      Operand<Stride::scalar, D>(in[1]), Operand<Stride::dense, D>(in[2]));
}

template <class T>
ElementwiseKernel gate_of(CompareDirection direction) {
  switch (direction) {
    case CompareDirection::lt: return gate_loop<CompareDirection::lt, Limit::right, T>;
    case CompareDirection::le: return gate_loop<CompareDirection::le, Limit::right, T>;
    case CompareDirection::gt: return gate_loop<CompareDirection::lt, Limit::left, T>;
    case CompareDirection::ge: return gate_loop<CompareDirection::le, Limit::left, T>;
    case CompareDirection::eq:
    case CompareDirection::ne: return nullptr;
  }
  return nullptr;
}

ElementwiseKernel vector_gate_kernel(CompareDirection direction, DType dtype) {
  if (dtype == DType::f32) return gate_of<float>(direction);
  if (dtype == DType::f64) return gate_of<double>(direction);
  return nullptr;
}

struct Select {
  template <class M, class V>
  TUTTI_INLINE V operator()(M predicate, V on_true, V on_false) const {
    return hn::IfThenElse(predicate, on_true, on_false);
  }
};

template <class T, Stride on_true, Stride on_false>
void select_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  map(D(), n, Result<D>(out), Select(), MaskOperand<Stride::dense, D>(in[0]), Operand<on_true, D>(in[1]),
      Operand<on_false, D>(in[2]));
}

template <class T>
ElementwiseKernel select_of(Stride a, Stride b) {
  return for_strides([]<Stride on_true, Stride on_false>()
                         -> ElementwiseKernel { return select_loop<T, on_true, on_false>; },
                     a, b);
}

// Select only moves bits, so there is one loop for each element size.
ElementwiseKernel vector_select_kernel(DType dtype, Stride a, Stride b) {
  switch (bytes_per_element(dtype)) {
    case 1: return select_of<std::uint8_t>(a, b);
    case 4: return select_of<std::uint32_t>(a, b);
    default: return select_of<std::uint64_t>(a, b);
  }
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_compare_kernel);
HWY_EXPORT(vector_gate_kernel);
HWY_EXPORT(vector_select_kernel);

ElementwiseKernel compare_kernel(CompareDirection direction, DType dtype, Stride a, Stride b) {
  const bool minds_the_sign = direction != CompareDirection::eq && direction != CompareDirection::ne;
  if (const auto lanes = minds_the_sign ? lanes_of(dtype) : lanes_of_bits(dtype))
    return HWY_DYNAMIC_DISPATCH(vector_compare_kernel)(direction, *lanes, a, b);
  ElementwiseKernel kernel = scalar_compare_kernel(direction, dtype, a, b);
  require(kernel != nullptr, Code::dtype, "{} is not defined for {}", name(direction), name(dtype));
  return kernel;
}

ElementwiseKernel gate_kernel(CompareDirection direction, DType dtype) {
  return HWY_DYNAMIC_DISPATCH(vector_gate_kernel)(direction, dtype);
}

namespace {

// One predicate for all elements: copies one side whole.
template <std::size_t element_bytes, Stride on_true, Stride on_false>
void select_side(std::byte* out, const std::byte* const* in, std::int64_t n) {
  const bool takes_true = in[0][0] != std::byte{0};
  const std::byte* side = takes_true ? in[1] : in[2];
  if ((takes_true ? on_true : on_false) == Stride::scalar) fill(out, side, n, element_bytes);
  else std::memmove(out, side, static_cast<std::size_t>(n) * element_bytes);
}

template <std::size_t element_bytes>
ElementwiseKernel select_side_of(Stride a, Stride b) {
  return for_strides([]<Stride on_true, Stride on_false>()
                         -> ElementwiseKernel { return select_side<element_bytes, on_true, on_false>; },
                     a, b);
}

}  // namespace

ElementwiseKernel select_kernel(DType dtype, Stride predicate, Stride on_true, Stride on_false) {
  if (ElementwiseKernel kernel = scalar_select_kernel(dtype, predicate, on_true, on_false)) return kernel;
  if (predicate == Stride::dense) return HWY_DYNAMIC_DISPATCH(vector_select_kernel)(dtype, on_true, on_false);
  switch (bytes_per_element(dtype)) {
    case 1: return select_side_of<1>(on_true, on_false);
    case 4: return select_side_of<4>(on_true, on_false);
    default: return select_side_of<8>(on_true, on_false);
  }
}

}  // namespace tutti
#endif
