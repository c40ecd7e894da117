// SPDX-License-Identifier: Apache-2.0
// Plain loops, right and slow: replaced by vector loops next.
#include "tutti/tensor/kernels.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "tutti/base/require.hpp"
#include "tutti/tensor/scalar_fn.hpp"

namespace tutti {
namespace {

template <class F>
auto with_type(DType dtype, F f) {
  switch (dtype) {
    case DType::boolean: return f(bool{});
    case DType::i32: return f(std::int32_t{});
    case DType::i64: return f(std::int64_t{});
    case DType::f32: return f(float{});
    case DType::f64: return f(double{});
  }
  return f(bool{});
}

template <class T>
const T* cast(const std::byte* p) {
  return reinterpret_cast<const T*>(p);
}
template <class T>
T* cast(std::byte* p) {
  return reinterpret_cast<T*>(p);
}

template <UnaryFn fn, class T>
constexpr bool has_unary() {
  if (std::floating_point<T>) return true;
  if (std::same_as<T, bool>) return false;
  return fn == UnaryFn::neg || fn == UnaryFn::abs || fn == UnaryFn::sign;
}

template <UnaryFn fn, class T>
T unary(T x) {
  if constexpr (std::integral<T>) {
    if constexpr (fn == UnaryFn::neg) return wrapping_sub(T{0}, x);
    if constexpr (fn == UnaryFn::abs) return x < 0 ? wrapping_sub(T{0}, x) : x;
    if constexpr (fn == UnaryFn::sign) return static_cast<T>((x > 0) - (x < 0));
  } else {
    if constexpr (fn == UnaryFn::neg) return -x;
    if constexpr (fn == UnaryFn::abs) return std::fabs(x);
    if constexpr (fn == UnaryFn::sign) return x > 0 ? T{1} : x < 0 ? T{-1} : x;
    if constexpr (fn == UnaryFn::exp) return std::exp(x);
    if constexpr (fn == UnaryFn::log) return std::log(x);
    if constexpr (fn == UnaryFn::tanh) return std::tanh(x);
    if constexpr (fn == UnaryFn::sqrt) return std::sqrt(x);
    if constexpr (fn == UnaryFn::rsqrt) return T{1} / std::sqrt(x);
    if constexpr (fn == UnaryFn::logistic) {
      T e = std::exp(-std::fabs(x));
      return (x < 0 ? e : T{1}) / (T{1} + e);
    }
  }
  return x;
}

template <UnaryFn fn>
ElementwiseKernel unary_for(DType dtype) {
  return with_type(dtype, []<class T>(T) -> ElementwiseKernel {
    if constexpr (!has_unary<fn, T>())
      return nullptr;
    else
      return [](std::byte* out, const std::byte* const* in, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) cast<T>(out)[i] = unary<fn>(cast<T>(in[0])[i]);
      };
  });
}

template <BinaryFn fn, class T>
constexpr bool has_binary() {
  switch (fn) {
    case BinaryFn::add:
    case BinaryFn::mul:
    case BinaryFn::maximum:
    case BinaryFn::minimum: return true;
    case BinaryFn::sub:
    case BinaryFn::div:
    case BinaryFn::pow:
    case BinaryFn::rem: return !std::same_as<T, bool>;
    case BinaryFn::logical_and:
    case BinaryFn::logical_or:
    case BinaryFn::logical_xor: return std::integral<T>;
  }
  return false;
}

template <BinaryFn fn, class T>
T binary(T a, T b) {
  constexpr bool integer = std::integral<T>;
  if constexpr (fn == BinaryFn::maximum) return scalar_maximum(a, b);
  if constexpr (fn == BinaryFn::minimum) return scalar_minimum(a, b);
  if constexpr (std::same_as<T, bool>) {
    if constexpr (fn == BinaryFn::add || fn == BinaryFn::logical_or) return a || b;
    if constexpr (fn == BinaryFn::mul || fn == BinaryFn::logical_and) return a && b;
    if constexpr (fn == BinaryFn::logical_xor) return a != b;
  } else if constexpr (integer) {
    if constexpr (fn == BinaryFn::add) return wrapping_add(a, b);
    if constexpr (fn == BinaryFn::sub) return wrapping_sub(a, b);
    if constexpr (fn == BinaryFn::mul) return wrapping_mul(a, b);
    if constexpr (fn == BinaryFn::div) return integer_div(a, b);
    if constexpr (fn == BinaryFn::rem) return integer_rem(a, b);
    if constexpr (fn == BinaryFn::pow) return integer_pow(a, b);
    if constexpr (fn == BinaryFn::logical_and) return a & b;
    if constexpr (fn == BinaryFn::logical_or) return a | b;
    if constexpr (fn == BinaryFn::logical_xor) return a ^ b;
  } else {
    if constexpr (fn == BinaryFn::add) return a + b;
    if constexpr (fn == BinaryFn::sub) return a - b;
    if constexpr (fn == BinaryFn::mul) return a * b;
    if constexpr (fn == BinaryFn::div) return a / b;
    if constexpr (fn == BinaryFn::rem) return std::fmod(a, b);
    if constexpr (fn == BinaryFn::pow) return std::pow(a, b);
  }
  return a;
}

template <Step step, class T>
T element(const std::byte* p, std::int64_t i) {
  return cast<T>(p)[step == Step::scalar ? 0 : i];
}

template <class F>
auto with_step(Step step, F f) {
  return step == Step::dense ? f(std::integral_constant<Step, Step::dense>{})
                             : f(std::integral_constant<Step, Step::scalar>{});
}

template <BinaryFn fn>
ElementwiseKernel binary_for(DType dtype, Step a, Step b) {
  return with_type(dtype, [=]<class T>(T) -> ElementwiseKernel {
    if constexpr (!has_binary<fn, T>())
      return nullptr;
    else
      return with_step(a, [=]<class A>(A) {
        return with_step(b, []<class B>(B) -> ElementwiseKernel {
          return [](std::byte* out, const std::byte* const* in, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i)
              cast<T>(out)[i] = binary<fn>(element<A::value, T>(in[0], i), element<B::value, T>(in[1], i));
          };
        });
      });
  });
}

