// SPDX-License-Identifier: Apache-2.0
// The examples in doc blocks. Their lines stand here as they are there: tools/docs compares them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Floats = std::vector<float>;

Tensor floats(Shape shape, const Floats& values) { return Tensor(std::move(shape), values); }

std::string temporary(const std::string& name) {
  return (std::filesystem::temp_directory_path() / (std::to_string(getpid()) + name)).string();
}

/// A function's results for finished arguments.
template <class F, class... A>
auto computed(F function, const A&... arguments) {
  return open_local(Mesh()).compile(function, arguments...)(arguments...);
}

TEST(block_examples, shard_map_runs_a_function_on_four_devices) {
  Array x = floats({4}, {2, 4, 5, 6});
  Machine machine = open_local(Mesh({{"i", 4}}));
  auto norm = [](const Array& part) { return sqrt(psum(reduce_sum(part * part), "i")); };
  auto whole = shard_map(norm, {.mesh = machine.mesh(), .in = P("i"), .out = P()});
  auto run = machine.compile(whole, x);
  Array result = run(x);
  EXPECT_FLOAT_EQ(static_cast<float>(result.item()), 9);
}

TEST(block_examples, psum_adds_over_the_devices_of_an_axis) {
  Array x = floats({4}, {1, 2, 4, 1});
  Machine machine = open_local(Mesh({{"i", 4}}));
  auto share = [](const Array& part) { return part / psum(reduce_sum(part), "i"); };
  auto shares = shard_map(share, {.mesh = machine.mesh(), .in = P("i"), .out = P("i")});
  EXPECT_EQ(machine.compile(shares, x)(x).values<float>(), (Floats{0.125F, 0.25F, 0.5F, 0.125F}));
}

TEST(block_examples, compile_makes_a_function_that_runs_on_a_machine) {
  Machine machine = open_local(Mesh());
  Array a = floats({2}, {1, 5}), b = floats({2}, {4, 1});
  auto distance = [](const Array& p, const Array& q) { return reduce_sum(square(p - q)); };
  auto run = machine.compile(distance, a, b);
  Array result = run(a, b);
  EXPECT_FLOAT_EQ(static_cast<float>(result.item()), 25);
}

TEST(block_examples, grad_is_compiled_as_any_function) {
  Machine machine = open_local(Mesh());
  Array w = floats({2}, {1, 3});
  auto loss = [](const Array& x) { return reduce_sum(x * x); };
  auto run = machine.compile(grad(loss), w);
  Array gradient = run(w);  // 2 w
  EXPECT_EQ(gradient.values<float>(), (Floats{2, 6}));
}

TEST(block_examples, jvp_gives_value_and_change) {
  auto [values, changes] = computed(
      [](const Array& x, const Array& dx) {
        auto f = [](const Array& y) { return y * y; };
        auto [value, change] = jvp(f, std::tuple{x}, std::tuple{dx});  // x * x and 2 x dx
        return std::pair{value, change};
      },
      Array(floats({2}, {3, 4})), Array(floats({2}, {1, 10})));
  EXPECT_EQ(values.values<float>(), (Floats{9, 16}));
  EXPECT_EQ(changes.values<float>(), (Floats{6, 80}));
}

TEST(block_examples, vmap_takes_each_row_by_itself) {
  Machine machine = open_local(Mesh());
  Array x = floats({2, 2}, {1, 3, 1, 1});
  auto shares = [](const Array& row) { return row / reduce_sum(row); };
  auto run = machine.compile(vmap(shares), x);  // of each row of x
  EXPECT_EQ(run(x).values<float>(), (Floats{0.25F, 0.75F, 0.5F, 0.5F}));
}

TEST(block_examples, scan_makes_running_sums) {
  auto [all, running] = computed(
      [](const Array& xs) {
        auto step = [](const Array& sum, const Array& x) { return std::pair{sum + x, sum + x}; };
        auto [total, sums] = scan(step, zeros({}, DType::f32), xs);  // sums: after each x
        return std::pair{total, sums};
      },
      Array(floats({3}, {1, 2, 4})));
  EXPECT_EQ(all.item(), 7);
  EXPECT_EQ(running.values<float>(), (Floats{1, 3, 7}));
}

