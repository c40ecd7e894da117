// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "tests/support/command.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/control/all_ops.hpp"
#include "tutti/tensor/products/blas.hpp"

namespace tutti {
namespace {

Finished tool(const std::string& arguments) { return run_command(program_folder() + "/tutti " + arguments); }

TEST(cli, prints_help_with_every_subcommand) {
  Finished run = tool("--help");
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.out.find("rules"), std::string::npos);
}

TEST(cli, prints_its_version_and_instruction_set_and_openblas) {
  Finished run = tool("--version");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out.substr(0, 6), "tutti ");
  EXPECT_NE(run.out.find("kernels"), std::string::npos);
  EXPECT_NE(run.out.find(blas().config), std::string::npos);  // the loader gives this program the same one
  EXPECT_EQ(run.out.find(serialised_blas_note) != std::string::npos, blas().is_serialised());
}

TEST(cli, refuses_an_unknown_subcommand) {
  Finished run = tool("frobnicate");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.err, "tutti: error[R002]: there is no subcommand 'frobnicate'; see tutti --help\n");
}

TEST(cli, alone_prints_its_help) {
  const Finished alone = tool(""), help = tool("--help");
  EXPECT_EQ(alone.status, 0);
  EXPECT_EQ(alone.err, "");
  EXPECT_EQ(alone.out, help.out);
}

// As `--svg "$FILE"` has without the variable FILE.
TEST(cli, refuses_an_empty_value) {
  for (const std::string& command :
       {std::string("plan --mesh x=2 --shape 4 --from 'P()' --to 'P(x)' --svg"),
        std::string("kernel all_reduce --world 2 --op"), std::string("explain psum --trace"),
        std::string("devices --plugin"), std::string("mpi-info --mesh"),
        std::string("mpi-info --mesh i=2 --split")}) {
    const Finished run = tool(command + " ''");
    const std::string option = command.substr(command.rfind(' ') + 1);
    EXPECT_EQ(run.status, 1) << command;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err,
              "tutti: error[R002]: " + option + ": the value is empty; give one, or leave the option out\n");
  }
  EXPECT_EQ(tool("plan --mesh '' --shape '' --from 'P()' --to 'P()'").status, 0);  // one device, a scalar
}

TEST(rules, has_a_row_for_every_op_and_no_empty_cell) {
  Finished run = tool("rules");
  ASSERT_EQ(run.status, 0);
  for (const OpRow& row : all_ops()) {
    std::size_t at = run.out.find("\n" + row.name + " ");
    ASSERT_NE(at, std::string::npos) << row.name;
    std::string line = run.out.substr(at + 1, run.out.find('\n', at + 1) - at - 1);
    std::size_t cells = 0;
    for (const char* state : {"  rule", "  refused", "  partly", "  local"})
      for (std::size_t i = 0; (i = line.find(state, i)) != std::string::npos; ++i) ++cells;
    EXPECT_EQ(cells, 10U) << line;
  }
}

TEST(rules, say_where_an_op_refuses_for_some_parameters_only) {
  std::regex line("\nall_reduce +transpose +partly +a maximum or minimum is not linear\n");
  EXPECT_TRUE(std::regex_search(tool("rules").out, line));
}

TEST(rules, are_json_with_a_reason_for_every_refusal) {
  nlohmann::json all = nlohmann::json::parse(tool("rules --json").out);
  ASSERT_EQ(all.size(), all_ops().size());
  for (const auto& row : all)
    for (const auto& [rule, cell] : row.at("rules").items())
      EXPECT_EQ(cell.at("state") != "rule" && cell.at("state") != "local",
                !cell.at("reason").get<std::string>().empty())
          << rule;
}

}  // namespace
}  // namespace tutti
