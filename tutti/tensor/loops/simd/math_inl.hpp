// SPDX-License-Identifier: Apache-2.0
// exp, log, tanh, logistic, sin, cos, log1p, expm1, erf and xla_erf_inv of vectors. For the sources of this
// folder, compiled once per instruction set. exp, logistic, erf and xla_erf_inv are computed here. The others
// are Highway's, which are fast and accurate inside their ranges and wrong outside; the functions here
// correct the edges (tests/tensor/math_test.cpp).
#include <hwy/highway.h>
// After highway.h.
#include <hwy/contrib/math/math-inl.h>

#include <limits>

#include "tutti/tensor/loops/plain/scalar_loops.hpp"
#include "tutti/tensor/loops/simd/inline.hpp"

#if defined(TUTTI_TENSOR_MATH_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TUTTI_TENSOR_MATH_INL_HPP
#undef TUTTI_TENSOR_MATH_INL_HPP
#else
#define TUTTI_TENSOR_MATH_INL_HPP
#endif

HWY_BEFORE_NAMESPACE();
namespace tutti::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// c[first] + c[first + step] x + c[first + 2 step] x^2 ..
template <std::size_t first, std::size_t step, class D, class V, class T, std::size_t n>
TUTTI_INLINE V horner(D d, V x, const T (&c)[n]) {
  const V lowest = hn::Set(d, c[first]);
  if constexpr (first + step >= n) return lowest;
  else return hn::MulAdd(horner<first + step, step>(d, x, c), x, lowest);
}

/// c[0] + c[1] x + c[2] x^2 .. A long polynomial is computed in two chains, which halves its latency. Their
/// sum is multiplied by x before c[0] is added, so that the second chain costs no accuracy where x is small.
template <class D, class V, class T, std::size_t n>
TUTTI_INLINE V polynomial(D d, V x, const T (&c)[n]) {
  if constexpr (n <= 16) {
    return horner<0, 1>(d, x, c);
  } else {
    const V square = hn::Mul(x, x);
    const V slope = hn::MulAdd(horner<2, 2>(d, square, c), x, horner<1, 2>(d, square, c));
    return hn::MulAdd(slope, x, hn::Set(d, c[0]));
  }
}

/// Constants of exp_of. ln2_high * n is exact. The series is (exp(r) - 1 - r) / r^2.
template <class T>
struct Exp;

template <>
struct Exp<float> {
  static constexpr float lowest = -104, highest = 90;  // exp is 0 and exp / 2 infinite there
  static constexpr float to_whole = 0x1.8p23F + 2 * 127;
  static constexpr float ln2_high = 0.693145751953125F, ln2_low = 1.428606765330187045e-6F;
  // Remez fit on |r| < ln(2) / 2: 0.05 * 2^-24.
  static constexpr float series[] = {0.49999994F, 0.166665196F, 0.0416683927F, 0.00836878084F,
                                     0.00138144603F};
};

template <>
struct Exp<double> {
  static constexpr double lowest = -746, highest = 711;
  static constexpr double to_whole = 0x1.8p52 + 2 * 1023;
  static constexpr double ln2_high = 0.6931471805596629565116018,
                          ln2_low = 0.28235290563031577122588448175e-12;
  // Remez fit on |r| < ln(2) / 2: 0.03 * 2^-53.
  static constexpr double series[] = {0.50000000000000111,    0.1666666666666641,     0.041666666666529191,
                                      0.0083333333334956582,  0.0013888888943921587,  0.00019841269504685178,
                                      2.4801492763671757e-05, 2.7557587415377063e-06, 2.7630378367841846e-07,
                                      2.4999942155551695e-08};
};

