// SPDX-License-Identifier: Apache-2.0
// The element functions on vectors of a float or integer type. For the sources of this folder, compiled once
// per instruction set.
#include <hwy/highway.h>

#include "tutti/base/inside.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/tensor/loops/simd/inline.hpp"

#if defined(TUTTI_TENSOR_VECTOR_FN_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_TENSOR_VECTOR_FN_INL_HPP
#undef TUTTI_TENSOR_VECTOR_FN_INL_HPP
#else
#define TUTTI_TENSOR_VECTOR_FN_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class V>
constexpr bool holds_floats = hwy::IsFloat<hn::TFromV<V>>();

/// True for AVX2 and newer, on x86; Highway numbers newer instruction sets lower.
constexpr bool has_three_operands = HWY_TARGET <= HWY_AVX2;

// add and mul name the instruction, so that loops that do the same have the same bits. x86 returns the first
// of two NaNs; ARM does, too, unless only the second one signals. The compiler may exchange the operands of a
// vector sum or product, differently in each loop.
// NOLINTBEGIN(bugprone-branch-clone): clang-tidy does not compare the instructions' texts.
template <class V>
TUTTI_INLINE V add(V a, V b) {
#if HWY_ARCH_ARM_A64
  if constexpr (holds_floats<V>) {
    constexpr std::size_t bytes = sizeof a.raw, lane = sizeof(hn::TFromV<V>);
    static_assert(lane == 4 || lane == 8, "floats of other sizes have other instructions");
    if constexpr (bytes == 16 && lane == 4)
      asm("fadd %0.4s, %1.4s, %2.4s" : "=w"(a.raw) : "w"(a.raw), "w"(b.raw));
    else if constexpr (bytes == 16) asm("fadd %0.2d, %1.2d, %2.2d" : "=w"(a.raw) : "w"(a.raw), "w"(b.raw));
    else if constexpr (lane == 8) asm("fadd %d0, %d1, %d2" : "=w"(a.raw) : "w"(a.raw), "w"(b.raw));
    else if constexpr (bytes == 8) asm("fadd %0.2s, %1.2s, %2.2s" : "=w"(a.raw) : "w"(a.raw), "w"(b.raw));
    else asm("fadd %s0, %s1, %s2" : "=w"(a.raw) : "w"(a.raw), "w"(b.raw));
    return a;
  }
#elif HWY_ARCH_X86_64
  if constexpr (holds_floats<V> && has_three_operands) {
    if constexpr (sizeof(hn::TFromV<V>) == 4) asm("vaddps %2, %1, %0" : "=v"(a.raw) : "v"(a.raw), "v"(b.raw));
    else asm("vaddpd %2, %1, %0" : "=v"(a.raw) : "v"(a.raw), "v"(b.raw));
    return a;
  } else if constexpr (holds_floats<V> && HWY_TARGET == HWY_SCALAR) {
    if constexpr (sizeof(hn::TFromV<V>) == 4) asm("addss %1, %0" : "+x"(a.raw) : "x"(b.raw));
    else asm("addsd %1, %0" : "+x"(a.raw) : "x"(b.raw));
    return a;
  } else if constexpr (holds_floats<V>) {  // SSE2 to SSE4
    static_assert(sizeof a.raw == 16, "floats of an instruction set whose add has no name here");
    if constexpr (sizeof(hn::TFromV<V>) == 4) asm("addps %1, %0" : "+x"(a.raw) : "x"(b.raw));
    else asm("addpd %1, %0" : "+x"(a.raw) : "x"(b.raw));
    return a;
  }
#endif
  return hn::Add(a, b);
}

template <class V>
TUTTI_INLINE V mul(V a, V b) {
#if HWY_ARCH_ARM_A64
  if constexpr (holds_floats<V>) {
    constexpr std::size_t bytes = sizeof a.raw, lane = sizeof(hn::TFromV<V>);
    static_assert(lane == 4 || lane == 8, "floats of other sizes have other instructions");
    if constexpr (bytes == 16 && lane == 4)
      asm("fmul %0.4s, %1.4s, %2.4s" : "=w"(a.raw) : "w"(a.raw), "w"(b.raw));
    else if constexpr (bytes == 16) asm("fmul %0.2d, %1.2d, %2.2d" : "=w"(a.raw) : "w"(a.raw), "w"(b.raw));
    else if constexpr (lane == 8) asm("fmul %d0, %d1, %d2" : "=w"(a.raw) : "w"(a.raw), "w"(b.raw));
    else if constexpr (bytes == 8) asm("fmul %0.2s, %1.2s, %2.2s" : "=w"(a.raw) : "w"(a.raw), "w"(b.raw));
    else asm("fmul %s0, %s1, %s2" : "=w"(a.raw) : "w"(a.raw), "w"(b.raw));
    return a;
  }
#elif HWY_ARCH_X86_64
  if constexpr (holds_floats<V> && has_three_operands) {
    if constexpr (sizeof(hn::TFromV<V>) == 4) asm("vmulps %2, %1, %0" : "=v"(a.raw) : "v"(a.raw), "v"(b.raw));
    else asm("vmulpd %2, %1, %0" : "=v"(a.raw) : "v"(a.raw), "v"(b.raw));
    return a;
  } else if constexpr (holds_floats<V> && HWY_TARGET == HWY_SCALAR) {
    if constexpr (sizeof(hn::TFromV<V>) == 4) asm("mulss %1, %0" : "+x"(a.raw) : "x"(b.raw));
    else asm("mulsd %1, %0" : "+x"(a.raw) : "x"(b.raw));
    return a;
  } else if constexpr (holds_floats<V>) {  // SSE2 to SSE4
    static_assert(sizeof a.raw == 16, "floats of an instruction set whose mul has no name here");
    if constexpr (sizeof(hn::TFromV<V>) == 4) asm("mulps %1, %0" : "+x"(a.raw) : "x"(b.raw));
    else asm("mulpd %1, %0" : "+x"(a.raw) : "x"(b.raw));
    return a;
  }
#endif
  return hn::Mul(a, b);
}
// NOLINTEND(bugprone-branch-clone)

