// SPDX-License-Identifier: Apache-2.0
// docs/errors.md explains every code, with examples that stand here and say what it quotes.
#include <fmt/core.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <stop_token>

#include "tests/support/file_text.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/tensor/files/npy.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

/// An op whose author knows no derivative.
struct TableLookup {
  static constexpr std::string_view name = "table_lookup";
  static constexpr About about{"A test's op.", ""};
  static constexpr Refused jvp{"a table has steps, no slope"}, transpose{"it is not linear"},
      lower{"of this test"};

  Mixing mixing() const { return Mixing::alike; }
  Types infer(const Types& operands) const { return operands; }
  Kernel kernel(const Layout&) const { return kernel::View{}; }
  BatchedArrays batch(const Axis&, const BatchedArrays& operands, const Types&) const { return operands; }
  static std::vector<Example> examples() { return {}; }
  bool operator==(const TableLookup&) const = default;
};

Array table_lookup(const Operand& x) { return apply_one(TableLookup{}, {*x.array()}, x.where()); }
Array same(Array x) { return x; }

// %2 = add %0, %1
Program sum_of_vectors() {
  Type f32(DType::f32, {4});
  return trace({f32, f32}, [](const Arrays& x) { return Arrays{x[0] + x[1]}; }).program;
}

// One example per label, as the document has it. clang-format would break lines that the document does not.
const std::map<std::string, std::function<void()>>& examples() {
  static const Mesh mesh({{"data", 4}});
  static const Machine machine = open_local(mesh, {.workers = 1});
  static const std::map<std::string, std::function<void()>> all{
      // clang-format off
      {"T001", on_devices([](Array x) {
         return psum(x, "rows");
       })},
      {"T002", on_devices([](Array x) {
         return vmap(same, {.axis = "data"})(x);
       })},
      {"T003", on_devices([](Array x) {
         return all_gather(x, {"data", "data"});
       })},
      {"T004", on_devices([](Array x) {
         Array weights = ones_like(x);
         Array gradient = pcast(x, "data", unreduced);
         return gradient + 0.1f * weights;
       })},
      {"T005", traced([](Array x) {
         return x + ones({3, 2}, DType::f32);
       })},
      {"T006", traced([](Array x) {
         return softmax(x, 2);
       })},
      {"T007", traced([](Array x) {
         return convert(x, DType::i32) * x;
       })},
      {"T008", traced([](Array x) {
         return convert(x, DType::i32) * 0.5;
       })},
      {"T009", on_devices([](Array x) {
         return pbroadcast(x, "data", {.source = 4});
       })},
      {"T010", traced([](Array x) {
         return grad([](Array y) { return reduce_sum(table_lookup(y)); })(x);
       })},
      {"T011", traced([](Array x) {
         return x * x.item();
       })},
      {"T012", traced([](Array x) {
         tree_map([](Array w, Array g) { return w - g; }, std::vector{x, x}, std::vector{x});
         return x;
       })},
      {"T013", traced([](Array x) {
         return shard_map(same, {.mesh = mesh, .in = P("data", none), .out = P("data")})(x);
       })},
      {"T014", [] {
         Mesh twice({{"data", 4}, {"data", 2}});
       }},
      {"T015", [] {
         auto train = machine.compile(same, abstract({4}, DType::f32));
         train(Tensor({5}, DType::f32));
       }},
      {"T016", on_devices([](Array x) {
         auto total = psum_start(x, "data");
         return x;
       })},
      {"S001", [] {
         std::string text = "func.func @main(%loss: tensor<f32>) {\n return %los : tensor<f32> }";
         Loaded step = load_text(text, "step.mlir");
       }},
      {"S002", [] {
         Loaded step = load_text("func.func @main(%x: tensor<4xf8E5M2>) { return }", "step.mlir");
       }},
      {"R001", [] {
         Tensor x = read_npy("nowhere.npy");
       }},
      {"R003", [] {
         auto large = [](Array x) {
           return x + zeros({1 << 20, 1 << 20, 64}, DType::f32);
         };
         machine.compile(large, abstract({}, DType::f32));
       }},
      {"R004", [] {
         open_local(mesh, {.workers = -1});
       }},
      {"R005", [] {
         Array zero = Tensor({4}, DType::i32), rows = Tensor({4}, {1.0F, 2.0F, 3.0F, 4.0F});
         auto too_long = [zero](Array x) {
           return ragged_all_to_all(x, x, {zero, zero + 9, zero}, "data");
         };
         auto exchange = shard_map(too_long, {.mesh = mesh, .in = {P("data")}, .out = {P("data")}});
         machine.compile(exchange, rows)(rows);
       }},
      {"R006", [] {
         auto small = [](Array x) {
           check(x < 3, "x is {}", x);
           return x;
         };
         Array x = Tensor({4}, {1.0F, 2.0F, 3.0F, 4.0F});
         auto pairs = shard_map(small, {.mesh = Mesh({{"data", 2}}), .in = {P("data")}, .out = {P("data")}});
         open_local(Mesh({{"data", 2}})).compile(pairs, x)(x);
       }},
      {"R008", [] {
         Array x = Tensor({4}, {1.0F, 2.0F, 3.0F, 4.0F});
         std::stop_source stop;
         Machine one = open_local(mesh, {.workers = 1, .stop = stop.get_token()});
         auto step = one.compile([](Array v) { return v * 2; }, x);
         stop.request_stop();
         step(x);
       }},
      {"I001", [] {
         Program program = sum_of_vectors();
         program.types[2] = ops::Type(DType::f32, {5});
         check(program);
       }},
      // clang-format on
  };
  return all;
}

