// SPDX-License-Identifier: Apache-2.0
// Reductions give the bits of the trees that reductions.hpp promises, on every instruction set; the trees are
// written down here a second time, and their depth is within the bound of the error.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>

#include "tests/tensor/element_values.hpp"
#include "tests/tensor/instruction_sets.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/copies.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/tensor/loops/simd/stream.hpp"

namespace tutti {
namespace {

/// `and` and `or` join bits.
std::vector<ReduceKind> kinds_of(DType dtype) {
  std::vector<ReduceKind> kinds{ReduceKind::sum, ReduceKind::prod, ReduceKind::max, ReduceKind::min};
  if (dtype != DType::f32 && dtype != DType::f64)
    for (ReduceKind kind : {ReduceKind::logical_and, ReduceKind::logical_or}) kinds.push_back(kind);
  return kinds;
}

template <class T>
T folded(ReduceKind kind, T a, T b) {
  if constexpr (std::same_as<T, bool>) {
    const bool is_and =
        kind == ReduceKind::min || kind == ReduceKind::prod || kind == ReduceKind::logical_and;
    return is_and ? a && b : a || b;
  } else if constexpr (std::integral<T>) {
    using U = std::make_unsigned_t<T>;
    switch (kind) {
      case ReduceKind::sum: return T(U(a) + U(b));
      case ReduceKind::prod: return T(std::uint64_t(a) * std::uint64_t(b));
      case ReduceKind::max: return std::max(a, b);
      case ReduceKind::min: return std::min(a, b);
      case ReduceKind::logical_and: return a & b;
      case ReduceKind::logical_or: return a | b;
    }
    return 0;
  } else {
    if (kind == ReduceKind::sum) return a + b;
    if (kind == ReduceKind::prod) return a * b;
    if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
    const bool takes_a =
        a == b ? std::signbit(a) == (kind == ReduceKind::min) : (a < b) == (kind == ReduceKind::min);
    return takes_a ? a : b;
  }
}

/// A value, or what nothing was folded into yet.
template <class V>
using Maybe = std::optional<V>;

template <class V>
using FoldOf = std::function<V(V, V)>;

template <class V>
Maybe<V> folded(const FoldOf<V>& fold, const Maybe<V>& a, const Maybe<V>& b) {
  return a && b ? Maybe<V>(fold(*a, *b)) : a ? a : b;
}

/// ((0 1)(2 3))(4 5): halves split at the largest power of two below the count.
template <class V>
Maybe<V> pairwise(const FoldOf<V>& fold, const std::vector<Maybe<V>>& values, std::size_t first,
                  std::size_t count) {
  if (count == 0) return {};
  if (count == 1) return values[first];
  std::size_t left = 1;
  while (2 * left < count) left *= 2;
  return folded(fold, pairwise(fold, values, first, left),
                pairwise(fold, values, first + left, count - left));
}

/// The tree of a row: element i in lane i % 16; in a block of 2 KiB, vectors of 16 lanes go around 4 (or 2)
/// sums.
template <class V>
Maybe<V> row_tree(const FoldOf<V>& fold, const std::vector<V>& row, std::size_t element_bytes) {
  const std::size_t sums = 16 / element_bytes, block = 2048 / element_bytes;
  std::vector<std::vector<Maybe<V>>> lanes(16);  // of each lane, one value per block
  for (std::size_t lane = 0; lane < 16; ++lane)
    for (std::size_t start = 0; start < row.size(); start += block) {
      std::vector<Maybe<V>> sum(sums);
      for (std::size_t i = start + lane; i < std::min(row.size(), start + block); i += 16)
        sum[(i - start) / 16 % sums] = folded<V>(fold, sum[(i - start) / 16 % sums], row[i]);
      lanes[lane].push_back(pairwise(fold, sum, 0, sums));
    }
  std::vector<Maybe<V>> last;
  for (const auto& blocks : lanes) last.push_back(pairwise(fold, blocks, 0, blocks.size()));
  for (std::size_t half = 8; half > 0; half /= 2)
    for (std::size_t lane = 0; lane < half; ++lane) last[lane] = folded(fold, last[lane], last[lane + half]);
  return last[0];
}

template <class T>
T neutral(ReduceKind kind, DType dtype) {
  std::byte bytes[8];
  write_neutral_element(kind, dtype, bytes);
  Stored<T> value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// Numbers with a NaN or zeros of both signs among them, now and then.
template <class T>
std::vector<Stored<T>> reducible_values(std::size_t n, std::uint64_t seed) {
  auto values = spread_values<T>(n, seed);
  if constexpr (std::floating_point<T>) {
    if (n > 0 && seed % 5 == 0) values[seed % n] = std::numeric_limits<T>::quiet_NaN();
    if (seed % 5 == 1)
      for (std::size_t i = 0; i < n; ++i) values[i] = (i * 7 + seed) % 3 == 0 ? -T{0} : T{0};
    if (seed % 5 == 2) std::fill(values.begin(), values.end(), -T{0});
  }
  return values;
}

class reductions_of : public testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(all, reductions_of, testing::ValuesIn(instruction_sets()),
                         [](const auto& set) { return name_of_instruction_set(set.param); });

/// A sum starts from +0: the sum of -0s is +0.
template <class T>
T finished(ReduceKind kind, DType dtype, Maybe<T> tree) {
  if (!tree) return neutral<T>(kind, dtype);
  return kind == ReduceKind::sum ? folded<T>(kind, *tree, T{0}) : *tree;
}

template <class T>
void check_rows(ReduceKind kind, DType dtype, std::size_t rows, std::size_t columns,
                std::size_t row_elements) {
  const auto values = reducible_values<T>(rows * row_elements, columns);
  std::vector<Stored<T>> found(rows);
  reduce_rows_kernel(kind, dtype)(bytes(found), bytes(values), std::int64_t(rows), std::int64_t(columns),
                                  std::int64_t(row_elements * sizeof(T)));
  const FoldOf<T> fold = [kind](T a, T b) { return folded<T>(kind, a, b); };
  for (std::size_t r = 0; r < rows; ++r) {
    const auto* row = values.data() + r * row_elements;
    const T want = finished<T>(kind, dtype, row_tree<T>(fold, std::vector<T>(row, row + columns), sizeof(T)));
    ASSERT_TRUE(same_element<Stored<T>>(found[r], want))
        << name(kind) << " of row " << r << " of " << columns << ' ' << name(dtype) << " = " << +found[r]
        << ", not " << +want;
  }
}

TEST_P(reductions_of, rows_fold_16_lanes_and_blocks_of_2_KiB_in_the_promised_tree) {
  const UseInstructionSet use(GetParam());
  for (DType dtype : arithmetic_dtypes())
    for (ReduceKind kind : kinds_of(dtype))
      with_type(dtype, [=]<class T>(T) {
        for (std::size_t columns = 0; columns < 150; ++columns)
          check_rows<T>(kind, dtype, 3, columns, columns + 2);
        for (std::size_t columns : {255, 256, 257, 511, 512, 513, 600, 1024, 1500, 3000, 5121})
          check_rows<T>(kind, dtype, 2, columns, columns);
      });
}

template <class T>
void check_pieces(ReduceKind kind, DType dtype, std::int64_t columns, std::int64_t piece) {
  const std::int64_t count = (columns + piece - 1) / piece, element = sizeof(T);
  const auto values = reducible_values<T>(std::size_t(columns), std::uint64_t(columns));
  std::vector<Stored<T>> lanes(std::size_t(count * lanes_of_piece)), row(lanes_of_piece);
  for (std::int64_t p = 0; p < count; ++p)  // one after the other, as workers fold them
    reduce_pieces_kernel(kind, dtype)(bytes(lanes) + p * lanes_of_piece * element,
                                      bytes(values) + p * piece * element, 1,
                                      std::min(piece, columns - p * piece), 0);
  std::vector<std::byte> scratch(reduce_columns_scratch_bytes(count, lanes_of_piece, dtype));
  reduce_columns_kernel(kind, dtype)(bytes(row), bytes(lanes), count, lanes_of_piece,
                                     lanes_of_piece * element, scratch.data());
  Stored<T> found, whole;
  const auto fold = reduce_rows_kernel(kind, dtype);
  fold(reinterpret_cast<std::byte*>(&found), bytes(row), 1, lanes_of_piece, 0);
  fold(reinterpret_cast<std::byte*>(&whole), bytes(values), 1, columns, 0);
  ASSERT_TRUE(same_element<Stored<T>>(found, whole))
      << name(kind) << " of " << columns << ' ' << name(dtype) << " = " << +found << ", not " << +whole;
}

TEST_P(reductions_of, rows_fold_as_pieces_of_them_do) {
  const UseInstructionSet use(GetParam());
  for (DType dtype : arithmetic_dtypes())
    for (ReduceKind kind : kinds_of(dtype)) {
      if (!reduce_pieces_kernel(kind, dtype)) continue;
      with_type(dtype, [=]<class T>(T) {
        for (std::int64_t piece : {shortest_piece, 4 * shortest_piece})
          for (std::int64_t columns : {1, 17, 1023, 1024, 1025, 2048, 3072, 3089, 5121, 9000, 16384})
            check_pieces<T>(kind, dtype, columns, piece);
      });
    }
}

/// `values` of `from` in pieces, compared with the pieces of their conversions; rows of pieces have a gap.
void check_converted_pieces(DType from, DType to, std::vector<std::byte> values, std::int64_t columns) {
  const auto element = static_cast<std::int64_t>(bytes_per_element(from)),
             wide = static_cast<std::int64_t>(bytes_per_element(to));
  constexpr std::int64_t rows = 2;
  const std::int64_t row_elements = std::ssize(values) / element / rows;
  std::vector<std::byte> converted(std::size_t(rows * row_elements * wide)),
      found(std::size_t(rows * lanes_of_piece * wide)), expected(found.size());
  const std::byte* const in[] = {values.data()};
  convert_kernel(from, to)(converted.data(), in, rows * row_elements);
  reduce_pieces_kernel(ReduceKind::sum, to)(expected.data(), converted.data(), rows, columns,
                                            row_elements * wide);
  reduce_converted_pieces_kernel(from, to)(found.data(), values.data(), rows, columns,
                                           row_elements * element);
  EXPECT_EQ(found, expected) << columns << ' ' << name(from) << " as " << name(to);
}

const std::pair<DType, DType> converted[] = {{DType::u8, DType::i32},  {DType::i8, DType::i32},
                                             {DType::u16, DType::i32}, {DType::i16, DType::i32},
                                             {DType::u8, DType::i64},  {DType::i8, DType::i64},
                                             {DType::u16, DType::i64}, {DType::i16, DType::i64},
                                             {DType::i32, DType::i64}, {DType::f16, DType::f32},
                                             {DType::bf16, DType::f32}};

TEST_P(reductions_of, pieces_are_converted_as_they_are_folded) {
  const UseInstructionSet use(GetParam());
  for (auto [from, to] : converted) {
    ASSERT_NE(reduce_converted_pieces_kernel(from, to), nullptr) << name(from) << " as " << name(to);
    for (std::int64_t columns : {1, 7, 16, 17, 63, 64, 511, 512, 513, 1024, 3089, 16384}) {
      std::vector<std::uint8_t> values =
          spread_values<std::uint8_t>(std::size_t(2 * (columns + 3)) * bytes_per_element(from),
                                      std::uint64_t(columns));
      // Halves are numbers: none has an exponent of ones.
      if (is_half(from))
        for (std::size_t high = 1; high < values.size(); high += 2) values[high] &= 0xBF;
      const auto read = std::as_bytes(std::span(values));
      check_converted_pieces(from, to, {read.begin(), read.end()}, columns);
    }
  }
}

// The largest and smallest elements of a piece so long that their sum exceeds 32 bits, in each lane as well.
TEST_P(reductions_of, pieces_of_small_integers_do_not_overflow) {
  const UseInstructionSet use(GetParam());
  constexpr std::int64_t columns = 16 << 17;
  for (DType from : {DType::u8, DType::i8, DType::u16, DType::i16})
    for (int high : {0x7F, 0x80, 0xFF}) {
      const std::size_t element = bytes_per_element(from);
      std::vector<std::byte> values(2 * columns * element, std::byte(high == 0x80 ? 0 : 0xFF));
      for (std::size_t i = element - 1; i < values.size(); i += element) values[i] = std::byte(high);
      check_converted_pieces(from, DType::i64, std::move(values), columns);
    }
}

TEST(converted_pieces, have_no_kernel_where_the_bits_could_differ) {
  EXPECT_EQ(reduce_converted_pieces_kernel(DType::u32, DType::i64), nullptr);
  EXPECT_EQ(reduce_converted_pieces_kernel(DType::i64, DType::i32), nullptr);
  EXPECT_EQ(reduce_converted_pieces_kernel(DType::f32, DType::f64), nullptr);
  EXPECT_EQ(reduce_converted_pieces_kernel(DType::f16, DType::i32), nullptr);
}

/// The tree over rows, column by column, then whole kernels with the columns split among two callers.
template <class T>
void check_columns(ReduceKind kind, DType dtype, std::size_t rows, std::size_t columns,
                   std::size_t row_elements) {
  const auto values = reducible_values<T>(rows * row_elements, rows);
  std::vector<Stored<T>> found(columns + 1, Stored<T>{1});
  std::vector<std::byte> scratch(
      reduce_columns_scratch_bytes(std::int64_t(rows), std::int64_t(columns), dtype));
  const ReduceColumnsKernel kernel = reduce_columns_kernel(kind, dtype);
  const std::size_t cut = columns / 3;
  const auto row_bytes = std::int64_t(row_elements * sizeof(T));
  kernel(bytes(found), bytes(values), std::int64_t(rows), std::int64_t(cut), row_bytes, scratch.data());
  kernel(bytes(found) + cut * sizeof(T), bytes(values) + cut * sizeof(T), std::int64_t(rows),
         std::int64_t(columns - cut), row_bytes, scratch.data());
  const FoldOf<T> fold = [kind](T a, T b) { return folded<T>(kind, a, b); };
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<Maybe<T>> column;
    for (std::size_t r = 0; r < rows; ++r) column.push_back(T(values[r * row_elements + c]));
    const T want = finished<T>(kind, dtype, pairwise(fold, column, 0, rows));
    ASSERT_TRUE(same_element<Stored<T>>(found[c], want))
        << name(kind) << " of " << rows << " rows at column " << c << " = " << +found[c] << ", not " << +want;
  }
  EXPECT_EQ(found[columns], Stored<T>{1}) << "written beyond the columns";
}

TEST_P(reductions_of, columns_fold_pairwise_over_rows_however_the_columns_are_split) {
  const UseInstructionSet use(GetParam());
  for (DType dtype : arithmetic_dtypes())
    for (ReduceKind kind : kinds_of(dtype))
      with_type(dtype, [=]<class T>(T) {
        for (std::size_t rows = 0; rows < 70; ++rows)
          check_columns<T>(kind, dtype, rows, rows % 7 * 9 + 1, 70);
        check_columns<T>(kind, dtype, 300, 20, 23);
        check_columns<T>(kind, dtype, 21, 5000, 5000);  // more than one line of columns
      });
}

template <class T>
void check_fold(ReduceKind kind, DType dtype, std::size_t count, std::size_t n) {
  std::vector<std::vector<Stored<T>>> values;
  std::vector<const std::byte*> in;
  for (std::size_t k = 0; k < count; ++k) values.push_back(reducible_values<T>(n, k * 11 + count));
  const auto before = values;
  for (const auto& position : values) in.push_back(bytes(position));
  std::vector<std::byte> streamed(n * sizeof(Stored<T>) + 64);
  std::byte* past_caches = streamed.data() + -reinterpret_cast<std::uintptr_t>(streamed.data()) % 64;
  auto over = in;  // one of the operands
  over[count / 2] = past_caches;
  std::copy_n(in[count / 2], n * sizeof(Stored<T>), past_caches);
  fold_kernel(kind, dtype)(past_caches, over.data(), int(count), std::int64_t(n), Load::ahead,
                           Store::streaming);
  finish_streaming();
  std::vector<Stored<T>>& out = values[count / 2];  // one of the operands
  fold_kernel(kind, dtype)(bytes(out), in.data(), int(count), std::int64_t(n), Load::plain, Store::plain);
  EXPECT_TRUE(std::equal(past_caches, past_caches + n * sizeof(Stored<T>), bytes(out)))
      << name(kind) << " of " << count;
  const FoldOf<T> fold = [kind](T a, T b) { return folded<T>(kind, a, b); };
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Maybe<T>> column;
    for (const auto& position : before) column.push_back(T(position[i]));
    const T want = *pairwise(fold, column, 0, count);
    ASSERT_TRUE(same_element<Stored<T>>(out[i], want))
        << name(kind) << " of " << count << " positions at " << i;
  }
}

TEST_P(reductions_of, folds_over_positions_are_pairwise_and_may_overwrite_an_operand) {
  const UseInstructionSet use(GetParam());
  for (DType dtype : arithmetic_dtypes())
    for (ReduceKind kind : kinds_of(dtype))
      with_type(dtype, [=]<class T>(T) {
        for (std::size_t count = 1; count < 36; ++count) check_fold<T>(kind, dtype, count, 45);
        check_fold<T>(kind, dtype, 4, 0);
      });
}

std::size_t allowed_depth(std::size_t n) { return 2 * std::size_t(std::bit_width(n - 1)); }  // 2 ceil(log2 n)

TEST(trees, of_rows_are_at_most_twice_as_deep_as_the_logarithm_of_their_columns) {
  const FoldOf<std::size_t> deeper = [](std::size_t a, std::size_t b) { return std::max(a, b) + 1; };
  for (std::size_t element_bytes : {4, 8})
    for (std::size_t n = 1; n < 6000; n += n < 1100 ? 1 : 97) {
      const std::size_t depth = *row_tree(deeper, std::vector<std::size_t>(n, 0), element_bytes);
      EXPECT_LE(depth, allowed_depth(n)) << n << " elements of " << element_bytes << " bytes";
    }
}

/// Empty, or by how much a sum misses 2 ceil(log2 n) eps sum|x|, with eps half the distance from 1 to the
/// next number.
template <class T>
std::string error_beyond_bound(T found, const std::vector<T>& values) {
  long double exact = 0, magnitude = 0;
  for (T x : values) {
    exact += x;
    magnitude += std::fabs(x);
  }
  const long double eps = std::numeric_limits<T>::epsilon() / 2;
  const long double bound = static_cast<long double>(allowed_depth(values.size())) * eps * magnitude;
  const long double error = std::fabs(found - exact);
  return error <= bound ? ""
                        : "error " + std::to_string(double(error)) + " > " + std::to_string(double(bound));
}

template <class T>
void check_bound(std::size_t n) {
  std::vector<T> values = spread_values<T>(n, n);
  for (std::size_t i = 0; i < n; ++i)
    if (n % 2 == 0)
      values[i] = T(0.1) + std::fabs(values[i]);  // no cancellation: errors pile up in one direction
  T by_rows = 0, by_columns = 0;
  std::vector<std::byte> scratch(reduce_columns_scratch_bytes(std::int64_t(n), 1, dtype_of<T>()));
  auto* rows_out = reinterpret_cast<std::byte*>(&by_rows);
  auto* columns_out = reinterpret_cast<std::byte*>(&by_columns);
  reduce_rows_kernel(ReduceKind::sum, dtype_of<T>())(rows_out, bytes(values), 1, std::int64_t(n), 0);
  reduce_columns_kernel(ReduceKind::sum, dtype_of<T>())(columns_out, bytes(values), std::int64_t(n), 1,
                                                        sizeof(T), scratch.data());
  EXPECT_EQ(error_beyond_bound(by_rows, values), "") << n;
  EXPECT_EQ(error_beyond_bound(by_columns, values), "") << n;
}

TEST_P(reductions_of, sums_are_within_the_stated_bound) {
  const UseInstructionSet use(GetParam());
  for (std::size_t n : {2, 3, 15, 17, 100, 512, 1000, 4097, 65536, 100001, 1 << 20}) {
    check_bound<float>(n);
    check_bound<double>(n);
  }
}

// Planted: a sum in order, as a plain loop gives.
TEST(error_beyond_bound, catches_a_sum_in_order) {
  std::vector<float> values = spread_values<float>(1 << 20, 5);
  for (float& x : values) x = 0.1F + std::fabs(x);
  EXPECT_NE(error_beyond_bound(std::accumulate(values.begin(), values.end(), 0.0F), values), "");
}

// Planted: a row in the tree of another element size, and two positions of a fold swapped.
TEST(trees, are_told_apart_by_their_bits) {
  const FoldOf<float> add = [](float a, float b) { return a + b; };
  const auto row = spread_values<float>(700, 3);
  EXPECT_NE(*row_tree(add, row, 4), *row_tree(add, row, 8));
  const std::vector<Maybe<float>> positions{1e8F, 1.0F, 1.0F, 1.0F, -1e8F},
      swapped{1e8F, 1.0F, -1e8F, 1.0F, 1.0F};
  EXPECT_NE(*pairwise(add, positions, 0, 5), *pairwise(add, swapped, 0, 5));
}

}  // namespace
}  // namespace tutti
