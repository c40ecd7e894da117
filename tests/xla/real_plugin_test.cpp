// SPDX-License-Identifier: Apache-2.0
// The client against XLA for CPUs.
#include "tests/xla/real_plugin.hpp"

#include <fmt/format.h>

#include "tests/support/print.hpp"

namespace tutti::xla {
namespace {

using xla_on_cpus = RealXla;

/// A program of `n` replicas with these parameters and one result of the type `result`.
std::string module_text(int n, const std::string& parameters, const std::string& result,
                        const std::string& body) {
  return fmt::format("module attributes {{mhlo.num_replicas = {} : i32, mhlo.num_partitions = 1 : i32}} {{\n"
                     "  func.func public @main({}) -> {} {{\n{}  }}\n}}\n",
                     n, parameters, result, body);
}

std::string sum_body(const std::string& groups) {
  return R"(    %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<)" + groups + R"(>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
)";
}

Source source(std::string text, Types parameters, Types results) {
  return {std::move(text),
          std::move(parameters),
          std::move(results),
          {{"xla_allow_excess_precision", false}}};
}
const Type four(DType::f32, {4});

Source sum(const std::string& groups) {
  return source(module_text(8, "%arg0: tensor<4xf32>", "tensor<4xf32>", sum_body(groups)), {four}, {four});
}

TEST_F(xla_on_cpus, is_a_cpu_client_of_8_devices) {
  EXPECT_EQ(client()->platform(), "cpu");
  EXPECT_EQ(client()->devices().size(), 8U);
  EXPECT_EQ(client()->devices()[7].id, 7);
  EXPECT_GE(client()->plugin().minor_version(), 81);
  EXPECT_NE(client()->plugin().stablehlo(), "");
  EXPECT_FALSE(client()->devices()[0].kind.empty());
}

TEST_F(xla_on_cpus, sums_over_8_replicas) {
  const auto devices = client()->choose(first(8));
  const Executable program =
      Executable::compile(client(), devices, sum("[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64"));
  Buffers x = upload_parts(client(), devices, parts_of_four(8));
  const Tensor expected(Shape{4}, std::vector<float>{288, 296, 304, 312});
  std::vector<Buffers> sums;
  for (int call = 0; call < 300; ++call) sums = program.run(std::vector<Argument>{{&x}});
  EXPECT_EQ(sums[0].download(first(8)), Tensors(8, expected));
}

TEST_F(xla_on_cpus, numbers_replicas_in_the_order_of_the_chosen_devices) {
  const auto devices = client()->choose({7, 2, 5, 0, 1, 6, 3, 4});
  const Executable program =
      Executable::compile(client(), devices, sum("[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64"));
  Buffers x = upload_parts(client(), devices, parts_of_four(8));
  const Tensors sums = program.run(std::vector<Argument>{{&x}})[0].download(first(8));
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(sums[static_cast<std::size_t>(i)].at(0), 2 + 10 * (i / 2 * 4 + 1)) << i;
}

/// The name of an element type in StableHLO.
std::string text_of(DType dtype) {
  switch (dtype) {
    case DType::boolean: return "i1";
    case DType::complex64: return "complex<f32>";
    case DType::complex128: return "complex<f64>";
    default: {
      const std::string text(name(dtype));
      return text[0] == 'u' ? "u" + std::string("i") + text.substr(1) : text;
    }
  }
}

TEST_F(xla_on_cpus, moves_every_dtype_bit_for_bit_from_device_to_device) {
  const auto devices = client()->choose(first(2));
  for (const DType dtype : all_dtypes()) {
    const std::string type = fmt::format("tensor<3x5x{}>", text_of(dtype));
    const std::string body = fmt::format(
        "    %0 = \"stablehlo.collective_permute\"(%arg0) <{{source_target_pairs = dense<[[0, 1], [1, 0]]> : "
        "tensor<2x2xi64>}}> : ({0}) -> {0}\n    return %0 : {0}\n",
        type);
    const Type local(dtype, {3, 5});
    const Executable program =
        Executable::compile(client(), devices,
                            source(module_text(2, "%arg0: " + type, type, body), {local}, {local}));
    Tensors parts{Tensor(Shape{3, 5}, dtype), Tensor(Shape{3, 5}, dtype)};
    for (std::size_t part = 0; part < 2; ++part)
      for (std::size_t i = 0; i < parts[part].bytes(); ++i)
        parts[part].mutable_bytes()[i] =
            static_cast<std::byte>(dtype == DType::boolean ? (i + part) % 2 : 37 * i + 91 * part);
    Buffers x = upload_parts(client(), devices, parts);
    EXPECT_EQ(program.run(std::vector<Argument>{{&x}})[0].download(first(2)), (Tensors{parts[1], parts[0]}))
        << name(dtype);
  }
}

TEST_F(xla_on_cpus, takes_scalars_and_arrays_without_elements) {
  const auto devices = client()->choose({0});
  for (const Tensor& part : {Tensor::scalar(7.0F), Tensor(Shape{0, 3}, DType::f32)}) {
    const std::string type = part.shape().rank() == 0 ? "tensor<f32>" : "tensor<0x3xf32>";
    const Type local(DType::f32, part.shape());
    const Executable program = Executable::compile(client(), devices,
                                                   source(module_text(1, "%arg0: " + type, type,
                                                                      "    return %arg0 : " + type + "\n"),
                                                          {local}, {local}));
    Buffers x = upload_parts(client(), devices, {part});
    EXPECT_EQ(program.run(std::vector<Argument>{{&x}})[0].download(0), part);
  }
}

Source doubled_on(int n) {
  Source made = doubled();
  made.text.replace(made.text.find("num_replicas = 2"), 16, fmt::format("num_replicas = {}", n));
  return made;
}

TEST_F(xla_on_cpus, overwrites_what_is_given_away_and_nothing_else) {
  const auto devices = client()->choose(first(8));
  const Executable program = Executable::compile(client(), devices, doubled_on(8));
  Buffers x = upload_parts(client(), devices, parts_of_four(8));
  const std::uintptr_t place = x.address(0);
  const Buffers kept = std::move(program.run(std::vector<Argument>{{&x}}).front());
  EXPECT_FALSE(x.is_deleted());
  EXPECT_EQ(x.download(5), parts_of_four(8)[5]);
  const Buffers over = std::move(program.run(std::vector<Argument>{{&x, Use::give_away}}).front());
  EXPECT_TRUE(x.is_deleted());
  EXPECT_EQ(over.address(0), place);
  EXPECT_EQ(over.download(5), Tensor(Shape{4}, std::vector<float>{102, 104, 106, 108}));
  EXPECT_EQ(kept.download(5), over.download(5));
}

TEST_F(xla_on_cpus, tells_memory_of_a_program_and_loads_it_again) {
  const auto devices = client()->choose(first(8));
  const Executable program = Executable::compile(client(), devices, doubled_on(8));
  const auto memory = program.memory();
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->arguments, 16);
  EXPECT_EQ(memory->results, 16);
  EXPECT_EQ(memory->aliased, 16);
  const auto bytes = program.serialised();
  ASSERT_TRUE(bytes);
  const Executable loaded = Executable::load(client(), devices, doubled_on(8), *bytes);
  Buffers x = upload_parts(client(), devices, parts_of_four(8));
  EXPECT_EQ(loaded.run(std::vector<Argument>{{&x}})[0].download(3).at(0), 62);
}