/// exp(n ln2 + r) = 2^n exp(r). The lowest bits of the float x / ln2 + to_whole are n plus twice the
/// exponent's bias, because to_whole leaves no bits for fractions. 2^n may be out of range, so y is
/// multiplied by two powers of 2. The result is multiplied by `factor`, another one, before it can overflow.
template <class D, class V>
TUTTI_INLINE V scaled_exp_of(D d, V x, hn::TFromD<D> factor) {
  using T = hn::TFromD<D>;
  using Is = Exp<T>;
  constexpr int mantissa_bits = sizeof(T) == 4 ? 23 : 52;
  const V bounded = hn::Min(hn::Max(x, hn::Set(d, Is::lowest)), hn::Set(d, Is::highest));
  const V whole = hn::MulAdd(bounded, hn::Set(d, T(1.442695040888963407359924681)), hn::Set(d, Is::to_whole));
  const V n = hn::Sub(whole, hn::Set(d, Is::to_whole));
  const V high = hn::NegMulAdd(n, hn::Set(d, Is::ln2_high), bounded);
  const V r = hn::NegMulAdd(n, hn::Set(d, Is::ln2_low), high);
  const V y = hn::Add(hn::MulAdd(polynomial(d, r, Is::series), hn::Mul(r, r), r), hn::Set(d, T{1}));
  const hn::RebindToUnsigned<D> du;
  const auto both = hn::BitCast(du, whole), first = hn::ShiftRight<1>(both), second = hn::Sub(both, first);
  const V scaled = hn::Mul(hn::Mul(factor == 1 ? y : hn::Mul(y, hn::Set(d, factor)),
                                   hn::BitCast(d, hn::ShiftLeft<mantissa_bits>(first))),
                           hn::BitCast(d, hn::ShiftLeft<mantissa_bits>(second)));
  return hn::IfThenElse(hn::IsNaN(x), x, scaled);
}

template <class D, class V>
TUTTI_INLINE V exp_of(D d, V x) {
  return scaled_exp_of(d, x, 1);
}

/// exp(x) / 2, also where exp(x) overflows.
template <class D, class V>
TUTTI_INLINE V half_exp_of(D d, V x) {
  return scaled_exp_of(d, x, hn::TFromD<D>(0.5));
}

/// expm1(x) is inf from this x on. Highway's Expm1 is still right at this x.
template <class T>
constexpr T exp_is_infinite = sizeof(T) == 4 ? T{90} : T{710};

template <class D, class V>
TUTTI_INLINE V log_of(D d, V x) {
  using T = hn::TFromD<D>;
  constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const V zero = hn::Zero(d);
  V y = hn::Log(d, x);
  y = hn::IfThenElse(hn::Eq(x, zero), hn::Set(d, -infinity), y);
  y = hn::IfThenElse(hn::Lt(x, zero), hn::Set(d, nan), y);
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, infinity)), y, x);  // inf and NaN as they are
}

template <class D, class V>
TUTTI_INLINE V tanh_of(D d, V x) {
  return hn::Tanh(d, x);
}

/// 1 / (1 + exp(-x)), computed from exp(-|x|): nothing overflows, and both tails keep their digits.
template <class D, class V>
TUTTI_INLINE V logistic_of(D d, V x) {
  const V one = hn::Set(d, hn::TFromD<D>{1});
  const V e = exp_of(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

template <class D, class V>
TUTTI_INLINE V log1p_of(D d, V x) {
  using T = hn::TFromD<D>;
  constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const V minus_one = hn::Set(d, T{-1});
  V y = hn::Log1p(d, x);
  y = hn::IfThenElse(hn::Eq(x, minus_one), hn::Set(d, -infinity), y);
  y = hn::IfThenElse(hn::Lt(x, minus_one), hn::Set(d, nan), y);
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, infinity)), y, x);  // inf and NaN as they are
}

template <class D, class V>
TUTTI_INLINE V expm1_of(D d, V x) {
  using T = hn::TFromD<D>;
  const V y = hn::Expm1(d, hn::Min(x, hn::Set(d, exp_is_infinite<T>)));
  return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Eq(x, hn::Zero(d))), x, y);  // -0 stays -0
}

/// The largest |x| for which Highway's sin and cos are accurate. Highway does not handle infinities.
template <class T>
constexpr T largest_angle = T{39000};

/// Takes `y`, the vector function's result, in lanes where it is right, and the C library's result (`scalar`)
/// in the others.
/// So a lane's bits do not depend on its neighbours.
template <class D, class V, class M, class F>
TUTTI_INLINE V where_right(D d, M is_right, V x, V y, F scalar) {
  using T = hn::TFromD<D>;
  if (HWY_LIKELY(hn::AllTrue(d, is_right))) return y;
  HWY_ALIGN T lanes[hn::MaxLanes(d)], found[hn::MaxLanes(d)];
  hn::Store(x, d, lanes);
  scalar(found, lanes, hn::Lanes(d));
  return hn::IfThenElse(is_right, y, hn::Load(d, found));
}

/// Highway's result `y` up to largest_angle.
template <class D, class V, class F>
TUTTI_INLINE V with_large_angles(D d, V x, V y, F scalar) {
  const auto is_small = hn::Le(hn::Abs(x), hn::Set(d, largest_angle<hn::TFromD<D>>));
  return where_right(d, is_small, x, y, scalar);
}

