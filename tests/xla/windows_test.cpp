// SPDX-License-Identifier: Apache-2.0
// Windows of windows whose starts are out of range: XLA folds two windows into one, and forgets to bring the
// inner one's start inside. Every start here is tried from before the array to behind it.
#include <algorithm>

#include "tests/support/values.hpp"
#include "tests/xla/same_numbers.hpp"

namespace tutti {
namespace {

using xla_windows = xla::RealXla;

constexpr std::int32_t length = 8, wide = 6, narrow = 3;

Array numbers() {
  Tensor tensor(Shape{length}, DType::f32);
  for (std::int64_t i = 0; i < length; ++i) put_element(tensor, i, static_cast<double>(i));
  return tensor;
}

/// From 3 before the array to 3 behind it, two at a time.
const std::vector<std::pair<std::int32_t, std::int32_t>>& starts() {
  static const std::vector<std::pair<std::int32_t, std::int32_t>> pairs = [] {
    std::vector<std::pair<std::int32_t, std::int32_t>> all;
    for (std::int32_t outer : {-3, 0, 1, 2, 3, 7, 11})
      for (std::int32_t inner : {-3, 0, 2, 3, 4, 11}) all.emplace_back(outer, inner);
    return all;
  }();
  return pairs;
}

Array as_rows() {
  std::vector<std::int32_t> all;
  for (const auto& [outer, inner] : starts()) all.insert(all.end(), {outer, inner});
  return Tensor(Shape{static_cast<std::int64_t>(starts().size()), 2}, all);
}

/// Compiles function(x, outer, inner) once per machine, and calls it with x = 0 .. 7 and all pairs of starts.
template <class F>
void expect_same_windows(const F& function) {
  const Array any = Tensor::scalar(std::int32_t{0});
  const auto ours = open_local(Mesh()).compile(function, numbers(), any, any);
  const auto theirs = xla::RealXla::machine(Mesh()).compile(function, numbers(), any, any);
  for (const auto& [outer, inner] : starts()) {
    const Array s = Tensor::scalar(outer), t = Tensor::scalar(inner);
    EXPECT_EQ(difference({ours(numbers(), s, t)}, {theirs(numbers(), s, t)}, 0), "") << outer << " " << inner;
  }
}

Array window(const Array& x, const Array& start, std::int64_t size) {
  return dynamic_slice_in_dim(x, start, size, 0);
}
/// The same window as a gather.
Array gathered(const Array& x, const Array& start, std::int64_t size) {
  return gather(x, reshape(start, {1}),
                {.offset_dims = {Dim{0}}, .start_index_map = {Dim{0}}, .index_vector_dim = Dim{0}}, {size},
                GatherMode::clip);
}
Array overwritten(const Array& x, const Array& update, const Array& start) {
  return dynamic_update_slice_in_dim(x, -update, start, 0);
}

TEST_F(xla_windows, of_windows_are_those_of_the_local_machine_and_of_the_definition) {
  const auto nested = [](const Array& x, const Array& s, const Array& t) {
    return window(window(x, s, wide), t, narrow);
  };
  const Array any = Tensor::scalar(std::int32_t{0});
  for (const Machine& on : {machine(Mesh()), open_local(Mesh())}) {
    const auto cut = on.compile(nested, numbers(), any, any);
    for (const auto& [outer, inner] : starts()) {
      const auto from =
          static_cast<float>(std::clamp(outer, 0, length - wide) + std::clamp(inner, 0, wide - narrow));
      EXPECT_EQ(cut(numbers(), Array(Tensor::scalar(outer)), Array(Tensor::scalar(inner))).values<float>(),
                (std::vector<float>{from, from + 1, from + 2}))
          << outer << " " << inner << on.description();
    }
  }
}

TEST_F(xla_windows, of_gathers_and_updates_are_those_of_the_local_machine) {
  using Cut = Array (*)(const Array&, const Array&, std::int64_t);
  for (const Cut outer : {Cut(window), Cut(gathered)})
    for (const Cut inner : {Cut(window), Cut(gathered)})
      expect_same_windows([=](const Array& x, const Array& s, const Array& t) {
        const Array cut = outer(x, s, wide), again = inner(cut, t, narrow);
        return concatenate({again, overwritten(cut, again, t), overwritten(x, overwritten(cut, again, t), s),
                            inner(overwritten(x, cut, s), t, narrow),
                            outer(overwritten(x, again, t), s, wide),
                            take(cut, t + arange(narrow, DType::i32), 0, GatherMode::clip)});
      });
}

TEST_F(xla_windows, in_loops_are_those_of_the_local_machine) {
  expect_same_windows([](const Array& x, const Array& s, const Array& t) {
    const auto turn = [&](const Array& carry, const Array& i) {
      const Array cut = window(carry, s + i, wide), again = window(cut, t - i, narrow);
      return std::pair{overwritten(carry, again, t + i), again};
    };
    const auto [end, rows] = scan(turn, x, arange(3, DType::i32));
    const auto trip = [&](const std::pair<Array, Array>& state) {
      const auto& [i, carry] = state;
      return std::pair{i + 1, overwritten(carry, window(window(carry, s + i, wide), t, narrow), s - i)};
    };
    const auto goes_on = [](const std::pair<Array, Array>& state) { return state.first < 3; };
    const std::pair<Array, Array> last = while_loop(goes_on, trip, std::pair{s - s, x});
    return concatenate({end, reshape(rows, {3 * narrow}), last.second});
  });
}

TEST_F(xla_windows, in_lanes_are_those_of_the_local_machine) {
  const auto cut = [](const Array& x, const Array& s, const Array& t) {
    const Array outer = window(x, s, wide), inner = window(outer, t, narrow);
    return concatenate({inner, overwritten(x, overwritten(outer, inner, t), s)});
  };
  expect_same_bits(
      Mesh(),
      [&](const Array& x, const Array& pairs) {
        const Array s = pairs[{all, 0}], t = pairs[{all, 1}];
        const Array rows = broadcast_to(x, {pairs.dim(0), length}) + convert(s, DType::f32)[{all, newaxis}];
        return std::tuple{vmap(cut, {.in = {none, 0, 0}})(x, s, t), vmap(cut)(rows, s, t),
                          vmap(cut, {.in = {0, none, none}})(rows, s[4], t[4]),
                          vmap(cut, {.in = {none, none, 0}})(x, s[4], t)};
      },
      numbers(), as_rows());
}

// The blocks of the devices are windows of the window.
TEST_F(xla_windows, resharded_are_those_of_the_local_machine) {
  const Mesh two({{"d", 2}}), four({{"d", 2}, {"e", 2}});
  struct Split {
    Mesh mesh;
    P spec;
    std::int64_t size;
  };
  for (const auto& [mesh, spec, size] :
       {Split{two, P("d"), 6}, Split{four, P("e"), 6}, Split{four, P(SpecEntry{"d", "e"}), 4}})
    for (std::int32_t start : {-3, 1, 3, 7}) {
      const Array at = Tensor::scalar(start);
      const auto cut = [&](const Array& x, const Array& s) { return window(x, s, size); };
      expect_same_bits(
          mesh, [&](const Array& x, const Array& s) { return reshard(cut(x, s), mesh, spec); }, numbers(),
          at);
      const auto body = [](const Array& block) { return block + 1; };
      expect_same_bits(
          mesh,
          [&](const Array& x, const Array& s) {
            return shard_map(body, {.mesh = mesh, .in = spec, .out = spec})(cut(x, s));
          },
          numbers(), at);
    }
}

// Devices that hold all of a window cut their blocks out of it, by their positions or by starts of their own.
TEST_F(xla_windows, cut_by_devices_are_those_of_the_local_machine) {
  const Mesh mesh({{"d", 4}});
  for (std::int32_t start : {-3, 1, 3, 7}) {
    const auto body = [](const Array& x, const Array& s) {
      const Array cut = window(x, s, 4), own = window(cut, axis_index("d"), 1);
      const Array behind = window(window(x, s + 2 * axis_index("d"), wide), axis_index("d") + 2, narrow);
      return concatenate({own, behind, psum_scatter(pcast(cut, "d", varying), "d", {.tiled = true})});
    };
    expect_same_bits(mesh, shard_map(body, {.mesh = mesh, .in = {P(), P()}, .out = P("d")}), numbers(),
                     Array(Tensor::scalar(start)));
  }
}

}  // namespace
}  // namespace tutti
