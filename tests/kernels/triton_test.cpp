// SPDX-License-Identifier: Apache-2.0
// Triton 3.9.0 compiles our texts, and prints what our parser reads. `make triton` installs it, and runs this
// with TUTTI_TRITON=all for all goldens; else ten are compiled.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/kernels/goldens.hpp"
#include "tests/kernels/parse/kernel_from_text.hpp"
#include "tests/support/command.hpp"
#include "tests/support/file_text.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/kernels/ir/text.hpp"

namespace tutti::kernels {
namespace {

namespace fs = std::filesystem;

constexpr const char* python = ".venv-triton/bin/python";

bool compiles_all() {
  const char* asked = std::getenv("TUTTI_TRITON");
  return asked != nullptr && std::string_view(asked) == "all";
}

/// A folder for tools/compile_goldens; it goes with the object.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("tutti_triton_{}", getpid())) {
    fs::remove_all(path_);
    for (const char* target : {"nvidia", "amd"}) fs::create_directories(path_ / target);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path file(Target target, const std::string& entry, std::string_view ending) const {
    return path_ / name(target) / (entry + std::string(ending));
  }
  void add(const Golden& golden, const Function& kernel, const std::optional<GoldenLine>& line) const {
    Manifest manifest = golden.manifest;
    manifest.needs = {.hidden_pointers = 2};
    const Target target = manifest.target;
    std::ofstream(file(target, kernel.name, ".ttir")) << triton_text(kernel);
    if (target == Target::nvidia)
      std::ofstream(file(target, kernel.name, ".generic.ttir")) << mlir_generic_text(kernel);
    const std::optional<std::int64_t> shared = line ? line->shared_bytes : std::nullopt;
    std::ofstream(path_ / "kernels.txt", std::ios::app)
        << fmt::format("{} {} {} {} {} {} {}\n", kernel.name, name(target), manifest.launch.warps,
                       manifest.arguments.size(), manifest.needs.hidden_pointers,
                       manifest.needs.scratch_bytes, shared ? fmt::format("{}", *shared) : "-");
  }
  Finished compile() const {
    return run_command(fmt::format("{} tools/compile_goldens {}", python, path_.string()));
  }
  std::string shared() const { return text_of_file(path_ / "shared.txt"); }

 private:
  fs::path path_;
};

/// In a rewritten list, what Triton said of each kernel.
void note_shared_memory(const std::string& shared) {
  std::vector<GoldenLine> lines = golden_lines();
  std::istringstream text(shared);
  std::string entry, target;
  for (std::int64_t bytes = 0; text >> entry >> target >> bytes;)
    for (GoldenLine& line : lines)
      if (line.entry == entry && line.target == target) line.shared_bytes = bytes;
  write_golden_list(lines);
}

/// Triton numbers the arguments.
Function with_numbered_arguments(Function function) {
  for (std::size_t i = 0; i < function.arguments.size(); ++i)
    function.arguments[i].name = fmt::format("arg{}", i);
  return function;
}

#define SKIP_WITHOUT_TRITON() \
  if (!fs::exists(python)) GTEST_SKIP() << "Triton is not installed: make triton"

TEST(triton, compiles_goldens_and_its_metadata_equal_the_manifests) {
  SKIP_WITHOUT_TRITON();
  const std::vector<GoldenLine> lines = golden_lines();
  const Folder folder;
  for (Target target : {Target::nvidia, Target::amd}) {
    const std::vector<Golden> shown = goldens(Target::nvidia), all = goldens(target);
    for (const Golden& golden : all) {
      const bool is_shown = std::ranges::any_of(shown, [&](const Golden& other) {
        return other.is_shown && other.manifest.name == golden.manifest.name;
      });
      if (!is_shown && !compiles_all()) continue;
      for (const Function& kernel : golden.kernels)
        folder.add(golden, kernel, golden_line(lines, kernel.name, target));
    }
  }
  const Finished run = folder.compile();
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  if (compiles_all()) {
    fmt::print("{}", run.out);
    if (run.status == 0) note_shared_memory(folder.shared());
  }
  int printed_kernels = 0;
  for (const Golden& golden : goldens(Target::nvidia))
    for (const Function& kernel : golden.kernels) {
      const fs::path printed = folder.file(Target::nvidia, kernel.name, ".printed.ttir");
      if (!fs::exists(printed)) continue;
      ++printed_kernels;
      EXPECT_EQ(triton_text(kernel_from_text(text_of_file(printed))),
                triton_text(with_numbered_arguments(kernel)))
          << kernel.name;
    }
  EXPECT_GE(printed_kernels, compiles_all() ? 100 : 10);
}

// The gate sees what it is there for: a text that Triton refuses, and a manifest that says another number.
TEST(triton, faults_are_named) {
  SKIP_WITHOUT_TRITON();
  const std::vector<Golden> all = goldens(Target::amd);
  Golden golden = all.front();
  const Function& kernel = golden.kernels.front();
  const Folder folder;
  golden.manifest.launch.warps *= 2;
  golden.manifest.arguments.pop_back();
  folder.add(golden, kernel, GoldenLine{kernel.name, "amd", "", 12345});
  Finished run = folder.compile();
  EXPECT_NE(run.status, 0);
  EXPECT_NE(run.out.find(fmt::format("{} for gfx942: arguments is", kernel.name)), std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("the manifest says 12345"), std::string::npos) << run.out;

  const Function& other = all[1].kernels.front();
  folder.add(all[1], other, std::nullopt);
  std::ofstream(folder.file(Target::amd, other.name, ".ttir"))
      << "module { tt.func public @k() { tt.oops } }";
  run = folder.compile();
  EXPECT_NE(run.status, 0);
  EXPECT_NE(run.out.find(other.name + " (amd): "), std::string::npos) << run.out;
  EXPECT_NE(run.err.find("tt.oops"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace tutti::kernels
