// SPDX-License-Identifier: Apache-2.0
// Trees as arguments and results of everything that takes a function: every container, nested, an empty
// optional among them. Each function treats a leaf alone, so that its value says which leaf it was.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "tests/api/numbers.hpp"

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

struct Layer {
  Array weight;
  std::optional<Array> bias;
};
struct Net {
  std::vector<Layer> layers;
  std::map<std::string, std::pair<Array, Array>> named;
  std::tuple<Array, std::array<Array, 2>> rest;
  std::optional<Layer> none;
};
constexpr int leaves = 8;

// Leaf k, counted from 1, has the elements k, k + 0.5, ..
Net net(const Shape& shape = {2}) {
  int k = 0;
  auto leaf = [&]() -> Array {
    ++k;
    Doubles values(static_cast<std::size_t>(shape.elements()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = k + 0.5 * static_cast<double>(i);
    return Tensor(shape, values);
  };
  Net made;
  made.layers.push_back({leaf(), leaf()});
  made.layers.push_back({leaf(), std::nullopt});
  made.named["x"] = {leaf(), leaf()};
  std::get<0>(made.rest) = leaf();
  std::get<1>(made.rest) = {leaf(), Array()};
  std::get<1>(made.rest)[1] = leaf();
  return made;
}

// f(k, i) for every element i of leaf k.
std::vector<Doubles> expected(const std::function<double(double)>& f, std::int64_t elements = 2) {
  std::vector<Doubles> all;
  for (int k = 1; k <= leaves; ++k) {
    all.emplace_back();
    for (std::int64_t i = 0; i < elements; ++i) all.back().push_back(f(k + 0.5 * static_cast<double>(i)));
  }
  return all;
}

Net each(const std::function<Array(Array)>& f, const Net& n) { return tree_map(f, n); }
Net doubled(const Net& n) {
  return each([](Array x) { return 2 * x; }, n);
}
Array sum_of_squares(const Net& n) {
  Array sum = constant(0.0);
  for (const Array& leaf : tree::flatten(n)) sum = sum + reduce_sum(leaf * leaf);
  return sum;
}

TEST(trees, are_arguments_and_results_of_a_compiled_function) {
  EXPECT_EQ(computed(doubled, net()), expected([](double x) { return 2 * x; }));
  Machine machine = open_local(Mesh(), {.workers = 1});
  Net result = machine.compile(doubled, net())(net());
  EXPECT_EQ(result.layers.size(), 2U);
  EXPECT_TRUE(result.layers[0].bias.has_value());
  EXPECT_FALSE(result.layers[1].bias.has_value());
  EXPECT_FALSE(result.none.has_value());
  EXPECT_EQ(numbers(result.named.at("x").second), (Doubles{10, 11}));
}

// The sum of the leaves that a function of this tree gets, compiled for `host` and called with it.
template <class T>
Doubles sum_of_leaves(const T& host) {
  Machine machine = open_local(Mesh(), {.workers = 1});
  auto sum = [](const tree::WithArrays<T>& all) {
    Array total = constant(0.0);
    for (const Array& leaf : tree::flatten(all)) total = total + leaf;
    return total;
  };
  return numbers(machine.compile(sum, host)(host));
}

TEST(trees, of_tensors_are_compiled_for_and_called_with) {
  const Tensor x({2}, {1.0, 2.0}), y({2}, {30.0, 40.0});
  const Array z = Tensor({2}, {500.0, 600.0});
  EXPECT_EQ(sum_of_leaves(x), (Doubles{1, 2}));
  EXPECT_EQ(sum_of_leaves(std::pair{x, z}), (Doubles{501, 602}));
  EXPECT_EQ(sum_of_leaves(std::tuple{x, std::pair{z, y}}), (Doubles{531, 642}));
  EXPECT_EQ(sum_of_leaves(std::optional{x}), (Doubles{1, 2}));
  EXPECT_EQ(sum_of_leaves(Tensors{x, y, x}), (Doubles{32, 44}));
  EXPECT_EQ(sum_of_leaves(std::map<std::string, Tensor>{{"a", x}, {"b", y}}), (Doubles{31, 42}));
  EXPECT_EQ(sum_of_leaves(std::vector{std::map<int, std::array<Tensor, 2>>{{1, {x, y}}}}), (Doubles{31, 42}));
}

TEST(trees, of_arrays_are_still_written_in_braces_in_a_call) {
  Machine machine = open_local(Mesh(), {.workers = 1});
  const Array x = Tensor({1}, {1.0}), y = Tensor({1}, {2.0});
  auto of_list = machine.compile([](const Arrays& all) { return all[0] - all[1]; }, Arrays{x, y});
  EXPECT_EQ(numbers(of_list({y, x})), Doubles{1});
  auto of_pair =
      machine.compile([](const std::pair<Array, Array>& p) { return p.first - p.second; }, std::pair{x, y});
  EXPECT_EQ(numbers(of_pair({y, x})), Doubles{1});
}

TEST(trees, have_gradients_like_them) {
  EXPECT_EQ(computed(grad(sum_of_squares), net()), expected([](double x) { return 2 * x; }));
}

TEST(trees, are_pushed_forward_and_pulled_back) {
  auto forward = [](const Net& n) {
    return jvp([](const Net& m) { return each([](Array x) { return x * x; }, m); }, std::tuple{n},
               std::tuple{n});
  };
  std::vector<Doubles> both = computed(forward, net());
  std::vector<Doubles> squares = expected([](double x) { return x * x; }),
                       slopes = expected([](double x) { return 2 * x * x; });
  EXPECT_EQ(std::vector(both.begin(), both.begin() + leaves), squares);
  EXPECT_EQ(std::vector(both.begin() + leaves, both.end()), slopes);
  auto back = [](const Net& n) {
    auto [value, pull] =
        vjp([](const Net& m) { return each([](Array x) { return x * x; }, m); }, std::tuple{n});
    return pull(value);
  };
  EXPECT_EQ(computed(back, net()), expected([](double x) { return 2 * x * x * x; }));
}

TEST(trees, are_mapped_by_vmap) {
  auto scaled = [](const Net& n, Array factor) { return each([&](Array x) { return x * factor; }, n); };
  Array factors = Tensor(Shape{2}, Doubles{3, 5});
  std::vector<Doubles> found = computed(vmap(scaled), net({2}), factors);
  for (int k = 1; k <= leaves; ++k)
    EXPECT_EQ(found[static_cast<std::size_t>(k - 1)], (Doubles{3.0 * k, 5 * (k + 0.5)})) << k;
}

TEST(trees, are_split_by_shard_map) {
  Mesh mesh({{"a", 2}, {"b", 2}, {"c", 2}});
  auto body = [](const Net& n) { return std::pair{doubled(n), psum(sum_of_squares(n), "a")}; };
  auto mapped = shard_map(body, {.mesh = mesh, .in = P("a"), .out = {P("a"), P()}});
  std::vector<Doubles> found = computed(mapped, net());
  double squares = 0;
  for (const Doubles& leaf : expected([](double x) { return x * x; })) squares += leaf[0] + leaf[1];
  EXPECT_EQ(std::vector(found.begin(), found.begin() + leaves), expected([](double x) { return 2 * x; }));
  EXPECT_EQ(found.back(), Doubles{squares});
}

TEST(trees, have_specs_of_their_form) {
  Mesh mesh({{"a", 2}, {"b", 2}, {"c", 2}});
  Specs split{Specs{Specs{P("a"), Specs{P()}}, Specs{P("b"), Specs(std::vector<Specs>{})}},
              Specs{Specs{P("c"), P()}}, Specs{P("a"), Specs{P(), P("b")}}, Specs(std::vector<Specs>{})};
  auto body = [](const Net& n) {
    EXPECT_EQ(n.layers[0].weight.dim(0), 1);
    EXPECT_EQ(n.layers[0].bias->dim(0), 2);
    EXPECT_EQ(std::get<1>(n.rest)[1].dim(0), 1);
    return doubled(n);
  };
  EXPECT_EQ(computed(shard_map(body, {.mesh = mesh, .in = Specs{split}, .out = split}), net()),
            expected([](double x) { return 2 * x; }));
}

TEST(trees, are_carried_sliced_and_stacked_by_scan) {
  auto trip = [](const Net& carry, const Net& slice) {
    Net next = tree_map([](Array c, Array s) { return c + s; }, carry, slice);
    return std::pair{next, next};
  };
  auto scanned = [&](const Net& slices) {
    Net start = each([](Array x) { return zeros_like(index_in_dim(x, 0)); }, slices);
    return scan(trip, start, slices);
  };
  std::vector<Doubles> found = computed(scanned, net());
  for (std::size_t k = 1; k <= leaves; ++k) {
    double first = static_cast<double>(k), both = first + first + 0.5;
    EXPECT_EQ(found[k - 1], Doubles{both}) << "carry " << k;
    EXPECT_EQ(found[leaves + k - 1], (Doubles{first, both})) << "stacked " << k;
  }
}

TEST(trees, go_round_loops) {
  auto rounds = [](const Net& n) {
    using Counted = std::pair<Array, Net>;
    auto goes_on = [](const Counted& c) { return c.first < 3; };
    auto trip = [](const Counted& c) { return Counted{c.first + 1, doubled(c.second)}; };
    return while_loop(goes_on, trip, Counted{constant(std::int32_t{0}), n}).second;
  };
  EXPECT_EQ(computed(rounds, net()), expected([](double x) { return 8 * x; }));
  auto counted = [](const Net& n) {
    return fori_loop(0, 3, [](const Array&, const Net& m) { return doubled(m); }, n);
  };
  EXPECT_EQ(computed(counted, net()), expected([](double x) { return 8 * x; }));
}

TEST(trees, are_handed_to_branches_and_back) {
  auto chosen = [](Array index, const Net& n) {
    auto negated = [](const Net& m) { return each([](Array x) { return -x; }, m); };
    return cond(index > 0, doubled, negated, n);
  };
  EXPECT_EQ(computed(chosen, Array(Tensor::scalar(std::int32_t{1})), net()),
            expected([](double x) { return 2 * x; }));
  EXPECT_EQ(computed(chosen, Array(Tensor::scalar(std::int32_t{0})), net()),
            expected([](double x) { return -x; }));
}

TEST(trees, are_computed_again_by_remat) {
  auto squares = remat([](const Net& n) { return sum_of_squares(doubled(n)); });
  EXPECT_EQ(computed(grad([&](const Net& n) { return squares(n); }), net()),
            expected([](double x) { return 8 * x; }));
}

TEST(trees, have_gradients_of_their_own) {
  auto forward = [](const Net& n) { return std::pair{sum_of_squares(n), n}; };
  auto backward = [](const Net& kept, Array cotangent) {  // three times what it is
    return std::tuple{each([&](Array x) { return 6 * x * cotangent; }, kept)};
  };
  auto custom = custom_vjp(sum_of_squares, forward, backward);
  EXPECT_EQ(computed(grad([&](const Net& n) { return custom(n); }), net()),
            expected([](double x) { return 6 * x; }));
}

TEST(trees, have_derivatives_of_their_own) {
  auto rule = [](const std::tuple<Net>& n, const std::tuple<Net>& t) {
    Net by_ten = tree_map([](Array, Array y) { return 10 * y; }, std::get<0>(n), std::get<0>(t));
    return std::pair{doubled(std::get<0>(n)), by_ten};
  };
  auto custom = custom_jvp(doubled, rule);
  auto loss = [&](const Net& n) { return sum_of_squares(custom(n)); };  // 2 * (2x) * 10
  EXPECT_EQ(computed(grad(loss), net()), expected([](double x) { return 40 * x; }));
}

TEST(trees, go_through_all_at_once) {
  Mesh mesh({{"a", 2}, {"b", 2}, {"c", 2}});
  auto body = [](const Net& n) {
    auto trip = [](const Net& carry, const std::tuple<>&) {
      return std::pair{doubled(carry), std::tuple<>{}};
    };
    Net grown = scan(trip, n, std::tuple<>{}, {.length = 2}).first;
    auto per_element = vmap([](const Net& m) { return remat(doubled)(m); }, {.axis = "i"});
    return psum(sum_of_squares(per_element(grown)), "a");
  };
  auto loss = shard_map(body, {.mesh = mesh, .in = P("a"), .out = P()});  // the sum of (8x)^2
  EXPECT_EQ(computed(grad([&](const Net& n) { return loss(n); }), net()),
            expected([](double x) { return 128 * x; }));
}

}  // namespace
}  // namespace tutti
