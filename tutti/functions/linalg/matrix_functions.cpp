// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/linalg/matrix_functions.hpp"

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/control/flow/cond.hpp"
#include "tutti/control/flow/loops.hpp"
#include "tutti/functions/folds/reductions.hpp"
#include "tutti/functions/linalg/solving.hpp"
#include "tutti/functions/shapes/diagonals.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/stop_gradient.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

void require_square(const Array& a) {
  require(a.rank() >= 2 && a.dim(-1) == a.dim(-2), Code::shape,
          "{} is no square matrix; its last two dims must be equal", a.type());
}

Array identity_like(const Array& a) { return eye(a.dim(-1), a.dtype()); }

/// a^n for n > 0: the product of those of a, a^2, a^4, .. whose bit of n is set.
Array power(Array a, std::uint64_t n) {
  std::optional<Array> product;
  while (true) {
    if (n & 1) product = product ? matmul(*product, a) : a;
    n >>= 1;
    if (n == 0) return *product;
    a = matmul(a, a);
  }
}

/// The diagonal approximant of exp: p(a) / p(-a), p(a) = sum of b[i] a^i. `largest`: the norm up to which it
/// is exact to the dtype.
struct Pade {
  std::span<const double> b;
  double largest;
};
// Table 2.3 of Higham 2005.
constexpr double degree_7[] = {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1};
constexpr double degree_13[] = {64764752532480000.,
                                32382376266240000.,
                                7771770303897600.,
                                1187353796428800.,
                                129060195264000.,
                                10559470521600.,
                                670442572800.,
                                33522128640.,
                                1323241920.,
                                40840800.,
                                960960.,
                                16380.,
                                182.,
                                1.};
const Pade in_single{degree_7, 3.925724783138660}, in_double{degree_13, 5.371920351148152};

bool is_double(DType dtype) { return dtype == DType::f64 || dtype == DType::complex128; }

/// b[first] I + b[first + 2] a^2 + b[first + 4] a^4 + .. + b[first + 6] a^6, of the `powers` a^2, a^4, a^6.
Array every_second(std::span<const double> b, std::size_t first, const Arrays& powers, const Array& one) {
  Array total = b[first] * one;
  for (std::size_t i = 0; i < powers.size(); ++i) total = total + b[first + 2 * i + 2] * powers[i];
  return total;
}

/// The same of the terms b[first + 8] a^8, b[first + 10] a^10, b[first + 12] a^12; a^6 taken out.
Array higher(std::span<const double> b, std::size_t first, const Arrays& powers) {
  Array total = b[first + 8] * powers[0];
  for (std::size_t i = 1; i < powers.size(); ++i) total = total + b[first + 8 + 2 * i] * powers[i];
  return matmul(powers[2], total);
}

Array approximated(const Array& a, const Pade& pade) {
  const Array one = identity_like(a), a2 = matmul(a, a), a4 = matmul(a2, a2);
  const Arrays powers{a2, a4, matmul(a4, a2)};
  Array odd = every_second(pade.b, 1, powers, one), even = every_second(pade.b, 0, powers, one);
  if (pade.b.size() > 8) {
    odd = odd + higher(pade.b, 1, powers);
    even = even + higher(pade.b, 0, powers);
  }
  odd = matmul(a, odd);
  return solve(even - odd, even + odd);
}

constexpr int most_squarings = 17;  // JAX takes 16, of matrices up to twice as large

/// The number of times that each matrix is halved until its norm is at most `largest`: [.., 1, 1].
Array squarings(const Array& a, double largest) {
  const Array columns = sum(abs(stop_gradient(a)), -2, {.keepdims = true});
  return maximum(ceil(log2(amax(columns, -1, {.keepdims = true}) / largest)), 0);
}

/// Every matrix squared as often as its `times` says. Stops computing when all are done.
Array squared(const Array& a, const Array& times) {
  const Array most = amax(times);
  return fori_loop(
      0, most_squarings,
      [&](const Array& i, const Array& x) {
        const Array done = convert(i, times.dtype());
        const Array next = cond(
            done < most, [](const Array& y) { return matmul(y, y); }, [](const Array& y) { return y; }, x);
        return where(done < times, next, x);
      },
      a);
}

}  // namespace

Array matrix_power(const Operand& a, std::int64_t n) {
  return front_end("matrix_power", a.where(), [&] {
    const Array x = as_array(a);
    require_square(x);
    if (n == 0) return broadcast_to(identity_like(x), x.shape());
    const auto size = n < 0 ? -static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
    return power(n < 0 ? inv(x) : x, size);
  });
}

Array expm(const Operand& a) {
  return front_end("expm", a.where(), [&] {
    Array x = as_array(a);
    require_square(x);
    const DType dtype = x.dtype();
    require(is_inexact(dtype) && dtype != DType::f16 && dtype != DType::bf16, Code::dtype,
            "{} is neither f32, f64 nor complex; convert it: convert(x, DType::f32)", x.type());
    if (x.type().elements() == 0) return x;
    const Pade& pade = is_double(dtype) ? in_double : in_single;
    const Array times = squarings(x, pade.largest);
    const Array result = squared(approximated(x * convert(exp2(-times), dtype), pade), times);
    return where(times > most_squarings, std::numeric_limits<double>::quiet_NaN(), result);
  });
}

}  // namespace tutti