template <CompareDirection direction, class T>
bool compare(T a, T b) {
  switch (direction) {
    case CompareDirection::eq: return a == b;
    case CompareDirection::ne: return a != b;
    case CompareDirection::lt: return a < b;
    case CompareDirection::le: return a <= b;
    case CompareDirection::gt: return a > b;
    case CompareDirection::ge: return a >= b;
  }
  return false;
}

template <CompareDirection direction>
ElementwiseKernel compare_for(DType dtype, Step a, Step b) {
  return with_type(dtype, [=]<class T>(T) {
    return with_step(a, [=]<class A>(A) {
      return with_step(b, []<class B>(B) -> ElementwiseKernel {
        return [](std::byte* out, const std::byte* const* in, std::int64_t n) {
          for (std::int64_t i = 0; i < n; ++i)
            cast<bool>(out)[i] =
                compare<direction>(element<A::value, T>(in[0], i), element<B::value, T>(in[1], i));
        };
      });
    });
  });
}

template <ReduceKind kind, class T>
T fold(T a, T b) {
  if constexpr (kind == ReduceKind::sum) return binary<BinaryFn::add>(a, b);
  if constexpr (kind == ReduceKind::max) return scalar_maximum(a, b);
  if constexpr (kind == ReduceKind::min) return scalar_minimum(a, b);
}

template <ReduceKind kind, class T>
T neutral() {
  using Limits = std::numeric_limits<T>;
  constexpr T low = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  constexpr T high = Limits::has_infinity ? Limits::infinity() : Limits::max();
  return kind == ReduceKind::sum ? T{0} : kind == ReduceKind::max ? low : high;
}

// ((0 1)(2 3))(4 ..: split at the largest power of two below count.
template <ReduceKind kind, class T, class Load>
T pairwise(std::int64_t first, std::int64_t count, const Load& load) {
  if (count == 0) return neutral<kind, T>();
  if (count == 1) return load(first);
  std::int64_t left = 1;
  while (2 * left < count) left *= 2;
  return fold<kind>(pairwise<kind, T>(first, left, load),
                    pairwise<kind, T>(first + left, count - left, load));
}

template <class F>
auto with_kind(ReduceKind kind, F f) {
  switch (kind) {
    case ReduceKind::sum: return f(std::integral_constant<ReduceKind, ReduceKind::sum>{});
    case ReduceKind::max: return f(std::integral_constant<ReduceKind, ReduceKind::max>{});
    case ReduceKind::min: break;
  }
  return f(std::integral_constant<ReduceKind, ReduceKind::min>{});
}

[[noreturn]] void refuse(std::string_view fn, DType dtype) {
  fail(Code::dtype, "{} is not defined for {}; convert the operands first", fn, name(dtype));
}

}  // namespace