template <class D, class V>
TUTTI_INLINE V sin_of(D d, V x) {
  using T = hn::TFromD<D>;
  const V y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, hn::Sin(d, x));  // -0 stays -0
  return with_large_angles(d, x, y, [](T* out, const T* in, std::size_t n) { scalar_sin(out, in, n); });
}

template <class D, class V>
TUTTI_INLINE V cos_of(D d, V x) {
  using T = hn::TFromD<D>;
  return with_large_angles(d, x, hn::Cos(d, x),
                           [](T* out, const T* in, std::size_t n) { scalar_cos(out, in, n); });
}

/// Constants of erf_of: Remez fits, computed with 60 digits. The centers are those of many tried where
/// rounding the coefficients adds the smallest error.
template <class T>
struct Erf;

template <>
struct Erf<float> {
  static constexpr float small_center = 0.468296319F, large_center = 1.12963998F;
  static constexpr float largest = 4;
  // Fit: 0.06 * 2^-24.
  static constexpr float small[] = {-0.0255398322F, -0.286162943F,    0.0811699033F, -0.0187306441F,
                                    0.00357312756F, -0.000579431537F, 7.3259529e-05F};
  // Fit: 0.07 * 2^-24.
  static constexpr float large[] = {0.479349047F,    -0.45691213F,    0.0806246847F,  0.0556211732F,
                                    -0.0189649053F,  -0.00520329643F, 0.00333061372F, -0.000307586277F,
                                    -9.4717725e-05F, 1.69277282e-05F};
};

template <>
struct Erf<double> {
  static constexpr double small_center = 0.47531382271452277, large_center = 1.1217557046542668;
  static constexpr double largest = 6;
  // Fit: 0.004 * 2^-53.
  static constexpr double small[] = {-0.027543994324097487,  -0.28502647354326954,
                                     0.080776874689971107,   -0.018630986794910265,
                                     0.0035502634114585188,  -0.0005729104076899347,
                                     7.9976076523657739e-05, -9.8251954189947645e-06,
                                     1.0770560488030373e-06, -1.0654837508018296e-07,
                                     9.6010240029441596e-09, -7.9450081322576449e-10,
                                     6.0742564778030492e-11, -3.9012978175025548e-12};
  // Fit: 0.08 * 2^-53.
  static constexpr double large[] = {
      0.48295645964509215,     -0.45817303440206797,   0.079296818030956395,    0.056274634464820575,
      -0.019015082140879339,   -0.0047868307000983358, 0.0026474906188241943,   0.00016177944651979179,
      -0.00023404529220842093, 1.0422741775835786e-05, 1.3733698148111063e-05,  -1.4307873836965146e-06,
      -7.193437034875048e-07,  1.7448007576624167e-07, -1.8824175737878981e-08, 1.5553011200598687e-08,
      -8.7353089391293481e-09, 2.4693927082560615e-09, -4.1667776757991292e-10, 4.3991407304580438e-11,
      -2.8075171035515218e-12, 9.4378829811334328e-14, -1.0889990574243314e-15};
};

/// Small x: x + x p(x^2 - c), others: 1 - q(|x| - c)^3. The polynomial q has a third fewer terms than one for
/// q^3.
/// Needs fused multiply-add: otherwise the error exceeds 1 unit in the last place.
template <class D, class V>
TUTTI_INLINE V erf_of(D d, V x) {
  using T = hn::TFromD<D>;
  using Fit = Erf<T>;
  const V size = hn::Abs(x);
  const V square = hn::MulSub(x, x, hn::Set(d, Fit::small_center));
  const V small = hn::MulAdd(x, polynomial(d, square, Fit::small), x);
  const V distance = hn::Sub(hn::Min(size, hn::Set(d, Fit::largest)), hn::Set(d, Fit::large_center));
  const V root = polynomial(d, distance, Fit::large);
  const V large = hn::NegMulAdd(hn::Mul(root, root), root, hn::Set(d, T{1}));
  // Not Lt: NaN takes the first formula, which returns it.
  return hn::IfThenElse(hn::Ge(size, hn::Set(d, T{1.0859375})), hn::CopySign(large, x), small);
}

/// Constants of xla_erf_inv_of, of the highest power first: Giles' polynomials in w = -log(1 - x^2), which
/// XLA uses.
template <class T>
struct ErfInverse;

