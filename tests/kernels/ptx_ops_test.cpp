// SPDX-License-Identifier: Apache-2.0
// Each op runs alone as PTX on the model of the instructions. The checker's op gives the expected lanes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <span>

#include "tests/kernels/ptx_machine.hpp"
#include "tutti/kernels/code/lanes.hpp"
#include "tutti/kernels/ir/builder.hpp"
#include "tutti/kernels/ptx/ptx_text.hpp"

namespace tutti::kernels {
namespace {

constexpr int lanes = 128;
constexpr Scalar integers[] = {Scalar::i1, Scalar::i8, Scalar::i16, Scalar::i32, Scalar::i64};
constexpr Scalar floats[] = {Scalar::f16, Scalar::bf16, Scalar::f32, Scalar::f64};

using Bits = std::vector<std::uint64_t>;

std::size_t bytes_of(Scalar scalar) { return static_cast<std::size_t>(std::max(bits(scalar), 8)) / 8; }

/// Bits of every kind of number: small, extreme, NaN, infinities, zeros of both signs, and at random.
Bits operands(Scalar scalar, std::uint32_t seed) {
  std::mt19937_64 random(seed);
  Bits all;
  const int width = bits(scalar);
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  const int fraction = scalar == Scalar::f16    ? 10
                       : scalar == Scalar::bf16 ? 7
                       : scalar == Scalar::f32  ? 23
                                                : 52;
  const std::uint64_t infinity = is_float(scalar) ? (sign - 1) >> fraction << fraction : sign - 1;
  const Bits special{0, sign, 1, mask, infinity, infinity | sign, infinity + 1, sign - 1, 3, sign + 1};
  for (int i = 0; i < lanes; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const std::uint64_t number = i < 100 ? special[seed == 1 ? k % 10 : k / 10] : random();
    all.push_back((i >= 110 && is_float(scalar) ? number & ~infinity : number) & mask);
  }
  return all;
}

/// A kernel of one op: it loads from all arguments except the last, and stores to that. An i1 lies in memory
/// as i8.
struct OpKernel {
  OpKernel(std::span<const Scalar> inputs, Scalar output) {
    for (const Scalar scalar : inputs) places.push_back(argument(scalar));
    places.push_back(argument(output));
    at = b.range(0, lanes);
  }

  Builder b{"op"};
  std::vector<Value> places;
  Value at;

  static Scalar stored(Scalar scalar) { return scalar == Scalar::i1 ? Scalar::i8 : scalar; }
  Value argument(Scalar scalar) {
    return b.argument("a" + std::to_string(places.size()), pointer_to(stored(scalar)), 16);
  }
  Value load(std::size_t k, Scalar scalar) {
    const Value value = b.load(b.offset(places[k], at));
    return scalar == Scalar::i1 ? b.convert(ConvertOp::trunci, value, Scalar::i1) : value;
  }
  void store(Value value, Scalar scalar) {
    if (scalar == Scalar::i1) value = b.convert(ConvertOp::extui, value, Scalar::i8);
    const Value place = b.offset(places.back(), at);
    b.store(place, value);
  }
};

/// Out of the kernel, one element after the other.
Bits run(const Function& kernel, std::span<const Scalar> scalars, std::span<const Bits> inputs, int warps,
         PtxTarget target = PtxTarget::sm_80) {
  const std::vector<PtxEntry> entries = ptx_entries(ptx_header(target) + ptx_entry(kernel, {target, warps}));
  PtxMemory memory;
  std::vector<std::uint64_t> arguments;
  for (std::size_t k = 0; k < scalars.size(); ++k) {
    arguments.push_back(memory.allocate(lanes * bytes_of(scalars[k]), "array"));
    for (std::size_t i = 0; k < inputs.size() && i < inputs[k].size(); ++i)
      memory.store(arguments[k] + i * bytes_of(scalars[k]), bytes_of(scalars[k]), inputs[k][i]);
  }
  PtxBlock block(entries[0], memory, arguments, 0, 1);
  std::mt19937 random(1);
  std::uint64_t clock = 0;
  for (int turns = 0; turns < 1000 && !block.is_done(); ++turns) block.turn(100, clock, random);
  EXPECT_TRUE(block.is_done());
  Bits out;
  const std::size_t size = bytes_of(scalars.back());
  for (std::size_t i = 0; i < lanes; ++i) out.push_back(memory.load(arguments.back() + i * size, size));
  return out;
}

bool is_nan(Scalar scalar, LaneWord word) {
  LaneWord answer = 0;
  lanes_of(FloatPredicate::uno, scalar)(&answer, &word, &word, nullptr, 1);
  return answer != 0;
}

/// The same bits; of NaN any.
void expect_equal(const Bits& found, const Bits& expected, Scalar scalar, std::string_view what) {
  const std::uint64_t mask = bits(scalar) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits(scalar)) - 1;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (is_float(scalar) && is_nan(scalar, expected[i]) && is_nan(scalar, found[i])) continue;
    EXPECT_EQ(found[i] & mask, expected[i] & mask) << what << " of " << to_string(scalar) << ", lane " << i;
  }
}

