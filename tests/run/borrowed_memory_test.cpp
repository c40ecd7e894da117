// SPDX-License-Identifier: Apache-2.0
// Memory of the caller as an argument: read in place, never written, held as long as it is used.
#include <gtest/gtest.h>

#include <sys/mman.h>

#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

constexpr std::size_t page_bytes = 4096;

/// Pages that nobody may write once they are sealed, with an address behind them that nobody may read.
class SealedPages {
 public:
  explicit SealedPages(std::size_t bytes) : bytes_((bytes + page_bytes - 1) / page_bytes * page_bytes) {
    void* at =
        ::mmap(nullptr, bytes_ + page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at != MAP_FAILED) start_ = static_cast<std::byte*>(at);
    ::mprotect(start_ + bytes_, page_bytes, PROT_NONE);
  }
  ~SealedPages() { ::munmap(start_, bytes_ + page_bytes); }
  SealedPages(const SealedPages&) = delete;
  SealedPages& operator=(const SealedPages&) = delete;

  /// The last n elements before the address that nobody may read.
  template <class T>
  std::span<T> last(std::size_t n) const {
    return {reinterpret_cast<T*>(start_ + bytes_ - n * sizeof(T)), n};
  }
  void seal() const { ::mprotect(start_, bytes_, PROT_READ); }

 private:
  std::byte* start_ = nullptr;
  std::size_t bytes_;
};

Array updated(const Array& x) { return x * 2.0 - 1.0; }

TEST(borrowed_memory, is_read_in_place) {
  std::vector<float> mine(1000);
  std::iota(mine.begin(), mine.end(), 0.0f);
  const Array x = Tensor::borrow({10, 100}, mine);
  EXPECT_EQ(x.data()->buffer().base.get(), reinterpret_cast<const std::byte*>(mine.data()));
  const Machine machine = open_local(Mesh({{"i", 1}}));
  const auto run = machine.compile(updated, x);
  EXPECT_EQ(run(x).values<float>()[7], 13.0f);
  mine[7] = 100;  // the program reads what is there
  EXPECT_EQ(run(x).values<float>()[7], 199.0f);
  EXPECT_NE(run.explain().find("copied into place: 0 B by 2 calls"), std::string::npos) << run.explain();
}

TEST(borrowed_memory, is_copied_where_it_is_split_over_devices_and_explain_says_so) {
  std::vector<float> mine(1 << 16, 1.0f);
  const Array x = Tensor::borrow({1 << 16}, mine);
  const Machine machine = open_local(Mesh({{"i", 2}}));
  const auto run = machine.compile(shard_map([](const Array& a) { return a + a; },
                                             {.mesh = machine.mesh(), .in = P("i"), .out = P("i")}),
                                   x);
  static_cast<void>(run(x));
  EXPECT_NE(run.explain().find("copied into place: 272.6 KiB by 1 call"), std::string::npos) << run.explain();
}

/// Reads 3 to 70 elements that begin at each element of a line, and end where nobody may read.
template <class T>
void expect_in_place(const std::function<Arrays(const Array&)>& body) {
  const Machine machine = open_local(Mesh({{"i", 1}}), {.workers = 1});
  for (const std::size_t n : {3UL, 16UL, 33UL, 64UL, 70UL}) {
    const SealedPages pages(n * sizeof(T));
    const std::span<T> mine = pages.last<T>(n);
    for (std::size_t i = 0; i < n; ++i) mine[i] = T(static_cast<float>((i * 7) % 11));
    pages.seal();
    const Shape shape{static_cast<std::int64_t>(n)};
    const Tensor copy(shape, std::span<const T>(mine));
    const auto run = machine.compile(body, abstract(shape, dtype_of<T>()));
    Array x = Tensor::borrow(shape, mine);
    const Arrays found = run(std::move(x)), expected = run(Array(copy));
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i].tensor(), expected[i].tensor()) << n;
  }
}

template <class T>
Arrays all_kinds(const Array& x) {
  const Array row = reshape(x, {1, x.dim(0)}), column = reshape(x, {x.dim(0), 1});
  return {x + x,
          cumsum(x, 0),
          sort(x, 0),
          flip(x, {0}),
          reduce_sum(x),
          reduce_max(x, {0}),
          x.at(0).set(T(1)),
          matmul(row, column),
          matmul(column, row),
          concatenate({x, x}, 0)};
}
TEST(borrowed_memory, of_f32_is_never_written_nor_read_beyond_whatever_its_alignment) {
  expect_in_place<float>(all_kinds<float>);
}
TEST(borrowed_memory, of_f64_is_never_written_nor_read_beyond_whatever_its_alignment) {
  expect_in_place<double>(all_kinds<double>);
}
TEST(borrowed_memory, of_bf16_is_never_written_nor_read_beyond_whatever_its_alignment) {
  expect_in_place<bf16>(all_kinds<float>);
}
TEST(borrowed_memory, of_i8_is_never_written_nor_read_beyond_whatever_its_alignment) {
  expect_in_place<std::int8_t>(all_kinds<int>);
}

TEST(borrowed_memory, keeps_its_bytes_when_it_is_given_away) {
  std::vector<float> mine(4096, 3.0f);
  const std::vector<float> before = mine;
  const Machine machine = open_local(Mesh({{"i", 1}}));
  const auto step = machine.compile(updated, abstract({4096}, DType::f32));
  Array x = Tensor::borrow({4096}, mine);
  for (int i = 0; i < 3; ++i) x = step(std::move(x));
  EXPECT_EQ(x.values<float>()[0], 17.0f);
  EXPECT_EQ(mine, before);
}

TEST(borrowed_memory, keeps_its_bytes_when_a_scan_carries_it) {
  std::vector<float> mine(64, 1.0f);
  const std::vector<float> before = mine;
  const Machine machine = open_local(Mesh({{"i", 1}}));
  const auto body = [](const Array& x) {
    return fori_loop(0, 5, [](const Array&, const Array& a) { return a.at(0).add(1.0f); }, x);
  };
  const auto run = machine.compile(body, abstract({64}, DType::f32));
  EXPECT_EQ(run(Array(Tensor::borrow({64}, mine))).values<float>()[0], 6.0f);
  EXPECT_EQ(mine, before);
}

TEST(borrowed_memory, keeps_its_owner_until_the_last_array_is_gone) {
  auto owner = std::make_shared<std::vector<float>>(8, 1.0f);
  const std::weak_ptr<std::vector<float>> seen = owner;
  Array x = Tensor::borrow({8}, *owner, owner);
  owner.reset();
  Array same = x;
  x = Array();
  EXPECT_FALSE(seen.expired());
  EXPECT_EQ(same.values<float>()[3], 1.0f);
  const Machine machine = open_local(Mesh({{"i", 2}}));  // the machine keeps a copy, not the array
  const Array placed = machine.place(same, P("i"));
  same = Array();
  EXPECT_TRUE(seen.expired());
  EXPECT_EQ(placed.values<float>()[7], 1.0f);
}

}  // namespace
}  // namespace tutti