template <>
struct ErfInverse<float> {
  static constexpr float near_limit = 5, near_center = 2.5F, far_center = 3;
  static constexpr float near[] = {2.81022636e-08F,  3.43273939e-07F, -3.5233877e-06F,
                                   -4.39150654e-06F, 0.00021858087F,  -0.00125372503F,
                                   -0.00417768164F,  0.246640727F,    1.50140941F};
  static constexpr float far[] = {-0.000200214257F, 0.000100950558F, 0.00134934322F,
                                  -0.00367342844F,  0.00573950773F,  -0.0076224613F,
                                  0.00943887047F,   1.00167406F,     2.83297682F};
};

template <>
struct ErfInverse<double> {
  static constexpr double near_limit = 6.25, near_center = 3.125, far_center = 3.25;
  static constexpr double near[] = {
      -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,
      1.115787767802518096e-17,   -1.333171662854620906e-16,  2.0972767875968561637e-17,
      6.6376381343583238325e-15,  -4.0545662729752068639e-14, -8.1519341976054721522e-14,
      2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
      1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08,
      4.2347877827932403518e-07,  -1.3654692000834678645e-06, -1.3882523362786468719e-05,
      0.0001867342080340571352,   -0.00074070253416626697512, -0.0060336708714301490533,
      0.24015818242558961693,     1.6536545626831027356};
  static constexpr double far[] = {2.2137376921775787049e-09,  9.0756561938885390979e-08,
                                   -2.7517406297064545428e-07, 1.8239629214389227755e-08,
                                   1.5027403968909827627e-06,  -4.013867526981545969e-06,
                                   2.9234449089955446044e-06,  1.2475304481671778723e-05,
                                   -4.7318229009055733981e-05, 6.8284851459573175448e-05,
                                   2.4031110387097893999e-05,  -0.0003550375203628474796,
                                   0.00095328937973738049703,  -0.0016882755560235047313,
                                   0.0024914420961078508066,   -0.0037512085075692412107,
                                   0.005370914553590063617,    1.0052589676941592334,
                                   3.0838856104922207635};
  static constexpr double farthest_limit = 16, farthest_center = 5;
  static constexpr double farthest[] = {-2.7109920616438573243e-11, -2.5556418169965252055e-10,
                                        1.5076572693500548083e-09,  -3.7894654401267369937e-09,
                                        7.6157012080783393804e-09,  -1.4960026627149240478e-08,
                                        2.9147953450901080826e-08,  -6.7711997758452339498e-08,
                                        2.2900482228026654717e-07,  -9.9298272942317002539e-07,
                                        4.5260625972231537039e-06,  -1.9681778105531670567e-05,
                                        7.5995277030017761139e-05,  -0.00021503011930044477347,
                                        -0.00013871931833623122026, 1.0103004648645343977,
                                        4.8499064014085844221};
};

/// c[0] x^(n-1) + .. + c[n-1]
template <class D, class V, class T, std::size_t n>
TUTTI_INLINE V from_highest(D d, V x, const T (&c)[n]) {
  V y = hn::Set(d, c[0]);
  for (std::size_t i = 1; i < n; ++i) y = hn::MulAdd(y, x, hn::Set(d, c[i]));
  return y;
}

/// x times a polynomial of w, or of its root where w is large. Rounding 1 - x^2 makes its error: 65 units in
/// the last place of f32, 5 * 10^5 of f64. The ends of [-1, 1] give infinities; NaN beyond them.
template <class D, class V>
TUTTI_INLINE V xla_erf_inv_of(D d, V x) {
  using T = hn::TFromD<D>;
  using Fit = ErfInverse<T>;
  const V w = hn::Neg(log1p_of(d, hn::Neg(hn::Mul(x, x)))), root = hn::Sqrt(w);
  V y = from_highest(d, hn::Sub(root, hn::Set(d, Fit::far_center)), Fit::far);
  if constexpr (sizeof(T) == 8) {
    const V farthest = from_highest(d, hn::Sub(root, hn::Set(d, Fit::farthest_center)), Fit::farthest);
    y = hn::IfThenElse(hn::Lt(w, hn::Set(d, Fit::farthest_limit)), y, farthest);
  }
  const V near = from_highest(d, hn::Sub(w, hn::Set(d, Fit::near_center)), Fit::near);
  y = hn::Mul(hn::IfThenElse(hn::Lt(w, hn::Set(d, Fit::near_limit)), near, y), x);
  const V infinity = hn::Set(d, std::numeric_limits<T>::infinity());
  return hn::IfThenElse(hn::Eq(hn::Abs(x), hn::Set(d, T{1})), hn::CopySign(infinity, x), y);
}

}  // namespace
}  // namespace tutti::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
