// SPDX-License-Identifier: Apache-2.0
// Whole programs that JAX has lowered and exported (jax_programs.py): their numbers, and gradients that are
// taken here of the programs as they were read.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "examples/digits_model.hpp"
#include "examples/support/digits_data.hpp"
#include "examples/support/random.hpp"
#include "tests/support/command.hpp"
#include "tests/support/file_text.hpp"
#include "tests/support/oracle.hpp"
#include "tutti/tensor/files/npy.hpp"
#include "tutti/tensor/files/npz.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

class jax_programs : public OracleTest {
 protected:
  static void SetUpTestSuite() {
    if (!Oracle::shared().missing().empty()) return;
    folder_ = fs::temp_directory_path() / ("tutti_programs_" + std::to_string(::getpid()));
    const char* named = std::getenv("TUTTI_PYTHON");
    const std::string python = named == nullptr ? ".venv/bin/python" : named;
    const Finished run = run_command(python + " tests/oracle/jax_programs.py " + folder_.string());
    ASSERT_EQ(run.status, 0) << run.err;
    index_ = nlohmann::json::parse(text_of_file(path("index.json")));
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static std::string path(const std::string& file) { return (folder_ / file).string(); }

  static Tensors tensors(const std::string& file) {
    Tensors all;
    for (auto& [name, tensor] : read_npz(path(file))) all.push_back(tensor);
    return all;
  }
  static std::vector<Array> arguments(const std::string& name) {
    const Tensors all = tensors(name + ".in.npz");
    return {all.begin(), all.end()};
  }

  /// Each result differs by at most `allowed` of its largest number; integers by nothing.
  static void expect_close(const std::vector<Array>& found, const Tensors& expected, double allowed,
                           const std::string& what) {
    ASSERT_EQ(found.size(), expected.size()) << what;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const Tensor ours = found[k].tensor(), &theirs = expected[k];
      ASSERT_EQ(ours.shape(), theirs.shape()) << what;
      ASSERT_EQ(ours.dtype(), theirs.dtype()) << what;
      double largest = 1e-30, worst = 0;
      for (std::int64_t i = 0; i < ours.elements(); ++i) largest = std::max(largest, std::abs(theirs.at(i)));
      for (std::int64_t i = 0; i < ours.elements(); ++i)
        worst = std::max(worst, std::abs(ours.at(i) - theirs.at(i)));
      EXPECT_LE(worst, is_float(ours.dtype()) ? allowed * largest : 0) << what << ", result " << k;
    }
  }

  static std::vector<std::string> names(const char* kind) { return index_.at(kind); }

  static fs::path folder_;
  static nlohmann::json index_;
};
fs::path jax_programs::folder_;
nlohmann::json jax_programs::index_;

TEST_F(jax_programs, have_the_numbers_of_jax) {
  for (const char* kind : {"programs", "forward"})
    for (const std::string& name : names(kind))
      for (const char* form : {"", ".export"}) {
        const Loaded program = load(path(name + form + ".mlir"));
        const std::vector<Array> inputs = arguments(name);
        const auto run = open_local(program.mesh()).compile(program, inputs);
        expect_close(run(inputs), tensors(name + ".out.npz"), 2e-5, name + form);
      }
}

TEST_F(jax_programs, have_gradients_without_jax) {
  for (const std::string& name : names("forward")) {
    const Loaded program = load(path(name + ".mlir"));
    const auto loss = [&](const std::vector<Array>& inputs) { return program(inputs)[0]; };
    const std::vector<Array> inputs = arguments(name);
    const auto run = open_local(program.mesh()).compile(grad(loss), inputs);
    expect_close(run(inputs), tensors(name + ".grad.npz"), 2e-5, name);
  }
}

/// A loop of JAX that counts is a scan here: it has a gradient and is as fast as one.
TEST_F(jax_programs, loop_by_scans) {
  for (const char* name : {"transformer_scan", "ring_attention", "ring_in_a_scan"}) {
    const Loaded program = load(path(std::string(name) + ".mlir"));
    const auto run = open_local(program.mesh()).compile(program, arguments(name));
    const std::string text = to_string(run.program());
    EXPECT_NE(text.find(" = scan{"), std::string::npos) << name;
    EXPECT_EQ(text.find(" = while{"), std::string::npos) << name;
  }
}

