// SPDX-License-Identifier: Apache-2.0
// The programs of jax_corpus.py, as JAX lowers and exports them today: read, run, and compared with JAX's
// numbers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/command.hpp"
#include "tests/support/file_text.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/real_plugin.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/stablehlo/parse/parse.hpp"
#include "tutti/stablehlo/write/write.hpp"
#include "tutti/tensor/fft/fft.hpp"
#include "tutti/tensor/files/npy.hpp"
#include "tutti/tutti.hpp"
#include "tutti/xla/open_xla.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

/// Programs that are refused, each with a word of its refusal.
const std::map<std::string, std::string> refused{{"psum_types", "elements of i4"},
                                                 {"gather_types", "elements of f8E4M3FN"},
                                                 {"as_gspmd", "SPMDFullToShardShape"}};

class jax_corpus : public OracleTest {
 protected:
  static void SetUpTestSuite() {
    if (!Oracle::shared().missing().empty()) return;
    folder_ = fs::temp_directory_path() / ("tutti_corpus_" + std::to_string(::getpid()));
    const char* named = std::getenv("TUTTI_PYTHON");
    const std::string python = named == nullptr ? ".venv/bin/python" : named;
    const Finished run = run_command(python + " tests/oracle/jax_corpus.py " + folder_.string());
    ASSERT_EQ(run.status, 0) << run.err;
    index_ = nlohmann::json::parse(text_of_file(path("index.json")));
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static std::string path(const std::string& file) { return (folder_ / file).string(); }

  static Tensors tensors(const std::string& name, const std::string& kind, const nlohmann::json& described) {
    Tensors all;
    for (std::size_t k = 0; k < described.size(); ++k) {
      const Tensor stored = read_npy(path(name + "." + kind + "." + std::to_string(k) + ".npy"));
      if (described[k]["type"] != "bf16") {
        all.push_back(stored);
        continue;
      }
      Tensor bits(stored.shape(), DType::bf16);  // .npy holds them as u16
      std::memcpy(bits.mutable_bytes(), stored.data(), bits.bytes());
      all.push_back(bits);
    }
    return all;
  }

  /// The largest difference, as part of the largest number that is expected; infinite for other types.
  static double difference(const Tensor& found, const Tensor& expected) {
    if (found == expected) return 0;
    if (found.dtype() != expected.dtype() || found.shape() != expected.shape()) return INFINITY;
    if (is_complex(found.dtype())) return INFINITY;  // those of the corpus are exact
    double largest = 1e-30, worst = 0;
    for (std::int64_t i = 0; i < found.elements(); ++i)
      if (std::isfinite(expected.at(i))) largest = std::max(largest, std::abs(expected.at(i)));
    for (std::int64_t i = 0; i < found.elements(); ++i) {
      const double x = found.at(i), y = expected.at(i);
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      const double apart = std::abs(x - y) / largest;
      worst = std::isfinite(apart) ? std::max(worst, apart) : INFINITY;
    }
    return worst;
  }

  static std::vector<Array> arrays_of(const Tensors& tensors) { return {tensors.begin(), tensors.end()}; }

  using Open = std::function<Machine(const Mesh&)>;
  static void expect_numbers(
      const nlohmann::json& program, const std::string& file,
      const Open& open = [](const Mesh& mesh) { return open_local(mesh); }) {
    const std::string name = program["name"];
    const Loaded loaded = load(path(file));
    const std::vector<Array> inputs = arrays_of(tensors(name, "in", program["in"]));
    const Machine machine = open(loaded.mesh());
    const std::vector<Array> results = machine.compile(loaded, inputs)(inputs);
    const Tensors expected = tensors(name, "out", program["out"]);
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_LE(difference(results[k].tensor(), expected[k]), program["exact"] ? 0 : 2e-5)
          << file << ", result " << k;
  }

  static void expect_refused(const std::string& file, const std::string& word) {
    try {
      load(path(file));
      ADD_FAILURE() << file << " is read";
    } catch (const Error& error) {
      EXPECT_EQ(error.label(), "S002") << file;
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }

  /// The program that a file is read to.
  static ops::Program program_of(const std::string& file) {
    const Loaded loaded = load(path(file));
    ops::Types types;
    for (const LoadedArray& each : loaded.parameters()) types.emplace_back(each.dtype, each.shape);
    return trace(types, [&](const Arrays& inputs) { return Arrays(loaded(inputs)); }).program;
  }

  static bool has_numbers(const nlohmann::json& program) {
    return program["form"] != "cuda" && (has_fft() || program["name"] != "fourier");
  }

  static fs::path folder_;
  static nlohmann::json index_;
};
fs::path jax_corpus::folder_;
nlohmann::json jax_corpus::index_;

/// On the devices that XLA drives, without Python.
TEST_F(jax_corpus, gives_the_numbers_of_jax_on_xla) {
  const std::string plugin = real_plugin_path();
  if (plugin.empty()) {
    ASSERT_FALSE(std::getenv("TUTTI_REQUIRE_ORACLES")) << "there is no PJRT plugin";
    GTEST_SKIP() << "there is no PJRT plugin (make setup installs one)";
  }
  for (const nlohmann::json& program : index_) {
    const std::string name = program["name"];
    if (!has_numbers(program) || refused.contains(name)) continue;
    const auto open = [&](const Mesh& mesh) { return open_xla(mesh, {.plugin = plugin}); };
    expect_numbers(program, name + ".mlir", open);
  }
}

/// MLIR reads what is written here, in both forms, as the module that it was.
TEST_F(jax_corpus, is_written_as_it_was_read) {
  for (const nlohmann::json& program : index_)
    for (const std::string form : program["forms"]) {
      const std::string name = program["name"], file = name + form + ".mlir";
      const std::string text = text_of_file(path(file));
      const stablehlo::Parsed parsed = stablehlo::parse(text, file.c_str());
      ASSERT_TRUE(parsed.errors.empty()) << parsed.errors[0].what();
      const std::string pretty = stablehlo::write(parsed.module, {stablehlo::TextForm::pretty});
      const std::string generic = stablehlo::write(parsed.module);
      EXPECT_EQ(Oracle::shared().differences({text, pretty, generic}), std::vector<std::string>()) << file;
      for (const std::string& written : {pretty, generic})
        EXPECT_TRUE(stablehlo::parse(written, "written").module == parsed.module) << file;
    }
}

TEST_F(jax_corpus, gives_the_numbers_of_jax_in_every_form) {
  std::set<std::string> seen;
  int with_numbers = 0;
  for (const nlohmann::json& program : index_) {
    if (!has_numbers(program)) continue;
    const std::string name = program["name"];
    ++with_numbers;
    for (const std::string form : program["forms"]) {
      const std::string file = name + form + ".mlir";
      if (const auto found = refused.find(name); found != refused.end()) {
        seen.insert(name);
        expect_refused(file, found->second);
      } else {
        try {
          expect_numbers(program, file);
        } catch (const Error& error) {
          ADD_FAILURE() << file << ": " << error.what();
        }
      }
    }
  }
  EXPECT_EQ(with_numbers, 69);
  EXPECT_EQ(seen.size(), refused.size());
}

TEST_F(jax_corpus, reads_programs_for_other_platforms) {
  int without_numbers = 0;
  for (const nlohmann::json& program : index_) {
    if (has_numbers(program)) continue;
    ++without_numbers;
    const std::string text = text_of_file(path(std::string(program["name"]) + ".mlir"));
    EXPECT_TRUE(stablehlo::parse(text, "text").errors.empty()) << program["name"];
  }
  EXPECT_EQ(without_numbers, 5);
}

TEST_F(jax_corpus, holds_where_maps_take_values_as_equal) {
  for (const nlohmann::json& program : index_) {
    const std::string name = program["name"];
    if (!has_numbers(program) || refused.contains(name) || program["check_vma"]) continue;
    expect_numbers(program, name + ".mlir",
                   [](const Mesh& mesh) { return open_local(mesh, {.check_assumptions = true}); });
  }
}

/// Generic and pretty forms are one program, and what we write reads back as the same module.
TEST_F(jax_corpus, is_one_module_in_all_spellings) {
  for (const nlohmann::json& program : index_) {
    const std::string name = program["name"];
    for (const std::string form : program["forms"]) {
      const std::string text = text_of_file(path(name + form + ".mlir"));
      const stablehlo::Parsed parsed = stablehlo::parse(text, "text");
      ASSERT_TRUE(parsed.errors.empty()) << name << form << ": " << parsed.errors[0].what();
      const std::string written = stablehlo::write(parsed.module, {.locations = true});
      const stablehlo::Parsed again = stablehlo::parse(written, "written");
      ASSERT_TRUE(again.errors.empty()) << name << form << ": " << again.errors[0].what();
      EXPECT_TRUE(again.module == parsed.module) << name << form;
      EXPECT_EQ(stablehlo::write(again.module, {.locations = true}), written) << name << form;
    }
    if (refused.contains(name) || program["form"] != "lower") continue;
    EXPECT_EQ(program_of(name + ".generic.mlir"), program_of(name + ".mlir")) << name;
  }
}

}  // namespace
}  // namespace tutti