LaneWord word(Scalar scalar, std::uint64_t from) { return word_of_bits(scalar, from); }

constexpr ArithOp integer_ops[] = {ArithOp::addi,  ArithOp::subi,  ArithOp::muli,  ArithOp::divui,
                                   ArithOp::divsi, ArithOp::remui, ArithOp::remsi, ArithOp::andi,
                                   ArithOp::ori,   ArithOp::xori,  ArithOp::shli,  ArithOp::shrui,
                                   ArithOp::shrsi, ArithOp::minsi, ArithOp::minui, ArithOp::maxsi,
                                   ArithOp::maxui};
constexpr ArithOp float_ops[] = {ArithOp::addf, ArithOp::mulf, ArithOp::maximumf, ArithOp::minimumf};

void expect_arithmetic(ArithOp op, Scalar scalar) {
  const Scalar scalars[] = {scalar, scalar, scalar};
  Bits inputs[] = {operands(scalar, 1), operands(scalar, 2)};
  Bits expected;
  for (std::size_t i = 0; i < lanes; ++i) {
    const LaneWord x = word(scalar, inputs[0][i]);
    if (is_undefined(op, scalar, x, word(scalar, inputs[1][i]))) inputs[1][i] = 1;
    if (is_undefined(op, scalar, x, word(scalar, inputs[1][i]))) inputs[1][i] = 0;
    const LaneWord y = word(scalar, inputs[1][i]);
    LaneWord z = 0;
    lanes_of(op, scalar)(&z, &x, &y, nullptr, 1);
    expected.push_back(z);
  }
  OpKernel kernel{std::span(scalars).first(2), scalar};
  const Value x = kernel.load(0, scalar);
  const Value y = kernel.load(1, scalar);
  kernel.store(kernel.b.arith(op, x, y), scalar);
  expect_equal(run(std::move(kernel.b).finish(), scalars, inputs, 1), expected, scalar, op_name(Arith{op}));
}

TEST(ptx_ops, arithmetic_of_integers) {
  for (ArithOp op : integer_ops)
    for (Scalar scalar : integers) {
      const bool divides =
          op == ArithOp::divui || op == ArithOp::divsi || op == ArithOp::remui || op == ArithOp::remsi;
      if (scalar == Scalar::i1 && divides) continue;  // by 1 alone
      expect_arithmetic(op, scalar);
    }
}

TEST(ptx_ops, arithmetic_of_floats_where_nan_wins) {
  for (ArithOp op : float_ops)
    for (Scalar scalar : floats) expect_arithmetic(op, scalar);
}

template <class Predicate>
void expect_comparison(const OpKind& kind, Predicate predicate, Scalar scalar) {
  const Scalar scalars[] = {scalar, scalar, Scalar::i1};
  const Bits inputs[] = {operands(scalar, 1), operands(scalar, 2)};
  Bits expected;
  for (std::size_t i = 0; i < lanes; ++i) {
    const LaneWord x = word(scalar, inputs[0][i]), y = word(scalar, inputs[1][i]);
    LaneWord z = 0;
    lanes_of(predicate, scalar)(&z, &x, &y, nullptr, 1);
    expected.push_back(z);
  }
  OpKernel kernel{std::span(scalars).first(2), Scalar::i1};
  const Value x = kernel.load(0, scalar);
  const Value y = kernel.load(1, scalar);
  kernel.store(kernel.b.one(kind, {x, y}), Scalar::i1);
  expect_equal(run(std::move(kernel.b).finish(), scalars, inputs, 1), expected, Scalar::i1,
               to_string(predicate));
}