/// vmap of a program gives the bits of single calls.
TEST_F(jax_programs, map_over_lanes) {
  for (const std::string& name : names("forward")) {
    const Loaded program = load(path(name + ".mlir"));
    const std::vector<Array> inputs = arguments(name);
    std::vector<Array> other, both;
    for (const Array& input : inputs) {
      const Tensor first = input.tensor();
      Tensor second(first.shape(), first.dtype());
      for (std::int64_t i = 0; i < first.elements(); ++i)
        second.mutable_data<float>()[i] =
            first.as<float>()[static_cast<std::size_t>((3 * i + 1) % first.elements())];
      std::vector<std::int64_t> shape = first.shape().sizes();
      shape.insert(shape.begin(), 2);
      Tensor stacked(Shape(shape), first.dtype());
      std::copy_n(first.as<float>().begin(), first.elements(), stacked.mutable_data<float>());
      std::copy_n(second.as<float>().begin(), first.elements(),
                  stacked.mutable_data<float>() + first.elements());
      other.emplace_back(second);
      both.emplace_back(stacked);
    }
    const Machine machine = open_local(program.mesh());
    const auto run = machine.compile(program, inputs);
    const auto lanes = machine.compile(vmap(program), both);
    const Tensor first = run(inputs)[0].tensor(), second = run(other)[0].tensor(),
                 found = lanes(both)[0].tensor();
    EXPECT_EQ(found.at(0), first.at(0)) << name;
    EXPECT_EQ(found.at(1), second.at(0)) << name;
  }
}

/// The tool gives the bits of one process on two.
TEST_F(jax_programs, run_on_processes) {
  if (run_command("command -v mpirun").status != 0) GTEST_SKIP() << "mpirun is missing (openmpi-bin)";
  const std::string tool = program_folder() + "/tutti",
                    two = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                          "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 timeout 300 "
                          "mpirun --bind-to none -n 2 " +
                          tool;
  for (const std::string name : {"ring_attention", "digits_step"}) {
    const std::string words = " run " + path(name + ".mlir") + " --in " + path(name + ".in.npz") + " --out ";
    const Finished one = run_command(tool + words + path("one.npz"));
    ASSERT_EQ(one.status, 0) << one.err;
    const Finished both = run_command(two + words + path("two.npz") + " --machine mpi");
    ASSERT_EQ(both.status, 0) << both.out << both.err;
    EXPECT_EQ(tensors("two.npz"), tensors("one.npz")) << name;
  }
}

/// A script that calls the tool once a step, with the results of the step before, trains the digits.
TEST_F(jax_programs, train_by_the_tool) {
  constexpr int steps = 250;
  constexpr std::size_t batch = 256;
  const digits::Data data = digits::read_data("examples/data/digits.csv.gz");
  auto [training, held_out] = digits::split(data);
  examples::Random random(2026);
  const std::vector<Tensor> start{random.uniform({64, 128}, std::sqrt(6.0 / 64)), Tensor({128}, DType::f32),
                                  random.uniform({128, 10}, std::sqrt(6.0 / 128)), Tensor({10}, DType::f32)};
  std::string command = program_folder() + "/tutti run " + path("digits_step.mlir"), in, out;
  for (int k = 0; k < 8; ++k) {
    const Tensor& like = start[static_cast<std::size_t>(k % 4)];
    const std::string file = path("state" + std::to_string(k) + ".npy");
    write_npy(file, k < 4 ? like : Tensor(like.shape(), DType::f32));
    in += " --in " + file;
    out += " --out " + file;
  }
  command +=
      in + " --in " + path("images.npy") + " --in " + path("labels.npy") + " --out " + path("loss.npy") + out;
  std::size_t next = training.size();
  for (int step = 0; step < steps; ++step, next += batch) {
    if (next + batch > training.size()) {
      random.shuffle(training);
      next = 0;
    }
    const std::span<const std::size_t> rows(training.data() + next, batch);
    write_npy(path("images.npy"), data.images_of(rows));
    write_npy(path("labels.npy"), data.labels_of(rows));
    const Finished run = run_command(command);
    ASSERT_EQ(run.status, 0) << run.err;
  }
  digits::Params params;
  Array* leaves[] = {&params.w1, &params.b1, &params.w2, &params.b2};
  for (int k = 0; k < 4; ++k) *leaves[k] = read_npy(path("state" + std::to_string(k) + ".npy"));
  const Mesh mesh({{"data", 4}, {"model", 2}});
  const Array images = data.images_of(held_out);
  const Tensor scores =
      open_local(mesh).compile(digits::sharded_logits(mesh), params, images)(params, images).tensor();
  int right = 0;
  for (std::size_t row = 0; row < held_out.size(); ++row) {
    const std::span<const float> of_row = scores.as<float>().subspan(row * 10, 10);
    right += std::ranges::max_element(of_row) - of_row.begin() == data.labels[held_out[row]] ? 1 : 0;
  }
  EXPECT_GE(right, 0.96 * static_cast<double>(held_out.size()));
}

}  // namespace
}  // namespace tutti