ElementwiseKernel unary_kernel(UnaryFn fn, DType dtype) {
  ElementwiseKernel kernel = nullptr;
  switch (fn) {
    case UnaryFn::neg: kernel = unary_for<UnaryFn::neg>(dtype); break;
    case UnaryFn::exp: kernel = unary_for<UnaryFn::exp>(dtype); break;
    case UnaryFn::log: kernel = unary_for<UnaryFn::log>(dtype); break;
    case UnaryFn::tanh: kernel = unary_for<UnaryFn::tanh>(dtype); break;
    case UnaryFn::sqrt: kernel = unary_for<UnaryFn::sqrt>(dtype); break;
    case UnaryFn::rsqrt: kernel = unary_for<UnaryFn::rsqrt>(dtype); break;
    case UnaryFn::logistic: kernel = unary_for<UnaryFn::logistic>(dtype); break;
    case UnaryFn::abs: kernel = unary_for<UnaryFn::abs>(dtype); break;
    case UnaryFn::sign: kernel = unary_for<UnaryFn::sign>(dtype); break;
  }
  if (kernel == nullptr) refuse(name(fn), dtype);
  return kernel;
}

ElementwiseKernel binary_kernel(BinaryFn fn, DType dtype, Step a, Step b) {
  ElementwiseKernel kernel = nullptr;
  switch (fn) {
    case BinaryFn::add: kernel = binary_for<BinaryFn::add>(dtype, a, b); break;
    case BinaryFn::sub: kernel = binary_for<BinaryFn::sub>(dtype, a, b); break;
    case BinaryFn::mul: kernel = binary_for<BinaryFn::mul>(dtype, a, b); break;
    case BinaryFn::div: kernel = binary_for<BinaryFn::div>(dtype, a, b); break;
    case BinaryFn::pow: kernel = binary_for<BinaryFn::pow>(dtype, a, b); break;
    case BinaryFn::maximum: kernel = binary_for<BinaryFn::maximum>(dtype, a, b); break;
    case BinaryFn::minimum: kernel = binary_for<BinaryFn::minimum>(dtype, a, b); break;
    case BinaryFn::rem: kernel = binary_for<BinaryFn::rem>(dtype, a, b); break;
    case BinaryFn::logical_and: kernel = binary_for<BinaryFn::logical_and>(dtype, a, b); break;
    case BinaryFn::logical_or: kernel = binary_for<BinaryFn::logical_or>(dtype, a, b); break;
    case BinaryFn::logical_xor: kernel = binary_for<BinaryFn::logical_xor>(dtype, a, b); break;
  }
  if (kernel == nullptr) refuse(name(fn), dtype);
  return kernel;
}

ElementwiseKernel compare_kernel(CompareDirection direction, DType dtype, Step a, Step b) {
  switch (direction) {
    case CompareDirection::eq: return compare_for<CompareDirection::eq>(dtype, a, b);
    case CompareDirection::ne: return compare_for<CompareDirection::ne>(dtype, a, b);
    case CompareDirection::lt: return compare_for<CompareDirection::lt>(dtype, a, b);
    case CompareDirection::le: return compare_for<CompareDirection::le>(dtype, a, b);
    case CompareDirection::gt: return compare_for<CompareDirection::gt>(dtype, a, b);
    case CompareDirection::ge: return compare_for<CompareDirection::ge>(dtype, a, b);
  }
  return nullptr;
}

ElementwiseKernel select_kernel(DType dtype, Step predicate, Step on_true, Step on_false) {
  return with_type(dtype, [=]<class T>(T) {
    return with_step(predicate, [=]<class P>(P) {
      return with_step(on_true, [=]<class A>(A) {
        return with_step(on_false, []<class B>(B) -> ElementwiseKernel {
          return [](std::byte* out, const std::byte* const* in, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i)
              cast<T>(out)[i] = element<P::value, bool>(in[0], i) ? element<A::value, T>(in[1], i)
                                                                  : element<B::value, T>(in[2], i);
          };
        });
      });
    });
  });
}

ElementwiseKernel convert_kernel(DType from, DType to) {
  return with_type(from, [=]<class From>(From) {
    return with_type(to, []<class To>(To) -> ElementwiseKernel {
      return [](std::byte* out, const std::byte* const* in, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) cast<To>(out)[i] = convert_element<To>(cast<From>(in[0])[i]);
      };
    });
  });
}

namespace {

template <BinaryFn first, BinaryFn second, class T>
ElementwiseKernel pair_for(bool first_is_right, Step a, Step b, Step c) {
  return with_step(a, [=]<class A>(A) {
    return with_step(b, [=]<class B>(B) {
      return with_step(c, [=]<class C>(C) -> ElementwiseKernel {
        if (first_is_right)
          return [](std::byte* out, const std::byte* const* in, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i)
              cast<T>(out)[i] = binary<second>(
                  element<C::value, T>(in[2], i),
                  binary<first>(element<A::value, T>(in[0], i), element<B::value, T>(in[1], i)));
          };
        return [](std::byte* out, const std::byte* const* in, std::int64_t n) {
          for (std::int64_t i = 0; i < n; ++i)
            cast<T>(out)[i] =
                binary<second>(binary<first>(element<A::value, T>(in[0], i), element<B::value, T>(in[1], i)),
                               element<C::value, T>(in[2], i));
        };
      });
    });
  });
}