TEST(ptx_ops, comparisons) {
  for (int p = 0; p <= static_cast<int>(IntPredicate::uge); ++p)
    for (Scalar scalar : integers)
      expect_comparison(CompareInts{static_cast<IntPredicate>(p)}, static_cast<IntPredicate>(p), scalar);
  for (int p = 1; p <= static_cast<int>(FloatPredicate::uno); ++p)
    for (Scalar scalar : floats)
      expect_comparison(CompareFloats{static_cast<FloatPredicate>(p)}, static_cast<FloatPredicate>(p),
                        scalar);
}

void expect_conversion(ConvertOp op, Scalar from, Scalar to) {
  const Scalar scalars[] = {from, to};
  const Bits inputs[] = {operands(from, 1)};
  Bits expected;
  for (const std::uint64_t bits : inputs[0]) {
    const LaneWord x = word(from, bits);
    LaneWord z = 0;
    lanes_of(op, from, to)(&z, &x, nullptr, nullptr, 1);
    expected.push_back(z);
  }
  OpKernel kernel{std::span(scalars).first(1), to};
  kernel.store(kernel.b.convert(op, kernel.load(0, from), to), to);
  expect_equal(run(std::move(kernel.b).finish(), scalars, inputs, 1), expected, to, to_string(from));
}

TEST(ptx_ops, conversions) {
  for (Scalar narrow : integers)
    for (Scalar wide : integers) {
      if (bits(narrow) >= bits(wide)) continue;
      expect_conversion(ConvertOp::extsi, narrow, wide);
      expect_conversion(ConvertOp::extui, narrow, wide);
      expect_conversion(ConvertOp::trunci, wide, narrow);
    }
  for (Scalar narrow : floats)
    for (Scalar wide : floats) {
      if (bits(narrow) >= bits(wide)) continue;
      expect_conversion(ConvertOp::extf, narrow, wide);
      expect_conversion(ConvertOp::truncf, wide, narrow);
    }
}

// Indices of 64 bits pass 2^31, those of 32 bits are signed.
TEST(ptx_ops, addresses_far_from_a_pointer) {
  for (const Scalar index : {Scalar::i32, Scalar::i64}) {
    const Scalar scalars[] = {Scalar::i64, Scalar::i64};
    const std::int64_t start = index == Scalar::i64 ? (std::int64_t{1} << 33) + 5 : -9;
    const Bits inputs[] = {Bits(lanes, static_cast<std::uint64_t>(start))};
    OpKernel kernel{std::span(scalars).first(1), Scalar::i64};
    Value first = kernel.load(0, Scalar::i64);
    if (index == Scalar::i32) first = kernel.b.convert(ConvertOp::trunci, first, index);
    const Value own = index == Scalar::i32 ? kernel.at : kernel.b.convert(ConvertOp::extsi, kernel.at, index);
    const Value place = kernel.b.offset(kernel.places[0], kernel.b.arith(ArithOp::addi, first, own));
    kernel.store(kernel.b.one(PtrToInt{}, {place}), Scalar::i64);
    Bits expected;
    for (int i = 0; i < lanes; ++i)  // the first buffer of the machine's memory begins at 2^36
      expected.push_back((std::uint64_t{1} << 36) + static_cast<std::uint64_t>((start + i) * 8));
    expect_equal(run(std::move(kernel.b).finish(), scalars, inputs, 1), expected, Scalar::i64,
                 to_string(index));
  }
}