/// The section of the document about one code.
struct Section {
  std::string text;
  std::vector<std::string> code;  // lines
  std::string quoted;
};

std::map<std::string, Section> sections() {
  std::map<std::string, Section> all;
  std::istringstream file(text_of_file("docs/errors.md"));
  std::string heading, fence;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) heading = line.substr(3);
    else if (line.starts_with("```")) fence = fence.empty() ? line : "";
    else if (fence == "```cpp") all[heading].code.push_back(line);
    else if (fence == "```") all[heading].quoted += (all[heading].quoted.empty() ? "" : "\n") + line;
    else if (!heading.empty()) all[heading].text += line + "\n";
  }
  return all;
}

std::string said_by(const std::function<void()>& example) {
  try {
    example();
    return "accepted";
  } catch (const Error& error) {
    std::string text = error.what(), place = to_string(error.where());
    if (!error.where().known() || place.starts_with("step.mlir")) return text;
    return "model.cpp:7" + text.substr(place.size());
  }
}

TEST(errors_document, explains_every_code_and_no_other) {
  std::map<std::string, Section> found = sections();
  std::vector<std::string> headings, expected;
  for (const auto& [heading, section] : found) headings.push_back(heading);
  for (const CodeInfo& row : all_codes()) expected.push_back(fmt::format("{} {}", row.label, row.name));
  std::ranges::sort(expected);
  EXPECT_EQ(headings, expected);
}

TEST(errors_document, says_what_the_table_says) {
  std::map<std::string, Section> found = sections();
  for (const CodeInfo& row : all_codes()) {
    const std::string& text = found[fmt::format("{} {}", row.label, row.name)].text;
    std::string meaning(row.meaning);
    meaning[0] = static_cast<char>(std::toupper(meaning[0]));
    EXPECT_NE(text.find(fmt::format("{}. Exit status {}.", meaning, row.exit_status)), std::string::npos)
        << row.label;
  }
}

TEST(errors_document, quotes_what_its_examples_say) {
  std::map<std::string, Section> found = sections();
  for (const auto& [label, example] : examples()) {
    const CodeInfo& row = *std::ranges::find(all_codes(), label, &CodeInfo::label);
    EXPECT_EQ(said_by(example), found[fmt::format("{} {}", row.label, row.name)].quoted) << label;
  }
}

TEST(errors_document, has_an_example_wherever_it_quotes) {
  for (const auto& [heading, section] : sections())
    EXPECT_EQ(section.quoted.empty(), !examples().contains(heading.substr(0, 4))) << heading;
}

TEST(errors_document, shows_code_that_stands_in_this_test) {
  std::string self = text_of_file("tests/refusals/errors_doc_test.cpp");
  for (const auto& [heading, section] : sections())
    for (const std::string& line : section.code)
      EXPECT_NE(self.find(" " + line + "\n"), std::string::npos) << line;
}

}  // namespace
}  // namespace tutti
