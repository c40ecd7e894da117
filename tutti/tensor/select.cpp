// SPDX-License-Identifier: Apache-2.0
// Compare and select: the loops that make and read bools.
#include "tutti/tensor/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tutti/tensor/select.cpp"
#include <hwy/foreach_target.h>

#include "tutti/tensor/loops_inl.hpp"
#include "tutti/tensor/vector_fn_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

template <CompareDirection direction>
struct Compare {
  template <class V>
  HWY_INLINE auto operator()(V a, V b) const {
    return compare<direction>(a, b);
  }
};

template <CompareDirection direction, class T, Step a, Step b>
void compare_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  map(hn::Lanes(D()), n, MaskResult<D>(out), Compare<direction>(), Operand<a, D>(in[0]),
      Operand<b, D>(in[1]));
}

template <CompareDirection direction, class T>
ElementwiseKernel compare_with(Step a, Step b) {
  if (a == Step::dense && b == Step::dense) return compare_loop<direction, T, Step::dense, Step::dense>;
  if (a == Step::dense) return compare_loop<direction, T, Step::dense, Step::scalar>;
  if (b == Step::dense) return compare_loop<direction, T, Step::scalar, Step::dense>;
  return compare_loop<direction, T, Step::scalar, Step::scalar>;
}

template <class T>
ElementwiseKernel compare_of(CompareDirection direction, Step a, Step b) {
  switch (direction) {
    case CompareDirection::eq: return compare_with<CompareDirection::eq, T>(a, b);
    case CompareDirection::ne: return compare_with<CompareDirection::ne, T>(a, b);
    case CompareDirection::lt: return compare_with<CompareDirection::lt, T>(a, b);
    case CompareDirection::le: return compare_with<CompareDirection::le, T>(a, b);
    case CompareDirection::gt: return compare_with<CompareDirection::gt, T>(a, b);
    case CompareDirection::ge: return compare_with<CompareDirection::ge, T>(a, b);
  }
  return nullptr;
}

ElementwiseKernel vector_compare_kernel(CompareDirection direction, DType dtype, Step a, Step b) {
  switch (dtype) {
    case DType::boolean: return compare_of<std::uint8_t>(direction, a, b);
    case DType::i32: return compare_of<std::int32_t>(direction, a, b);
    case DType::i64: return compare_of<std::int64_t>(direction, a, b);
    case DType::f32: return compare_of<float>(direction, a, b);
    case DType::f64: return compare_of<double>(direction, a, b);
  }
  return nullptr;
}

struct Select {
  template <class M, class V>
  HWY_INLINE V operator()(M predicate, V on_true, V on_false) const {
    return hn::IfThenElse(predicate, on_true, on_false);
  }
};

template <class T, Step predicate, Step on_true, Step on_false>
void select_loop(std::byte* out, const std::byte* const* in, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  map(hn::Lanes(D()), n, Result<D>(out), Select(), MaskOperand<predicate, D>(in[0]),
      Operand<on_true, D>(in[1]), Operand<on_false, D>(in[2]));
}

template <class T, Step predicate>
ElementwiseKernel select_with(Step a, Step b) {
  if (a == Step::dense && b == Step::dense) return select_loop<T, predicate, Step::dense, Step::dense>;
  if (a == Step::dense) return select_loop<T, predicate, Step::dense, Step::scalar>;
  if (b == Step::dense) return select_loop<T, predicate, Step::scalar, Step::dense>;
  return select_loop<T, predicate, Step::scalar, Step::scalar>;
}

template <class T>
ElementwiseKernel select_of(Step predicate, Step a, Step b) {
  return predicate == Step::dense ? select_with<T, Step::dense>(a, b) : select_with<T, Step::scalar>(a, b);
}

// Select moves bits: one loop for each size of element.
ElementwiseKernel vector_select_kernel(DType dtype, Step predicate, Step a, Step b) {
  switch (dtype) {
    case DType::boolean: return select_of<std::uint8_t>(predicate, a, b);
    case DType::i32:
    case DType::f32: return select_of<std::uint32_t>(predicate, a, b);
    case DType::i64:
    case DType::f64: return select_of<std::uint64_t>(predicate, a, b);
  }
  return nullptr;
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tutti {

HWY_EXPORT(vector_compare_kernel);
HWY_EXPORT(vector_select_kernel);

ElementwiseKernel compare_kernel(CompareDirection direction, DType dtype, Step a, Step b) {
  return HWY_DYNAMIC_DISPATCH(vector_compare_kernel)(direction, dtype, a, b);
}

ElementwiseKernel select_kernel(DType dtype, Step predicate, Step on_true, Step on_false) {
  return HWY_DYNAMIC_DISPATCH(vector_select_kernel)(dtype, predicate, on_true, on_false);
}

}  // namespace tutti
#endif
