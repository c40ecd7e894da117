// SPDX-License-Identifier: Apache-2.0
#include "tutti/ir/array.hpp"

#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"
#include "tutti/ir/builder.hpp"

namespace tutti {
namespace {

TEST(array, of_data_has_its_type_and_values) {
  Array x = Tensor({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  EXPECT_EQ(x.type(), Type(DType::f32, {2, 3}));
  EXPECT_EQ(x.shape(), (Shape{2, 3}));
  EXPECT_EQ(x.dtype(), DType::f32);
  EXPECT_EQ(x.rank(), 2);
  EXPECT_EQ(x.tensor(), Tensor({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(x.traced(), nullptr);
}

TEST(array, counts_dims_from_either_end) {
  Array x = Tensor({2, 3}, DType::f32);
  EXPECT_EQ(x.dim(0), 2);
  EXPECT_EQ(x.dim(1), 3);
  EXPECT_EQ(x.dim(-1), 3);
  EXPECT_EQ(x.dim(-2), 2);
  EXPECT_EQ(refusal_of([&] { x.dim(2); }),
            "T006: dim 2 is out of range for f32[2,3], which has dims -2 to 1");
  EXPECT_EQ(refusal_of([&] { x.dim(-3); }),
            "T006: dim -3 is out of range for f32[2,3], which has dims -2 to 1");
}

TEST(array, of_one_element_has_an_item) {
  EXPECT_EQ(Array(Tensor::scalar(2.5F)).item(), 2.5);
  EXPECT_EQ(Array(Tensor({1, 1}, std::vector<std::int32_t>{7})).item(), 7);
  EXPECT_EQ(Array(Tensor::scalar(true)).item(), 1);
}

TEST(array, hands_out_its_values) {
  Array x = Tensor({2, 2}, std::vector<float>{1, 2.5, -3, 4});
  EXPECT_EQ(x.values<float>(), (std::vector<float>{1, 2.5, -3, 4}));
  EXPECT_EQ(Array(Tensor({2}, std::vector<bool>{true, false})).values<bool>(),
            (std::vector<bool>{true, false}));
  EXPECT_EQ(Array(Tensor({0}, DType::i8)).values<std::int8_t>(), std::vector<std::int8_t>{});
  EXPECT_EQ(refusal_of([&] { x.values<double>(); }),
            "T007: values: the elements are f32, not f64; ask for those of f32, or let the program convert "
            "them: convert(x, DType::f64)");
  EXPECT_EQ(refusal_of([&] { x.values<std::int32_t>(); }),
            "T007: values: the elements are f32, not i32; ask for those of f32, or let the program convert "
            "them: convert(x, DType::i32)");
}

TEST(array, on_a_mesh_says_how_it_lies_and_hands_out_each_devices_part) {
  const Mesh mesh({{"i", 2}, {"j", 2}});
  const Tensor whole({3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const Sharding rows{mesh, {{mesh.axes()[0]}, {}}, {}, {}};
  const Array x(std::make_shared<const GlobalArray>(GlobalArray::distributed(whole, rows)));
  EXPECT_EQ(x.sharding(), rows);
  EXPECT_EQ(to_string(*x.sharding()), "P(i)");
  EXPECT_EQ(x.shard(0), Tensor({2, 2}, std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(x.shard(1), x.shard(0));  // equal along j
  EXPECT_EQ(x.shard(3), Tensor({1, 2}, std::vector<float>{5, 6}));
  EXPECT_EQ(refusal_of([&] { x.shard(4); }),
            "T015: shard: there is no device 4; the mesh has devices 0 to 3");
  EXPECT_EQ(refusal_of([&] { x.shard(-1); }), "T015: shard: there is no device -1; devices count from 0");
}

TEST(array, that_is_whole_has_no_sharding_and_is_its_own_part) {
  const Array x = Tensor({2}, std::vector<float>{1, 2});
  EXPECT_EQ(x.sharding(), std::nullopt);
  EXPECT_EQ(x.shard(0), x.tensor());
  EXPECT_EQ(refusal_of([&] { x.shard(-1); }), "T015: shard: there is no device -1; devices count from 0");
}

TEST(array, prints_as_its_tensor_does) {
  Tensor tensor({2, 2}, std::vector<float>{1, 2.5, -3, 4});
  EXPECT_EQ(to_string(Array(tensor)), "[[ 1.   2.5]\n [-3.   4. ]]");
  EXPECT_EQ(to_string(Array(tensor), {.all_elements = 1, .edge_elements = 1, .digits = 2}),
            to_string(tensor, {.all_elements = 1, .edge_elements = 1, .digits = 2}));
}

TEST(array, that_is_traced_has_neither_values_nor_text) {
  Builder builder;
  Array x = builder.input(Type(DType::f32, {2}));
  const std::string why = "the values of an array are not known while its program is traced; return it, and "
                          "read what the call returns";
  EXPECT_EQ(refusal_of([&] { x.values<float>(); }), "T011: values: " + why);
  EXPECT_EQ(refusal_of([&] { to_string(x); }), "T011: to_string: " + why);
  EXPECT_EQ(refusal_of([&] { x.shard(0); }), "T011: shard: " + why);
  EXPECT_EQ(refusal_of([&] { x.sharding(); }), "T011: sharding: " + why);
  EXPECT_EQ(refusal_of([&] { to_string(Array()); }),
            "T011: to_string: this array is empty; give it a value before it is used");
}

TEST(array, of_a_trace_has_a_type_with_states) {
  Builder builder;
  Axis lanes = fresh_axis("lanes", 3);
  Array x = builder.input(Type(DType::f32, {2}, {{lanes, varying}}));
  EXPECT_EQ(to_string(x.type()), "f32[2]{V:lanes}");
  EXPECT_EQ(x.data(), nullptr);
}

TEST(array, that_stands_for_an_argument_has_a_type) {
  Array x = abstract({2}, DType::i32);
  EXPECT_EQ(x.type(), Type(DType::i32, {2}));
  EXPECT_EQ(x.data(), nullptr);
}

TEST(operand, is_an_array_or_a_number) {
  EXPECT_NE(Operand(Array()).array(), nullptr);
  EXPECT_EQ(Operand(Array()).number(), nullptr);
  EXPECT_EQ(*Operand(2).number(), Number(std::int64_t{2}));
  EXPECT_EQ(*Operand(2U).number(), Number(std::int64_t{2}));
  EXPECT_EQ(*Operand(0.5F).number(), Number(0.5));
  EXPECT_EQ(*Operand(true).number(), Number(true));
}

TEST(operand, knows_the_line_of_its_caller) {
  Operand x = 1;
  EXPECT_EQ(to_string(x.where()), "tests/ir/array_test.cpp:" + std::to_string(__LINE__ - 1));
}

TEST(axis_names, stand_for_axes_or_are_axes) {
  Builder builder;
  Mesh mesh({{"data", 4}, {"model", 2}});
  auto bound = builder.bind(mesh.axes());
  EXPECT_EQ(AxisNames("model").resolve(), Axes{mesh.axes()[1]});
  EXPECT_EQ(AxisNames(std::string("model")).resolve(), Axes{mesh.axes()[1]});
  EXPECT_EQ(AxisNames({"model", "data"}).resolve(), (Axes{mesh.axes()[1], mesh.axes()[0]}));
  EXPECT_EQ(AxisNames(mesh.axes()).resolve(), mesh.axes());
  EXPECT_EQ(AxisNames(mesh.axes()[0]).resolve(), Axes{mesh.axes()[0]});
}

TEST(axis_names, are_texts_of_any_kind_known_at_run_time) {
  Builder builder;
  Mesh mesh({{"data", 4}, {"model", 2}});
  auto bound = builder.bind(mesh.axes());
  const Axes one{mesh.axes()[1]}, both{mesh.axes()[1], mesh.axes()[0]};
  const auto resolved = [](const AxisNames& names) { return names.resolve(); };  // as a collective takes them
  const std::string model = "model", data = "data";
  const std::string_view view = model;
  const char* pointer = model.c_str();
  EXPECT_EQ(resolved(view), one);
  EXPECT_EQ(resolved(pointer), one);
  EXPECT_EQ(resolved({model}), one);
  EXPECT_EQ(resolved({model, data}), both);
  EXPECT_EQ(resolved({view, "data"}), both);
  EXPECT_EQ(resolved({pointer, data}), both);
  EXPECT_EQ(resolved({"model", std::string("data")}), both);
  const std::vector<std::string> names{"model", "data"};
  EXPECT_EQ(resolved(names), both);
  EXPECT_EQ(resolved({names}), both);
  EXPECT_EQ(resolved(std::vector<std::string>{"model", "data"}), both);
  EXPECT_EQ(resolved(std::vector<std::string_view>{model, data}), both);
  EXPECT_EQ(resolved(std::vector<const char*>{"model", "data"}), both);
  EXPECT_EQ(resolved(std::span<const std::string>(names)), both);
  EXPECT_EQ(resolved(std::array{"model", "data"}), both);
  const char* const c_array[] = {"model", "data"};
  EXPECT_EQ(resolved(c_array), both);
  EXPECT_EQ(resolved(std::vector<std::string>{}), Axes{});
}

TEST(axis_names, without_a_text_name_no_axis) {
  const char* missing = nullptr;
  const std::initializer_list<AxisName> list{missing};
  EXPECT_EQ(refusal_of([&] { AxisNames(list).resolve(); }).substr(0, 32), "T001: axis '' is not bound here;");
  EXPECT_EQ(refusal_of([&] { AxisNames(missing).resolve(); }).substr(0, 32),
            "T001: axis '' is not bound here;");
}

TEST(axis_names, name_an_axis_once) {
  Axis lanes = fresh_axis("lanes", 3);
  EXPECT_EQ(refusal_of([&] { AxisNames(Axes{lanes, lanes}).resolve(); }),
            "T003: axis 'lanes' is named twice; name each axis once");
  Axis others = fresh_axis("others", 2);
  EXPECT_EQ(refusal_of([&] { AxisNames(Axes{lanes, others, lanes}).resolve(); }),
            "T003: axis 'lanes' is named twice; name each axis once");
}

}  // namespace
}  // namespace tutti