TEST(ptx_ops, selections) {
  for (Scalar scalar : {Scalar::i1, Scalar::i8, Scalar::bf16, Scalar::f32, Scalar::i64}) {
    const Scalar scalars[] = {Scalar::i1, scalar, scalar, scalar};
    const Bits inputs[] = {operands(Scalar::i1, 2), operands(scalar, 1), operands(scalar, 2)};
    Bits expected;
    for (std::size_t i = 0; i < lanes; ++i) expected.push_back(inputs[inputs[0][i] != 0 ? 1 : 2][i]);
    OpKernel kernel{std::span(scalars).first(3), scalar};
    const Value c = kernel.load(0, Scalar::i1);
    const Value x = kernel.load(1, scalar);
    const Value y = kernel.load(2, scalar);
    kernel.store(kernel.b.select(c, x, y), scalar);
    expect_equal(run(std::move(kernel.b).finish(), scalars, inputs, 1), expected, scalar, "arith.select");
  }
}

// A sum of floats depends on the order: whole numbers do not.
Bits whole_numbers(Scalar scalar) {
  Bits all;
  for (int i = 0; i < lanes; ++i)
    all.push_back(word_of(scalar, is_float(scalar) ? std::variant<std::int64_t, double>(double(i % 7))
                                                   : std::int64_t{i % 7 * 5 % 3}));
  return all;
}

TEST(ptx_ops, reductions_give_all_threads_the_same_bits) {
  for (int warps : {1, 2, 4, 8})
    for (Scalar scalar :
         {Scalar::i32, Scalar::i64, Scalar::f32, Scalar::f64, Scalar::i8, Scalar::f16, Scalar::i1})
      for (ArithOp op : {ArithOp::addi, ArithOp::ori, ArithOp::andi, ArithOp::maxsi, ArithOp::minui,
                         ArithOp::addf, ArithOp::maximumf}) {
        const bool of_floats = op == ArithOp::addf || op == ArithOp::maximumf;
        if (of_floats != is_float(scalar)) continue;
        if (scalar == Scalar::i1 && op != ArithOp::ori && op != ArithOp::andi) continue;
        const Scalar scalars[] = {scalar, scalar};
        const Bits inputs[] = {whole_numbers(scalar)};
        LaneWord sum = word(scalar, inputs[0][0]);
        for (std::size_t i = 1; i < lanes; ++i) {
          const LaneWord x = sum, y = word(scalar, inputs[0][i]);
          lanes_of(op, scalar)(&sum, &x, &y, nullptr, 1);
        }
        OpKernel kernel{std::span(scalars).first(1), scalar};
        const Value reduced = kernel.b.reduce(op, kernel.load(0, scalar));
        kernel.store(kernel.b.splat(reduced, {lanes}), scalar);
        expect_equal(run(std::move(kernel.b).finish(), scalars, inputs, warps), Bits(lanes, sum), scalar,
                     op_name(Arith{op}));
      }
}

TEST(ptx_ops, atomics_store_and_give_back_what_was_there) {
  for (RmwOp op : {RmwOp::bit_and, RmwOp::bit_or, RmwOp::bit_xor, RmwOp::add, RmwOp::fadd, RmwOp::max,
                   RmwOp::min, RmwOp::umax, RmwOp::umin, RmwOp::exch})
    for (Scalar scalar : {Scalar::i32, Scalar::i64, Scalar::f32, Scalar::f64}) {
      if ((op == RmwOp::fadd) != is_float(scalar)) continue;
      for (int warps : {1, 8}) {  // of 8 warps half hold copies
        const Scalar scalars[] = {scalar, scalar, scalar};
        const Bits inputs[] = {operands(scalar, 1), operands(scalar, 2)};
        OpKernel kernel{std::span(scalars).first(2), scalar};
        const Value place = kernel.b.offset(kernel.places[0], kernel.at);
        const Value y = kernel.load(1, scalar);
        const Value before = kernel.b.atomic_rmw({op, Order::relaxed, Scope::sys}, place, y);
        kernel.store(before, scalar);
        const Function function = std::move(kernel.b).finish();
        expect_equal(run(function, scalars, inputs, warps), inputs[0], scalar, to_string(op));
      }
    }
}

}  // namespace
}  // namespace tutti::kernels
