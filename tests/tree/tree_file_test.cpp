// SPDX-License-Identifier: Apache-2.0
#include "tutti/tree/tree_file.hpp"
#include "tutti/base/inside.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tutti/ir/builder.hpp"
#include "tutti/tensor/files/npz.hpp"
#include "tutti/tensor/files/safetensors.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

class tree_file : public testing::Test {
 protected:
  ~tree_file() override { fs::remove(path()); }
  std::string path() const {
    return (fs::temp_directory_path() / ("tutti_tree_file_test_" + std::to_string(::getpid()) + ".npz"))
        .string();
  }
  /// The refusal, with "FILE" for the file's name.
  template <class F>
  std::string refusal(F f) const {
    std::string text = "accepted";
    try {
      f();
    } catch (const Error& error) {
      text = std::string(error.label()) + ": " + error.message();
    }
    std::size_t at = text.find(path());
    return at == text.npos ? text : text.replace(at, path().size(), "FILE");
  }
};

struct Layer {
  Array weight, bias_2;
};
struct Tied {
  Array first, second;
  auto tie() { return std::tie(first, second); }
};
struct Model {
  std::vector<Layer> layers;
  std::map<std::string, Array> named;
  std::map<int, Array> numbered;
  std::optional<Layer> last;
  std::tuple<Array, std::pair<Array, Array>> rest;
  Tied tied;
};

Array leaf(float value) { return Tensor::scalar(value); }
Model model() {
  return {{{leaf(1), leaf(2)}, {leaf(3), leaf(4)}},
          {{"a", leaf(5)}, {"z", leaf(6)}},
          {{-7, leaf(7)}},
          Layer{leaf(8), leaf(9)},
          {leaf(10), {leaf(11), leaf(12)}},
          {leaf(13), leaf(14)}};
}

TEST_F(tree_file, names_arrays_by_their_paths) {
  save_tree(path(), model());
  std::vector<std::string> names;
  std::vector<double> values;
  for (const auto& [name, tensor] : read_npz(path())) {
    names.push_back(name);
    values.push_back(tensor.at(0));
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"layers[0].weight", "layers[0].bias_2", "layers[1].weight",
                                      "layers[1].bias_2", "named.a", "named.z", "numbered[-7]", "last.weight",
                                      "last.bias_2", "rest.0", "rest.1.0", "rest.1.1", "tied.0", "tied.1"}));
  EXPECT_EQ(values, (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}));
}

TEST_F(tree_file, names_the_fields_of_a_struct_of_a_function_and_of_a_template) {
  struct Local {
    std::array<Array, 2> two;
    Array x1;
  };
  auto names = tree::names_in_file(std::pair{Local{}, std::vector{Local{}}});
  EXPECT_EQ(names,
            (std::vector<std::string>{"0.two.0", "0.two.1", "0.x1", "1[0].two.0", "1[0].two.1", "1[0].x1"}));
}

TEST_F(tree_file, calls_a_lone_array_as_numpy_does) {
  save_tree(path(), leaf(3));
  EXPECT_EQ(read_npz(path())[0].first, "arr_0");
  EXPECT_EQ(load_tree(path(), leaf(0)).item(), 3);
}

TEST_F(tree_file, gives_the_tree_back) {
  save_tree(path(), model());
  Model like = tree_map([](Array x) { return abstract(x.shape(), x.dtype()); }, model());
  Arrays found = tree::flatten(load_tree(path(), like)), saved = tree::flatten(model());
  ASSERT_EQ(found.size(), saved.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].tensor(), saved[i].tensor()) << i;
}

// Leaves are found by name, not by place.
TEST_F(tree_file, does_not_mind_the_order_of_the_file) {
  write_npz(path(), {{"bias_2", Tensor::scalar(2.0F)}, {"weight", Tensor::scalar(1.0F)}});
  Layer layer = load_tree(path(), Layer{leaf(0), leaf(0)});
  EXPECT_EQ(layer.weight.item(), 1);
  EXPECT_EQ(layer.bias_2.item(), 2);
}

TEST_F(tree_file, refuses_another_tree) {
  save_tree(path(), std::map<std::string, Array>{{"weight", leaf(1)}, {"bias", leaf(2)}});
  EXPECT_EQ(
      refusal([&] { load_tree(path(), Layer{leaf(0), leaf(0)}); }),
      "R001: load_tree: 'FILE' has no array 'bias_2' (it has 'bias'); load it into the tree that was saved");
  std::map<std::string, Array> one{{"weight", leaf(0)}};
  EXPECT_EQ(
      refusal([&] { load_tree(path(), one); }),
      "R001: load_tree: 'FILE' has the array 'bias', which the tree has not; load it into the tree that was "
      "saved");
}