template <class F>
ElementwiseKernel with_pair_fn(BinaryFn fn, F f) {
  if (fn == BinaryFn::add) return f(std::integral_constant<BinaryFn, BinaryFn::add>{});
  if (fn == BinaryFn::sub) return f(std::integral_constant<BinaryFn, BinaryFn::sub>{});
  if (fn == BinaryFn::mul) return f(std::integral_constant<BinaryFn, BinaryFn::mul>{});
  if (fn == BinaryFn::maximum) return f(std::integral_constant<BinaryFn, BinaryFn::maximum>{});
  if (fn == BinaryFn::minimum) return f(std::integral_constant<BinaryFn, BinaryFn::minimum>{});
  return nullptr;
}

}  // namespace

ElementwiseKernel pair_kernel(BinaryFn first, BinaryFn second, bool first_is_right, DType dtype, Step a,
                              Step b, Step c) {
  if (!is_float(dtype)) return nullptr;
  return with_pair_fn(first, [=]<class F>(F) {
    return with_pair_fn(second, [=]<class S>(S) {
      return dtype == DType::f32 ? pair_for<F::value, S::value, float>(first_is_right, a, b, c)
                                 : pair_for<F::value, S::value, double>(first_is_right, a, b, c);
    });
  });
}

ReduceRowsKernel reduce_rows_kernel(ReduceKind kind, DType dtype) {
  return with_kind(kind, [=]<class K>(K) {
    return with_type(dtype, []<class T>(T) -> ReduceRowsKernel {
      return [](std::byte* out, const std::byte* in, std::int64_t rows, std::int64_t columns,
                std::int64_t row_bytes) {
        for (std::int64_t r = 0; r < rows; ++r) {
          const T* row = cast<T>(in + r * row_bytes);
          cast<T>(out)[r] = pairwise<K::value, T>(0, columns, [&](std::int64_t c) { return row[c]; });
        }
      };
    });
  });
}

ReduceColumnsKernel reduce_columns_kernel(ReduceKind kind, DType dtype) {
  return with_kind(kind, [=]<class K>(K) {
    return with_type(dtype, []<class T>(T) -> ReduceColumnsKernel {
      return [](std::byte* out, const std::byte* in, std::int64_t rows, std::int64_t columns,
                std::int64_t row_bytes, std::byte*) {
        for (std::int64_t c = 0; c < columns; ++c)
          cast<T>(out)[c] =
              pairwise<K::value, T>(0, rows, [&](std::int64_t r) { return cast<T>(in + r * row_bytes)[c]; });
      };
    });
  });
}

std::size_t reduce_columns_scratch_bytes(std::int64_t, std::int64_t, DType) { return 0; }

FoldKernel fold_kernel(ReduceKind kind, DType dtype) {
  return with_kind(kind, [=]<class K>(K) {
    return with_type(dtype, []<class T>(T) -> FoldKernel {
      return [](std::byte* out, const std::byte* const* in, int count, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i)
          cast<T>(out)[i] =
              pairwise<K::value, T>(0, count, [&](std::int64_t k) { return cast<T>(in[k])[i]; });
      };
    });
  });
}

void write_neutral_element(ReduceKind kind, DType dtype, std::byte* out) {
  with_kind(kind, [=]<class K>(K) {
    with_type(dtype, [=]<class T>(T) {
      T value = neutral<K::value, T>();
      std::memcpy(out, &value, sizeof value);
    });
  });
}

void strided_copy(std::byte* to, const std::byte* from, std::span<const CopyLoop> loops,
                  std::size_t element_bytes) {
  if (loops.empty()) {
    std::memcpy(to, from, element_bytes);
    return;
  }
  for (std::int64_t i = 0; i < loops[0].size; ++i)
    strided_copy(to + i * loops[0].to_stride, from + i * loops[0].from_stride, loops.subspan(1),
                 element_bytes);
}

void fill(std::byte* to, const std::byte* element, std::int64_t n, std::size_t element_bytes) {
  for (std::int64_t i = 0; i < n; ++i)
    std::memcpy(to + i * static_cast<std::int64_t>(element_bytes), element, element_bytes);
}

const char* instruction_set() { return "portable"; }

}  // namespace tutti
