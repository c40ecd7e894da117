// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "tests/kernels/all_gather.hpp"
#include "tests/kernels/parse/kernel_from_text.hpp"
#include "tests/kernels/text_rows.hpp"
#include "tutti/base/error.hpp"
#include "tutti/kernels/ir/asm_text.hpp"
#include "tutti/kernels/ir/text.hpp"

namespace tutti::kernels {
namespace {

std::string file_text(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void expect_read_back(const Function& function) {
  const std::string triton = triton_text(function), generic = mlir_generic_text(function);
  EXPECT_EQ(triton_text(kernel_from_text(triton)), triton);
  EXPECT_EQ(triton_text(kernel_from_text(generic)), triton);
  EXPECT_EQ(mlir_generic_text(kernel_from_text(triton)), generic);
  EXPECT_EQ(mlir_generic_text(kernel_from_text(generic)), generic);
}

TEST(kernel_parse, reads_back_both_texts_of_each_op) {
  for (const Row& row : text_rows) expect_read_back(kernel_of(row));
}

TEST(kernel_parse, reads_back_whole_kernels) {
  expect_read_back(all_gather_by_poll());
  expect_read_back(all_gather_by_exchange());
}

TEST(kernel_parse, reads_back_constants_of_all_types_bit_for_bit) {
  const double inf = std::numeric_limits<double>::infinity();
  Builder b("numbers");
  for (const Scalar scalar : {Scalar::f16, Scalar::bf16, Scalar::f32, Scalar::f64})
    for (const double value : {0.0, -0.0, 1.5, -3.0, inf, -inf, std::nan("")})
      for (const Dims& dims : {Dims{}, Dims{4}}) b.constant(value_of(scalar, dims), value);
  b.constant(value_of(Scalar::f16), std::ldexp(1.0, -24));
  b.constant(value_of(Scalar::bf16), std::ldexp(1.0, -133));
  b.constant(value_of(Scalar::f32), std::ldexp(1.0, -149));
  b.constant(value_of(Scalar::f32), double{0.1F});
  b.constant(value_of(Scalar::f64), std::numeric_limits<double>::denorm_min());
  b.constant(value_of(Scalar::f64), std::numeric_limits<double>::max());
  for (const Scalar scalar : {Scalar::i8, Scalar::i16, Scalar::i32, Scalar::i64})
    for (const std::int64_t value : {-128, -1, 0, 127}) b.constant(value_of(scalar), value);
  b.constant(value_of(Scalar::i64), std::numeric_limits<std::int64_t>::min());
  b.constant(value_of(Scalar::i1, {2}), 1);
  expect_read_back(std::move(b).finish());
}

/// "%0 = .." as the only op of a kernel.
std::string with_op(std::string_view op) {
  return "module {\n  tt.func public @k(%n: i32, %p: !tt.ptr<i32>) {\n    " + std::string(op) +
         "\n    tt.return\n  }\n}\n";
}

double constant_in(const std::string& text) {
  const Function function = kernel_from_text(with_op("%0 = arith.constant " + text));
  return std::get<double>(std::get<Constant>(function.body.ops[0].kind).value);
}

TEST(kernel_parse, rounds_decimal_numbers_to_the_nearest_of_their_type) {
  EXPECT_EQ(constant_in("0.1 : f32"), double{0.1F});
  EXPECT_EQ(constant_in("3.40282347E+38 : f32"), double{std::numeric_limits<float>::max()});
  EXPECT_EQ(constant_in("1.0e+39 : f32"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(constant_in("1.0e-45 : f32"), std::ldexp(1.0, -149));
  EXPECT_EQ(constant_in("65520.0 : f16"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(constant_in("65519.0 : f16"), 65504.0);
  EXPECT_EQ(constant_in("257.0 : bf16"), 256.0) << "a tie goes to even";
  EXPECT_EQ(constant_in("dense<-1.0e-8> : tensor<4xf16>"), 0.0);
  EXPECT_EQ(constant_in("0x3C00 : f16"), 1.0);
  EXPECT_EQ(constant_in("0x0001 : bf16"), std::ldexp(1.0, -133));
  EXPECT_EQ(constant_in("0xBFF8000000000000 : f64"), -1.5);
}

TEST(kernel_parse, knows_every_variant_of_the_assembly_of_threads) {
  for (const Scope scope : {Scope::gpu, Scope::cta, Scope::sys}) {
    for (const Order order : {Order::relaxed, Order::release}) {
      Sample s;
      s.b.one(ThreadSignal{order, scope}, {s.p, s.n});
      expect_read_back(std::move(s.b).finish());
    }
    for (const Order order : {Order::relaxed, Order::acquire})
      for (const IntPredicate reached : {IntPredicate::sge, IntPredicate::eq}) {
        Sample s;
        s.b.one(ThreadWait{order, scope, reached}, {s.p, s.n, s.q, s.p});
        expect_read_back(std::move(s.b).finish());
      }
  }
}

/// A copied kernel after Triton has given the arguments other names.
Function with_numbered_arguments(Function function) {
  for (std::size_t i = 0; i < function.arguments.size(); ++i)
    function.arguments[i].name = "arg" + std::to_string(i);
  return function;
}

TEST(kernel_parse, reads_what_triton_prints) {
  const std::filesystem::path folder = "tests/kernels/printed_by_triton";
  EXPECT_EQ(triton_text(kernel_from_text(file_text(folder / "all_gather_by_poll.ttir"))),
            triton_text(with_numbered_arguments(all_gather_by_poll())));
  EXPECT_EQ(triton_text(kernel_from_text(file_text(folder / "all_gather_by_exchange.ttir"))),
            triton_text(with_numbered_arguments(all_gather_by_exchange())));
}

TEST(kernel_parse, reads_comments_unnamed_results_groups_of_results_and_several_kernels) {
  const std::vector<Function> kernels = kernels_from_text(R"(// before
#loc = loc("a (b":1:2)
module @m {
  tt.func public @one(%a: i32 loc(unknown)) { // no attributes
    %c-1_i32 = arith.constant -1 : i32 loc(#loc)
    %true = arith.constant true
    %0:2 = scf.for %i = %a to %a step %c-1_i32 iter_args(%x = %a, %y = %c-1_i32) -> (i32, i32)  : i32 {
      %1 = arith.addi %x, %y : i32
      scf.yield %1, %x : i32, i32
    } loc(callsite("f"(#loc) at #loc))
    arith.addi %0#1, %0 : i32
    %3, %4:1 = scf.if %true -> (i32, i32) {
      scf.yield %a, %0#1 : i32, i32
    } else {
      scf.yield %a, %a : i32, i32
    }
    arith.addi %3, %4 : i32
    scf.if %true {
    } else {
    }
    tt.return
  } loc(#loc)
  tt.func @two() { tt.return }
} loc(#loc)
#loc1 = loc(fused[#loc, unknown]))");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[1].name, "two");
  EXPECT_EQ(triton_text(kernels[0]), R"(module {
  tt.func public @one(%a: i32) attributes {noinline = false} {
    %1 = arith.constant -1 : i32
    %2 = arith.constant true
    %7, %8 = scf.for %3 = %a to %a step %1 iter_args(%4 = %a, %5 = %1) -> (i32, i32)  : i32 {
      %6 = arith.addi %4, %5 : i32
      scf.yield %6, %4 : i32, i32
    }
    %9 = arith.addi %8, %7 : i32
    %10, %11 = scf.if %2 -> (i32, i32) {
      scf.yield %a, %8 : i32, i32
    } else {
      scf.yield %a, %a : i32, i32
    }
    %12 = arith.addi %10, %11 : i32
    scf.if %2 {
      scf.yield
    } else {
      scf.yield
    }
    tt.return
  }
}
)");
}

// --- Refusals ----------------------------------------------------------------------------------------------

std::string refusal_of(const std::string& text) {
  try {
    kernel_from_text(text);
  } catch (const Error& error) {
    return std::string(error.label()) + " " + error.what();
  }
  return "accepted";
}

TEST(kernel_parse, says_where_and_shows_the_line) {
  EXPECT_EQ(refusal_of("module {\n  tt.func public @k(%n: i23) {\n    tt.return\n  }\n}\n"),
            "R001 kernel text:2:25: found 'i23', expected a type: !tt.ptr<..>, tensor<..>, or one of i1, i8, "
            "i16, i32, "
            "i64, f16, bf16, f32, f64\n"
            "    tt.func public @k(%n: i23) {\n"
            "                          ^");
}

TEST(kernel_parse, shows_a_part_of_a_long_line) {
  const std::string blanks(300, ' ');
  EXPECT_EQ(refusal_of("module {" + blanks + "\t$" + blanks + "}"),
            "R001 kernel text:1:310: found '$', expected 'tt.func' or '}'\n  " + std::string(60, ' ') + "$" +
                std::string(39, ' ') + "\n  " + std::string(60, ' ') + "^");
}

struct Refused {
  std::string_view op, message;
};

TEST(kernel_parse, refuses_an_op_and_says_why) {
  const Refused table[] = {
      {"%0 = tt.dot %n, %n : i32", "kernels have no op 'tt.dot'"},
      {"\"tt.dot\"() : () -> ()", "tt.dot: kernels have no such op"},
      {"%0 = arith.addi %n, %m : i32", "%m has no value here"},
      {"%0 = arith.addi %n, %p : i32", "arith.addi(i32, !tt.ptr<i32>): both operands must have one type"},
      {"%0 = arith.addi %n, %n : i64", "arith.addi: operand 0 is i32, but the text says i64"},
      {"%0 = arith.addi %n, %n overflow<nsw> : i32", "found 'overflow', expected ':'"},
      {"%0 = arith.extsi %n : i32 to i16", "arith.extsi(i32): i16 is not wider"},
      {"%0 = \"arith.addi\"(%n, %n) : (i32, i32) -> i64",
       "arith.addi: the results are (i32), but the text says (i64)"},
      {"%n = arith.addi %n, %n : i32", "%n has a value already"},
      {"%0, %1 = arith.addi %n, %n : i32", "arith.addi has 1 results, but 2 names"},
      {"%0 = tt.get_program_id y : i32", "found 'y', expected 'x': the grid has one axis"},
      {"%0 = tt.load %p {isVolatile = true} : !tt.ptr<i32>",
       "tt.load: kernels have no attribute 'isVolatile' here; leave it out"},
      {"%0 = tt.load %p {tutti.own = 1} : !tt.ptr<i32>",
       "the attribute 'tutti.own' has a value of another kind"},
      {"%0 = tt.load %p {tutti.own, tutti.own} : !tt.ptr<i32>", "the attribute 'tutti.own' is here twice"},
      {"%0 = \"tt.load\"(%p) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!tt.ptr<i32>) -> i32",
       "tt.load: operandSegmentSizes must be those of a pointer, a mask, another value"},
      {"%0 = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first>} "
       ": "
       "!tt.ptr<i32>",
       "found 'evict_first', expected 'evict_normal'"},
      {"%0 = tt.load %p cacheModifier = cg : !tt.ptr<i32>", "found 'cacheModifier', expected ':'"},
      {"%0 = tt.atomic_rmw inc, relaxed, sys, %p, %n : (!tt.ptr<i32>, i32) -> i32",
       "found 'inc', expected one of and, or, xor, add, fadd, max, min, umax, umin, exch"},
      {"\"tt.atomic_store\"(%p, %n) <{scope = 9 : i32, sem = 3 : i32}> : (!tt.ptr<i32>, i32) -> ()",
       "tt.atomic_store: scope is 9, expected 1 to 3"},
      {"%0 = tt.elementwise_inline_asm \"mov.u32 $0, %laneid;\" {constraints = \"=r\", packed_element = 1 : "
       "i32, "
       "pure = true} -> i32",
       "tt.elementwise_inline_asm: the assembly \"mov.u32 $0, %laneid;\" is not that of a thread's id, "
       "signal or wait"},
      {"ttg.barrier local", "found 'local', expected 'all': a block barrier is of all address spaces"},
      {"%0 = arith.constant 128 : i8", "'128' is not a number of i8"},
      {"%0 = arith.constant 1 : f32", "'1' is not a number of f32"},
      {"%0 = arith.constant 0xFFC00000 : f32", "'0xFFC00000' is not a number of f32"},
      {"%0 = arith.constant dense<[1, 2]> : tensor<2xi32>",
       "found '[', expected one number, the same in every element"},
      {"%0 = arith.constant dense<1> : tensor<3xi32>",
       "no kernel has this tensor: dim 3 is not a power of two"},
      {"%0 = arith.constant dense<1> : tensor<99999999999999999999xi32>", "no tensor has so large a dim"},
      {"%0 = tt.make_range {end = 8 : i32} : tensor<8xi32>",
       "tt.make_range: the attribute 'start' is missing"},
      {"%0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<4xi32>",
       "tt.make_range: the results are (tensor<8xi32>), but the text says (tensor<4xi32>)"},
      {"scf.if %n { scf.yield }", "scf.if(i32): the condition must be i1"},
      {"scf.for %i = %n to %n step %n : i32 { scf.yield %i : i32 }",
       "scf.for %n: region 0 ends with scf.yield(i32), expected ()"},
      {"%0 = arith.constant \"unended", "found '\"', expected the value of an attribute"},
  };
  for (const Refused& row : table) {
    const std::string said = refusal_of(with_op(row.op));
    EXPECT_EQ(said.substr(0, said.find('\n')).substr(0, 19), "R001 kernel text:3:") << said;
    const std::size_t begin = std::min(said.find(": ") + 2, said.size());
    EXPECT_EQ(said.substr(begin, said.find('\n') - begin), row.message);
  }
}

TEST(kernel_parse, refuses_a_module_that_is_none) {
  EXPECT_NE(refusal_of("").find("1:1: found the end of the text, expected 'module'"), std::string::npos);
  EXPECT_NE(refusal_of("module {}").find("the module has 0 kernels, expected one"), std::string::npos);
  EXPECT_NE(refusal_of("module { } x").find("found 'x', expected the end of the text"), std::string::npos);
  EXPECT_NE(refusal_of("module {\n tt.func @a() { tt.return }\n tt.func @a() { tt.return } }")
                .find("3:2: two kernels are named a"),
            std::string::npos);
}

TEST(kernel_parse, refuses_what_the_verifier_refuses) {
  std::string text = triton_text(all_gather_by_poll());
  text.erase(text.find("    ttg.barrier all\n"), 20);
  EXPECT_NE(refusal_of(text).find(
                "kernel text:2:3: tt.atomic_store %40 signals after tt.store %25 without a block barrier"),
            std::string::npos)
      << refusal_of(text);
}

TEST(kernel_parse, refuses_regions_too_deep) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "scf.if %c { ";
  EXPECT_NE(
      refusal_of("module { tt.func @k(%c: i1) { " + deep).find("expected fewer regions one in the other"),
      std::string::npos);
}

// --- Any text is read or refused ---------------------------------------------------------------------------

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("%@^#_.").find(c) != std::string::npos;
  };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (is_word(text[i]))
      while (end < text.size() && is_word(text[end])) ++end;
    tokens.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

class Mutator {
 public:
  explicit Mutator(std::vector<std::string> words) : words_(std::move(words)) {}

  std::string mutant(std::vector<std::string> tokens) {
    for (std::uint64_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(tokens.size());
      switch (below(6)) {
        case 0: tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at)); break;
        case 1: tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), tokens[at]); break;
        case 2: tokens[at] = words_[below(words_.size())]; break;
        case 3: std::swap(tokens[at], tokens[below(tokens.size())]); break;
        case 4: tokens[at][below(tokens[at].size())] = static_cast<char>(below(256)); break;
        default: tokens.resize(below(8) == 0 ? at + 1 : tokens.size());
      }
    }
    std::string text;
    for (const std::string& token : tokens) text += token;
    return text;
  }

 private:
  std::uint64_t below(std::uint64_t count) {  // splitmix64
    std::uint64_t x = state_ += 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return (x ^ (x >> 31)) % count;
  }

  std::vector<std::string> words_;
  std::uint64_t state_ = 1;
};

TEST(kernel_parse, reads_or_refuses_any_changed_text) {
  std::vector<std::vector<std::string>> texts;
  for (const Row& row : text_rows) {
    texts.push_back(tokens_of(triton_text(kernel_of(row))));
    texts.push_back(tokens_of(mlir_generic_text(kernel_of(row))));
  }
  for (const auto& entry : std::filesystem::directory_iterator("tests/kernels/printed_by_triton"))
    texts.push_back(tokens_of(file_text(entry.path())));
  std::vector<std::string> words{"0", "9223372036854775808", "-",    "\"",  "\\",
                                 "{", "tensor<1x1xi1>",      "loc(", "true"};
  for (const auto& tokens : texts) words.insert(words.end(), tokens.begin(), tokens.end());
  Mutator mutator(words);
  int accepted = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::string text = mutator.mutant(texts[static_cast<std::size_t>(i) % texts.size()]);
    try {
      const std::vector<Function> kernels = kernels_from_text(text);
      for (const Function& kernel : kernels) expect_read_back(kernel);
      ++accepted;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::file) << text;
      EXPECT_TRUE(error.where().known()) << error.what();
      EXPECT_EQ(error.message().find('\n'), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, 3000);
}

}  // namespace
}  // namespace tutti::kernels