/// True if Max(a, b) and Min(a, b) return b when an operand is NaN or both are zero, as AVX's instructions
/// do.
constexpr bool second_wins = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3;

// Min(a, b) and Min(b, a) differ only if an operand is NaN, or for zeros of both signs. There `or` of the
// bits gives NaN, or -0.
template <class V>
TUTTI_INLINE V minimum(V a, V b) {
  if constexpr (!holds_floats<V>) {
    return hn::Min(a, b);
  } else if constexpr (second_wins) {
    return hn::Or(hn::Min(a, b), hn::Min(b, a));
  } else {
    return hn::IfThenElse(hn::Or(hn::Lt(a, b), hn::Lt(b, a)), hn::Min(a, b), hn::Or(a, b));
  }
}

template <class V>
TUTTI_INLINE V maximum(V a, V b) {
  if constexpr (!holds_floats<V>) {
    return hn::Max(a, b);
  } else if constexpr (second_wins) {
    const hn::DFromV<V> d;
    const V x = hn::Max(a, b), y = hn::Max(b, a);
    return hn::OrAnd(hn::AndNot(hn::SignBit(d), hn::Or(x, y)), x, y);  // `and` of the signs alone: +0 wins
  } else {
    const V ordered = hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), hn::Max(a, b));
    return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), hn::Or(a, b), ordered);
  }
}

/// The binary functions that have a vector form; scalar_loops.cpp has the others.
template <BinaryFn fn, class V>
TUTTI_INLINE V binary(V a, V b) {
  if constexpr (fn == BinaryFn::add) return add(a, b);
  if constexpr (fn == BinaryFn::sub) return hn::Sub(a, b);
  if constexpr (fn == BinaryFn::mul) return mul(a, b);
  if constexpr (fn == BinaryFn::div) return hn::Div(a, b);
  if constexpr (fn == BinaryFn::maximum) return maximum(a, b);
  if constexpr (fn == BinaryFn::minimum) return minimum(a, b);
  if constexpr (fn == BinaryFn::logical_and) return hn::And(a, b);
  if constexpr (fn == BinaryFn::logical_or) return hn::Or(a, b);
  if constexpr (fn == BinaryFn::logical_xor) return hn::Xor(a, b);
}

template <BinaryFn fn>
struct Apply {
  template <class V>
  TUTTI_INLINE V operator()(V a, V b) const {
    return binary<fn>(a, b);
  }
};

template <ReduceKind kind, class V>
TUTTI_INLINE V fold(V a, V b) {
  if constexpr (kind == ReduceKind::sum) return add(a, b);
  if constexpr (kind == ReduceKind::prod) {
    if constexpr (sizeof(hn::TFromV<V>) == 1) return hn::And(a, b);  // bools
    else return mul(a, b);
  }
  if constexpr (kind == ReduceKind::max) return maximum(a, b);
  if constexpr (kind == ReduceKind::min) return minimum(a, b);
  if constexpr (kind == ReduceKind::logical_and) return hn::And(a, b);
  if constexpr (kind == ReduceKind::logical_or) return hn::Or(a, b);
}

template <CompareDirection direction, class V>
TUTTI_INLINE auto compare(V a, V b) {
  if constexpr (direction == CompareDirection::eq) return hn::Eq(a, b);
  if constexpr (direction == CompareDirection::ne) return hn::Not(hn::Eq(a, b));  // true for NaN
  if constexpr (direction == CompareDirection::lt) return hn::Lt(a, b);
  if constexpr (direction == CompareDirection::gt) return hn::Gt(a, b);
  if constexpr (holds_floats<V>) {  // false for NaN
    if constexpr (direction == CompareDirection::le) return hn::Le(a, b);
    if constexpr (direction == CompareDirection::ge) return hn::Ge(a, b);
  } else {
    if constexpr (direction == CompareDirection::le) return hn::Not(hn::Gt(a, b));
    if constexpr (direction == CompareDirection::ge) return hn::Not(hn::Lt(a, b));
  }
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