TEST_F(xla_on_cpus, numbers_replicas_of_a_loaded_program_in_the_order_of_its_own_devices) {
  const Type number(DType::u32, {});
  const std::string body = "    %0 = stablehlo.replica_id : tensor<ui32>\n    return %0 : tensor<ui32>\n";
  const Source numbers = source(module_text(4, "", "tensor<ui32>", body), {}, {number});
  const auto bytes = Executable::compile(client(), client()->choose(first(4)), numbers).serialised();
  ASSERT_TRUE(bytes);
  const Executable loaded = Executable::load(client(), client()->choose({3, 1, 0, 2}), numbers, *bytes);
  const Tensors found = loaded.run({})[0].download(first(4));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)].at(0), i);
}

TEST_F(xla_on_cpus, refuses_text_that_it_does_not_read_with_line_and_column) {
  Source broken = doubled_on(8);
  broken.text.replace(broken.text.find("stablehlo.add"), 13, "stablehlo.oops");
  expect_refusal([&] { Executable::compile(client(), client()->choose(first(8)), broken); }, Code::internal,
                 {"xla: compile:", "3:", "oops", "PJRT 0.", "StableHLO 1."});
}

TEST_F(xla_on_cpus, refuses_an_unknown_option_of_the_compiler_by_name) {
  Source source = doubled_on(8);
  source.overrides = {{"xla_no_such_option", true}};
  expect_refusal([&] { Executable::compile(client(), client()->choose(first(8)), source); }, Code::device,
                 {"compile", "xla_no_such_option"});
  source.overrides = {{"xla_allow_excess_precision", std::string("false")}};
  expect_refusal([&] { Executable::compile(client(), client()->choose(first(8)), source); }, Code::device,
                 {"compile", "xla_allow_excess_precision"});
}

TEST_F(xla_on_cpus, refuses_results_that_are_not_as_expected) {
  Source source = doubled_on(8);
  source.results = {Type(DType::i32, {4})};
  expect_refusal([&] { Executable::compile(client(), client()->choose(first(8)), source); }, Code::internal,
                 {"1 result of the compiled program are not (i32[4])"});
}

TEST_F(xla_on_cpus, refuses_an_array_larger_than_all_memory) {
  const auto devices = client()->choose({0});
  const Type huge(DType::f32, {1LL << 42});
  const std::string body =
      "    %0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f32>) -> tensor<4398046511104xf32>\n"
      "    return %0 : tensor<4398046511104xf32>\n";
  const Executable program =
      Executable::compile(client(), devices,
                          source(module_text(1, "%arg0: tensor<f32>", "tensor<4398046511104xf32>", body),
                                 {Type(DType::f32, {})}, {huge}));
  Buffers x = upload_parts(client(), devices, {Tensor::scalar(1.0F)});
  expect_refusal([&] { program.run(std::vector<Argument>{{&x}}); }, Code::memory,
                 {"xla: run: Out of memory", "17592186044416", "use smaller blocks"});
}

TEST_F(xla_on_cpus, lets_exceptions_of_the_plugin_arrive_as_errors_or_refuses_itself) {
  // 0.115 throws std::length_error at -1; 0.81 takes -1, and throws std::bad_variant_access at a text. This
  // test avoids our own check on purpose.
  std::vector<Value> values{std::string("8")};
  if (client()->plugin().minor_version() >= 115) values.emplace_back(std::int64_t{-1});
  for (const Value& value : values) {
    const Values options{{"cpu_device_count", value}};
    const std::vector<NamedValue> named = named_values(options);
    ClientCreate create{.options = named.data(), .option_count = named.size()};
    EXPECT_TRUE(client()->plugin().attempt(create)) << to_string(value);
  }
}

}  // namespace
}  // namespace tutti::xla
