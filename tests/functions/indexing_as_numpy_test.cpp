// SPDX-License-Identifier: Apache-2.0
// NumPy's index expressions, each with what NumPy 2 makes of it.
#include <gtest/gtest.h>

#include "tests/support/print.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

struct Case {
  std::string numpy;
  Array ours;
  Shape shape;
  std::vector<std::int32_t> elements;
};

Array ints(const Shape& shape, const std::vector<std::int32_t>& values) {
  return constant(Tensor(shape, values));
}

void expect_all(const std::function<std::vector<Case>(const Array&)>& cases, const Shape& shape) {
  std::vector<Case> expected;
  auto results = [&](const Array& count) {
    Arrays found;
    expected = cases(count);
    for (const Case& one : expected) found.push_back(one.ours);
    return found;
  };
  std::vector<std::int32_t> counted;
  for (int i = 0; i < shape.elements(); ++i) counted.push_back(i);
  Array x = Tensor(shape, counted);
  Arrays found = open_local(Mesh({{"a", 1}})).compile(results, x)(x);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i].tensor(), Tensor(expected[i].shape, expected[i].elements)) << expected[i].numpy;
}

std::vector<Case> read_by_numbers_and_ranges(const Array& x) {
  return {
      // clang-format off
      {"x[0]", x[0], {3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
      {"x[-1]", x[-1], {3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {"x[1,2]", x[{1, 2}], {4}, {20, 21, 22, 23}},
      {"x[1,2,-3]", x[{1, 2, -3}], {}, {21}},
      {"x[()]", x[{}], {2, 3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {"x[...]", x[ellipsis], {2, 3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {"x[...,0]", x[{ellipsis, 0}], {2, 3}, {0, 4, 8, 12, 16, 20}},
      {"x[:,1]", x[{all, 1}], {2, 4}, {4, 5, 6, 7, 16, 17, 18, 19}},
      {"x[0,...,2]", x[{0, ellipsis, 2}], {3}, {2, 6, 10}},
      {"x[0,1,...,2]", x[{0, 1, ellipsis, 2}], {}, {6}},
      {"x[None,0,0]", x[{newaxis, 0, 0}], {1, 4}, {0, 1, 2, 3}},
      {"x[1,None,:,0,None]", x[{1, newaxis, all, 0, newaxis}], {1, 3, 1}, {12, 16, 20}},
      {"x[0,0,...,None]", x[{0, 0, ellipsis, newaxis}], {4, 1}, {0, 1, 2, 3}},
      {"x[0,1:]", x[{0, range(1, none)}], {2, 4}, {4, 5, 6, 7, 8, 9, 10, 11}},
      {"x[0,:,::2]", x[{0, all, range(none, none, 2)}], {3, 2}, {0, 2, 4, 6, 8, 10}},
      {"x[1,:,::-1]", x[{1, all, range(none, none, -1)}], {3, 4}, {15, 14, 13, 12, 19, 18, 17, 16, 23, 22, 21, 20}},
      {"x[0,2:0:-1,1]", x[{0, range(2, 0, -1), 1}], {2}, {9, 5}},
      {"x[0,5:9]", x[{0, range(5, 9)}], {0, 4}, {}},
      {"x[1,-2:,-100:2]", x[{1, range(-2, none), range(-100, 2)}], {2, 2}, {16, 17, 20, 21}},
      {"x[0,::-2,3:0:-2]", x[{0, range(none, none, -2), range(3, 0, -2)}], {2, 2}, {11, 9, 3, 1}},
      {"x[0,1,3:1]", x[{0, 1, range(3, 1)}], {0}, {}},
      {"x[0,0,::100]", x[{0, 0, range(none, none, 100)}], {1}, {0}},
      {"x[0,0,-1:-9:-3]", x[{0, 0, range(-1, -9, -3)}], {2}, {3, 0}},
      {"x[0,1:,None,::3]", x[{0, range(1, none), newaxis, range(none, none, 3)}], {2, 1, 2}, {4, 7, 8, 11}},
      // clang-format on
  };
}

std::vector<Case> read_by_arrays(const Array& x) {
  const Array i = ints({3}, {1, 0, 1}), j = ints({3}, {2, -1, 0}), c = ints({2, 1}, {0, -1});
  const Array s = ints({}, {-1}), e = ints({0}, {});
  return {
      // clang-format off
      {"x[i,0]", x[{i, 0}], {3, 4}, {12, 13, 14, 15, 0, 1, 2, 3, 12, 13, 14, 15}},
      {"x[i][:,2,1:3]", x[i][{all, 2, range(1, 3)}], {3, 2}, {21, 22, 9, 10, 21, 22}},
      {"x[c,1,2]", x[{c, 1, 2}], {2, 1}, {6, 18}},
      {"x[:,i,0]", x[{all, i, 0}], {2, 3}, {4, 0, 4, 16, 12, 16}},
      {"x[0,...,i]", x[{0, ellipsis, i}], {3, 3}, {1, 5, 9, 0, 4, 8, 1, 5, 9}},
      {"x[i,j]", x[{i, j}], {3, 4}, {20, 21, 22, 23, 8, 9, 10, 11, 12, 13, 14, 15}},
      {"x[i,j,0]", x[{i, j, 0}], {3}, {20, 8, 12}},
      {"x[c,j,1]", x[{c, j, 1}], {2, 3}, {9, 9, 1, 21, 21, 13}},
      {"x[i,:,j]", x[{i, all, j}], {3, 3}, {14, 18, 22, 3, 7, 11, 12, 16, 20}},
      {"x[:,i,j]", x[{all, i, j}], {2, 3}, {6, 3, 4, 18, 15, 16}},
      {"x[0,:,j]", x[{0, all, j}], {3, 3}, {2, 6, 10, 3, 7, 11, 0, 4, 8}},
      {"x[:,0,j]", x[{all, 0, j}], {2, 3}, {2, 3, 0, 14, 15, 12}},
      {"x[0,j]", x[{0, j}], {3, 4}, {8, 9, 10, 11, 8, 9, 10, 11, 0, 1, 2, 3}},
      {"x[i,...,j]", x[{i, ellipsis, j}], {3, 3}, {14, 18, 22, 3, 7, 11, 12, 16, 20}},
      {"x[:,i,...,j]", x[{all, i, ellipsis, j}], {3, 2}, {6, 18, 3, 15, 4, 16}},
      {"x[:,i,None,j]", x[{all, i, newaxis, j}], {3, 2, 1}, {6, 18, 3, 15, 4, 16}},
      {"x[0,None,i,1]", x[{0, newaxis, i, 1}], {3, 1}, {5, 1, 5}},
      {"x[i,None,2,:]", x[{i, newaxis, 2, all}], {3, 1, 4}, {20, 21, 22, 23, 8, 9, 10, 11, 20, 21, 22, 23}},
      {"x[i,1:,::3]", x[{i, range(1, none), range(none, none, 3)}], {3, 2, 2}, {16, 19, 20, 23, 4, 7, 8, 11, 16, 19, 20, 23}},
      {"x[:,c,1:3]", x[{all, c, range(1, 3)}], {2, 2, 1, 2}, {1, 2, 9, 10, 13, 14, 21, 22}},
      {"x[::-1,j,::-3]", x[{range(none, none, -1), j, range(none, none, -3)}], {2, 3, 2}, {23, 20, 23, 20, 15, 12, 11, 8, 11, 8, 3, 0}},
      {"x[1:,:2,j]", x[{range(1, none), range(none, 2), j}], {1, 2, 3}, {14, 15, 12, 18, 19, 16}},
      {"x[s]", x[s], {3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {"x[s,1:,2]", x[{s, range(1, none), 2}], {2}, {18, 22}},
      {"x[s,::2,-1]", x[{s, range(none, none, 2), -1}], {2}, {15, 23}},
      {"x[s,:,i]", x[{s, all, i}], {3, 3}, {13, 17, 21, 12, 16, 20, 13, 17, 21}},
      {"x[:,s,i]", x[{all, s, i}], {2, 3}, {9, 8, 9, 21, 20, 21}},
      {"x[i,s]", x[{i, s}], {3, 4}, {20, 21, 22, 23, 8, 9, 10, 11, 20, 21, 22, 23}},
      {"x[s,s,s]", x[{s, s, s}], {}, {23}},
      {"x[e]", x[e], {0, 3, 4}, {}},
      {"x[i,1:1]", x[{i, range(1, 1)}], {3, 0, 4}, {}},
      // clang-format on
  };
}

std::vector<Case> written_by_numbers_and_ranges(const Array& y) {
  const Array u = ints({4}, {10, 20, 30, 40}), v = ints({3}, {10, 20, 30});
  return {
      // clang-format off
      {"y[1] = 7", y.at(1).set(7), {3, 4}, {0, 1, 2, 3, 7, 7, 7, 7, 8, 9, 10, 11}},
      {"y[-1, 2] = 7", y.at({-1, 2}).set(7), {3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 7, 11}},
      {"y[...] = 7", y.at(ellipsis).set(7), {3, 4}, {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}},
      {"y[:, 1] = v", y.at({all, 1}).set(v), {3, 4}, {0, 10, 2, 3, 4, 20, 6, 7, 8, 30, 10, 11}},
      {"y[1:, ::-1] = u", y.at({range(1, none), range(none, none, -1)}).set(u), {3, 4}, {0, 1, 2, 3, 40, 30, 20, 10, 40, 30, 20, 10}},
      {"y[::2, 1::2] = v[:2]", y.at({range(none, none, 2), range(1, none, 2)}).set(v[range(0, 2)]), {3, 4}, {0, 10, 2, 20, 4, 5, 6, 7, 8, 10, 10, 20}},
      {"y[::-2, ::-3] = v[:2]", y.at({range(none, none, -2), range(none, none, -3)}).set(v[range(0, 2)]), {3, 4}, {20, 1, 2, 10, 4, 5, 6, 7, 20, 9, 10, 10}},
      {"y[3:] = 7", y.at(range(3, none)).set(7), {3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
      {"y[None, 1, :2] = 7", y.at({newaxis, 1, range(0, 2)}).set(7), {3, 4}, {0, 1, 2, 3, 7, 7, 6, 7, 8, 9, 10, 11}},
      {"y[1] += u", y.at(1).add(u), {3, 4}, {0, 1, 2, 3, 14, 25, 36, 47, 8, 9, 10, 11}},
      {"y[:, ::2] += 5", y.at({all, range(none, none, 2)}).add(5), {3, 4}, {5, 1, 7, 3, 9, 5, 11, 7, 13, 9, 15, 11}},
      {"y[0] *= 3", y.at(0).multiply(3), {3, 4}, {0, 3, 6, 9, 4, 5, 6, 7, 8, 9, 10, 11}},
      {"y[:, 0] *= v", y.at({all, 0}).multiply(v), {3, 4}, {0, 1, 2, 3, 80, 5, 6, 7, 240, 9, 10, 11}},
      {"minimum(y[1:], 5)", y.at(range(1, none)).min(5), {3, 4}, {0, 1, 2, 3, 4, 5, 5, 5, 5, 5, 5, 5}},
      {"maximum(y[..., ::3], 5)", y.at({ellipsis, range(none, none, 3)}).max(5), {3, 4}, {5, 1, 2, 5, 5, 5, 6, 7, 8, 9, 10, 11}},
      // clang-format on
  };
}

std::vector<Case> written_by_arrays(const Array& y) {
  const Array i = ints({3}, {2, 0, 2}), j = ints({3}, {1, -1, 1});
  const Array u = ints({4}, {10, 20, 30, 40}), v = ints({3}, {10, 20, 30});
  return {
      // clang-format off
      {"y[i] = 7", y.at(i).set(7), {3, 4}, {7, 7, 7, 7, 4, 5, 6, 7, 7, 7, 7, 7}},
      {"y[i, j] = v", y.at({i, j}).set(v), {3, 4}, {0, 1, 2, 20, 4, 5, 6, 7, 8, 30, 10, 11}},
      {"y[i] += u", y.at(i).add(u), {3, 4}, {10, 21, 32, 43, 4, 5, 6, 7, 28, 49, 70, 91}},
      {"y[:, j] += v", y.at({all, j}).add(v), {3, 4}, {0, 41, 2, 23, 4, 45, 6, 27, 8, 49, 10, 31}},
      {"y[1, j] += v", y.at({1, j}).add(v), {3, 4}, {0, 1, 2, 3, 4, 45, 6, 27, 8, 9, 10, 11}},
      {"y[i, 1:3] += 5", y.at({i, range(1, 3)}).add(5), {3, 4}, {0, 6, 7, 3, 4, 5, 6, 7, 8, 19, 20, 11}},
      {"y[i, ::-2] += v[:2]", y.at({i, range(none, none, -2)}).add(v[range(0, 2)]), {3, 4}, {0, 21, 2, 13, 4, 5, 6, 7, 8, 49, 10, 31}},
      {"y[i, None] += u", y.at({i, newaxis}).add(u), {3, 4}, {10, 21, 32, 43, 4, 5, 6, 7, 28, 49, 70, 91}},
      {"y[i] *= u", y.at(i).multiply(u), {3, 4}, {0, 20, 60, 120, 4, 5, 6, 7, 800, 3600, 9000, 17600}},
      {"minimum(y[i, j], v - 25)", y.at({i, j}).min(v - 25), {3, 4}, {0, 1, 2, -5, 4, 5, 6, 7, 8, -15, 10, 11}},
      {"maximum(y[:, j], v - 15)", y.at({all, j}).max(v - 15), {3, 4}, {0, 15, 2, 5, 4, 15, 6, 7, 8, 15, 10, 11}},
      // clang-format on
  };
}

TEST(indexing, by_numbers_and_ranges_reads_as_numpy) { expect_all(read_by_numbers_and_ranges, {2, 3, 4}); }
TEST(indexing, by_arrays_reads_as_numpy) { expect_all(read_by_arrays, {2, 3, 4}); }
TEST(indexing, by_numbers_and_ranges_writes_as_numpy) { expect_all(written_by_numbers_and_ranges, {3, 4}); }
TEST(indexing, by_arrays_writes_as_numpy) { expect_all(written_by_arrays, {3, 4}); }

}  // namespace
}  // namespace tutti