TEST_F(tree_file, quotes_100_characters_of_the_names_in_a_file) {
  const std::string longest(1000, 'n');
  write_npz(path(), {{longest, Tensor::scalar(1.0F)}});
  std::map<std::string, Array> one{{"weight", leaf(0)}};
  EXPECT_EQ(refusal([&] { load_tree(path(), one); }),
            "R001: load_tree: 'FILE' has no array 'weight' (it has '" + std::string(100, 'n') +
                "..'); load it into the tree that was saved");
  write_npz(path(), {{"weight", Tensor::scalar(1.0F)}, {longest, Tensor::scalar(1.0F)}});
  EXPECT_EQ(refusal([&] { load_tree(path(), one); }),
            "R001: load_tree: 'FILE' has the array '" + std::string(100, 'n') +
                "..', which the tree has not; load it into the tree that was saved");
}

TEST_F(tree_file, is_refused_if_it_expands_to_more_than_the_bound) {
  save_tree(path(), leaf(3));
  EXPECT_EQ(load_tree(path(), leaf(0), {.most_bytes = 132}).item(), 3);
  EXPECT_EQ(
      refusal([&] { load_tree(path(), leaf(0), {.most_bytes = 131}); }),
      "R001: 'FILE' expands to more than 131 bytes, the bound that was given; raise it if you trust the "
      "file");
}

TEST_F(tree_file, refuses_another_dtype_or_shape) {
  std::map<std::string, Array> saved{{"w", Tensor({2, 3}, DType::f32)}};
  save_tree(path(), saved);
  saved["w"] = abstract({3, 2}, DType::f32);
  EXPECT_EQ(
      refusal([&] { load_tree(path(), saved); }),
      "R001: load_tree: 'FILE' has f32[2,3] as 'w', where the tree has f32[3,2]; load it into the tree that "
      "was saved");
  saved["w"] = abstract({2, 3}, DType::f64);
  EXPECT_EQ(
      refusal([&] { load_tree(path(), saved); }),
      "R001: load_tree: 'FILE' has f32[2,3] as 'w', where the tree has f64[2,3]; load it into the tree that "
      "was saved");
}

TEST_F(tree_file, refuses_to_save_what_has_no_value_or_no_name) {
  EXPECT_EQ(refusal([&] { save_tree(path(), std::map<std::string, Array>{}); }),
            "T012: 'FILE' would hold no array; save a tree that has one");
  std::map<std::string, std::map<std::string, Array>> same{{"a", {{"b.c", leaf(1)}}},
                                                           {"a.b", {{"c", leaf(2)}}}};
  EXPECT_EQ(refusal([&] { save_tree(path(), same); }),
            "T012: 'FILE' has two arrays 'a.b.c'; give each a name of its own");
  EXPECT_EQ(refusal([&] { save_tree(path(), std::pair{leaf(1), abstract({2}, DType::f32)}); }),
            "T011: save_tree: '1': this array only stands for an argument of compile and has no values; hand "
            "in data");
  Builder builder;
  Array traced = builder.input(Type(DType::f32, {2}));
  EXPECT_EQ(
      refusal([&] { save_tree(path(), traced); }),
      "T011: save_tree: 'arr_0': its values are known when the program runs; return it from the function and "
      "save the result");
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(tree_file, is_a_safetensors_file_if_its_name_says_so) {
  const std::string file = path() + ".safetensors";
  save_tree(file, model());
  const NamedTensors arrays = read_safetensors(file);
  EXPECT_EQ(arrays.size(), 14U);
  EXPECT_EQ(arrays[0].first, "layers[0].weight");
  const Model found = load_tree(file, model());
  fs::remove(file);
  EXPECT_EQ(found.layers[1].weight.item(), 3);
  EXPECT_EQ(found.tied.second.item(), 14);
}

// Each device has a part of it; the file has the whole.
TEST_F(tree_file, gathers_what_is_sharded) {
  Mesh mesh({{"a", 2}, {"b", 2}});
  auto twice =
      shard_map([](Array x) { return x + x; }, {.mesh = mesh, .in = P("b", "a"), .out = P("b", "a")});
  Array x = Tensor(Shape{2, 4}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  auto program = open_local(mesh, {.workers = 1}).compile(twice, x);
  std::map<std::string, Array> sharded{{"x", program(x)}};
  save_tree(path(), sharded);
  std::map<std::string, Array> loaded = load_tree(path(), sharded);
  EXPECT_EQ(loaded["x"].tensor(), Tensor(Shape{2, 4}, std::vector<float>{2, 4, 6, 8, 10, 12, 14, 16}));
  EXPECT_EQ(program(loaded["x"]).tensor(),
            Tensor(Shape{2, 4}, std::vector<float>{4, 8, 12, 16, 20, 24, 28, 32}));
}

}  // namespace
}  // namespace tutti
