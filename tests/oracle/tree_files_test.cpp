// SPDX-License-Identifier: Apache-2.0
// Files of trees: NumPy reads what we write, and the reverse.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/command.hpp"
#include "tests/support/oracle.hpp"
#include "tutti/tensor/files/npz.hpp"
#include "tutti/tree/tree_file.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

class tree_files : public OracleTest {
 protected:
  tree_files() : folder_(fs::temp_directory_path() / ("tutti_tree_files_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~tree_files() override { fs::remove_all(folder_); }
  std::string path() const { return (folder_ / "x.npz").string(); }

  /// Runs a Python script with NumPy; `path` is the file.
  std::string python(const std::string& script) const {
    const fs::path file = folder_ / "script.py";
    std::ofstream(file) << "import numpy as np\npath = '" << path() << "'\n" << script;
    const char* named = std::getenv("TUTTI_PYTHON");
    Finished run =
        run_command((named == nullptr ? ".venv/bin/python" : std::string(named)) + " " + file.string());
    EXPECT_EQ(run.err, "");
    return run.out;
  }

  fs::path folder_;
};

struct Layer {
  Array weight;
  std::optional<Array> bias;
};

TEST_F(tree_files, of_ours_are_opened_by_numpy) {
  std::map<std::string, std::vector<Layer>> model;
  model["layers"] = {{Tensor(Shape{2, 3}, std::vector<float>{0, 1, 2, 3, 4.5, -5}), Tensor({0}, DType::f64)},
                     {Tensor::scalar(std::int64_t{1} << 40), std::nullopt}};
  save_tree(path(), model);
  EXPECT_EQ(python("file = np.load(path)\n"
                   "for name in file.files: print(name, file[name].dtype, file[name].tolist())\n"
                   "import zipfile; print(zipfile.ZipFile(path).testzip())\n"),
            "layers[0].weight float32 [[0.0, 1.0, 2.0], [3.0, 4.5, -5.0]]\n"
            "layers[0].bias float64 []\n"
            "layers[1].weight int64 1099511627776\n"
            "None\n");
}

TEST_F(tree_files, of_numpy_are_read_stored_and_deflated) {
  std::map<std::string, Array> like{{"w", abstract({2, 3}, DType::f32)},
                                    {"flags", abstract({3}, DType::boolean)}};
  for (const char* save : {"savez", "savez_compressed"}) {
    python(std::string("np.") + save +
           "(path, flags=np.array([True, False, True]),\n"
           "  w=np.asfortranarray(np.arange(6, dtype='>f4').reshape(2, 3) / 4))\n");
    std::map<std::string, Array> found = load_tree(path(), like);
    EXPECT_EQ(found["w"].tensor(), Tensor(Shape{2, 3}, std::vector<float>{0, 0.25, 0.5, 0.75, 1, 1.25}))
        << save;
    EXPECT_EQ(found["flags"].tensor(), Tensor(Shape{3}, std::vector<bool>{true, false, true})) << save;
  }
}

TEST_F(tree_files, of_numpy_that_are_large_are_read) {
  python("np.savez_compressed(path, np.arange(3_000_000) % 1000)\n");
  Tensor found = load_tree(path(), abstract({3'000'000}, DType::i64)).tensor();
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < found.elements(); ++i)
    wrong += found.as<std::int64_t>()[static_cast<std::size_t>(i)] != i % 1000;
  EXPECT_EQ(wrong, 0);
}

TEST_F(tree_files, of_safetensors_are_read_by_its_library_and_the_reverse) {
  if (python("import importlib.util as u; print(u.find_spec('safetensors') is not None)\n") != "True\n")
    GTEST_SKIP() << "there is no safetensors in .venv";
  const std::string file = (folder_ / "x.safetensors").string();
  std::map<std::string, Array> ours{{"half", Tensor({2}, {bf16(1.5F), bf16(-2.0F)})},
                                    {"w", Tensor({2, 3}, {0.0F, 1.0F, 2.0F, 3.0F, 4.5F, -5.0F})},
                                    {"flags", Tensor({3}, std::vector<bool>{true, false, true})},
                                    {"step", Tensor::scalar(std::int64_t{1} << 40)}};
  save_tree(file, ours);
  EXPECT_EQ(
      python(
          "import ml_dtypes\n"
          "from safetensors import safe_open\n"
          "from safetensors.numpy import load_file, save_file\n"
          "path = path.replace('.npz', '.safetensors')\n"
          "with safe_open(path, 'np') as f: print(sorted(f.keys()))\n"
          "w = load_file(path)\n"
          "for name in sorted(w): print(name, w[name].dtype, w[name].tolist())\n"
          "save_file({k: v + v if v.dtype != bool else v for k, v in w.items()}, path, {'made': 'here'})\n"),
      "['flags', 'half', 'step', 'w']\n"
      "flags bool [True, False, True]\n"
      "half bfloat16 [1.5, -2.0]\n"
      "step int64 1099511627776\n"
      "w float32 [[0.0, 1.0, 2.0], [3.0, 4.5, -5.0]]\n");
  std::map<std::string, Array> theirs = load_tree(file, ours);
  EXPECT_EQ(theirs["half"].tensor(), Tensor({2}, {bf16(3.0F), bf16(-4.0F)}));
  EXPECT_EQ(theirs["w"].tensor(), Tensor({2, 3}, {0.0F, 2.0F, 4.0F, 6.0F, 9.0F, -10.0F}));
  EXPECT_EQ(theirs["step"].item(), 2199023255552.0);
}

}  // namespace
}  // namespace tutti