TEST(block_examples, fori_loop_repeats) {
  Array result = computed(
      [](const Array& x) {
        Array y = fori_loop(0, 3, [](Array, Array a) { return a + a; }, x);  // 8 x
        return y;
      },
      Array(floats({2}, {1, 2})));
  EXPECT_EQ(result.values<float>(), (Floats{8, 16}));
}

TEST(block_examples, cond_takes_one_branch) {
  auto halved_or_tripled = [](const Array& x) {
    auto half = [](const Array& a) { return a / 2; };
    auto triple = [](const Array& a) { return a * 3 + 1; };
    Array next = cond(equal(x % 2, 0), half, triple, x);
    return next;
  };
  EXPECT_EQ(computed(halved_or_tripled, Array(Tensor::scalar(6))).item(), 3);
  EXPECT_EQ(computed(halved_or_tripled, Array(Tensor::scalar(7))).item(), 22);
}

TEST(block_examples, einsum_multiplies_and_takes_diagonals) {
  auto [products, diagonals] = computed(
      [](const Array& a, const Array& b) {
        Array product = einsum("ij,jk->ik", a, b);
        Array diagonal = einsum("ii->i", a);
        return std::pair{product, diagonal};
      },
      Array(floats({2, 2}, {1, 2, 3, 4})), Array(floats({2, 1}, {1, 1})));
  EXPECT_EQ(products.values<float>(), (Floats{3, 7}));
  EXPECT_EQ(diagonals.values<float>(), (Floats{1, 4}));
}

TEST(block_examples, indices_read_and_change_elements) {
  auto [read, changed, added] = computed(
      [](const Array& x) {
        Array odd = x[{all, range(1, none, 2)}];  // columns 1, 3, ..
        Array y = x.at(0).set(7);                 // x with 7 in row 0
        Array z = x.at({all, -1}).add(odd[{all, 0}]);
        return std::tuple{odd, y, z};
      },
      Array(floats({2, 3}, {1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(read.values<float>(), (Floats{2, 5}));
  EXPECT_EQ(changed.values<float>(), (Floats{7, 7, 7, 4, 5, 6}));
  EXPECT_EQ(added.values<float>(), (Floats{1, 2, 5, 4, 5, 11}));
}

TEST(block_examples, trees_are_mapped_saved_and_loaded) {
  const std::string path = temporary("params.npz");
  struct Params {
    Array w, b;
  };
  Params params{zeros({2, 3}, DType::f32), ones({3}, DType::f32)};
  save_tree(path, params);
  Params like{abstract({2, 3}, DType::f32), abstract({3}, DType::f32)};
  Params again = load_tree(path, like);
  EXPECT_EQ(again.b.values<float>(), (Floats{1, 1, 1}));
  std::filesystem::remove(path);

  auto step = [](const Params& p, const Params& gradients) {
    Params next = tree_map([](Array x, Array g) { return x - 0.5F * g; }, p, gradients);
    return next;
  };
  EXPECT_EQ(computed(step, params, params).b.values<float>(), (Floats{0.5F, 0.5F, 0.5F}));
}

TEST(block_examples, a_loaded_program_is_a_function) {
  const std::string path = temporary("double.mlir");
  std::ofstream(path) << "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                         "  %0 = stablehlo.add %x, %x : tensor<2xf32>\n"
                         "  return %0 : tensor<2xf32>\n}\n";
  Machine machine = open_local(Mesh());
  Array x = floats({2}, {1, 2});
  Loaded program = load(path);
  auto run = machine.compile(program, std::vector<Array>{x});
  Array result = run(std::vector<Array>{x})[0];
  EXPECT_EQ(result.values<float>(), (Floats{2, 4}));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace tutti
