// SPDX-License-Identifier: Apache-2.0
// The program hdf5 as a user runs it. It is there if CMake found HDF5.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/examples/bad_command.hpp"
#include "tests/support/command.hpp"
#include "tests/support/file_text.hpp"

namespace {

using namespace tutti;
using examples::BadCommand;
namespace fs = std::filesystem;

constexpr int rows = 1200, columns = 6;
using Matrix = std::vector<double>;  // row-major

// The dataset that the program writes if none is given.
Matrix measurements() {
  Matrix values;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      values.push_back(10 * column + (column + 1) * std::sin(0.37 * row * (column + 1)));
  return values;
}

Matrix scaled(Matrix values) {
  for (int column = 0; column < columns; ++column) {
    double sum = 0, squares = 0;
    for (int row = 0; row < rows; ++row) sum += values[row * columns + column];
    for (int row = 0; row < rows; ++row) squares += std::pow(values[row * columns + column] - sum / rows, 2);
    for (int row = 0; row < rows; ++row) {
      double& value = values[row * columns + column];
      value = (value - sum / rows) / std::sqrt(squares / rows);
    }
  }
  return values;
}

// Sums of 1200 numbers of at most 56 and quotients of them: far fewer roundings than this allows.
constexpr double bound = 1e-10;

bool is_at(const std::string& file, std::size_t place, const Matrix& expected) {
  for (double number : expected) {
    double found;
    std::memcpy(&found, file.data() + place, sizeof found);
    if (!(std::abs(found - number) <= bound)) return false;
    place += sizeof found;
  }
  return true;
}

// HDF5 stores a dataset without chunks in one piece of the file.
bool holds(const std::string& file, const Matrix& expected) {
  const std::size_t bytes = expected.size() * sizeof(double);
  for (std::size_t place = 0; place + bytes <= file.size(); place += 8)
    if (is_at(file, place, expected)) return true;
  return false;
}

class hdf5 : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(program_folder() + "/hdf5"))
      GTEST_SKIP() << "the example hdf5 is not built: CMake found no HDF5 (libhdf5-dev)";
    fs::create_directory(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  Finished run(const std::string& options) const {
    return run_command("cd '" + folder + "' && " + program_folder() + "/hdf5 " + options);
  }
  std::string bytes_of(const std::string& name) const { return text_of_file(folder + "/" + name); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder + "/" + name, std::ios::binary) << text;
  }

  const std::string folder = testing::TempDir() + "tutti-hdf5-" + std::to_string(::getpid());
};

TEST_F(hdf5, scales_the_columns_on_any_mesh_and_copies_no_argument) {
  for (const char* mesh : {"rows=4,columns=2", "rows=1,columns=1", "rows=50,columns=1", "rows=3,columns=6"}) {
    const Finished done = run(std::string("--mesh ") + mesh);
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_NE(done.out.find("copied into place: 0 B by 1 call, by the last one nothing\n"), std::string::npos)
        << done.out;
    EXPECT_TRUE(holds(bytes_of("measurements.h5"), measurements())) << mesh;
    EXPECT_TRUE(holds(bytes_of("scaled.h5"), scaled(measurements()))) << mesh;
  }
}

TEST_F(hdf5, reads_what_it_wrote) {
  ASSERT_EQ(run("").status, 0);
  const Finished done = run("scaled.h5 --write again.h5");
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_NE(done.out.find("deviations: [1. 1. 1. 1. 1. 1.]\n"), std::string::npos) << done.out;
  EXPECT_TRUE(holds(bytes_of("again.h5"), scaled(measurements())));
}

TEST_F(hdf5, leaves_the_old_file_if_it_cannot_read_or_write) {
  ASSERT_EQ(run("").status, 0);
  write("old.h5", "old");
  write("cut.h5", bytes_of("measurements.h5").substr(0, 30000));
  const Finished unread = run("cut.h5 --write old.h5");
  EXPECT_EQ(unread.status, 4);
  EXPECT_TRUE(unread.err.starts_with("hdf5: error[R001]: 'cut.h5' cannot be read: truncated file"))
      << unread.err;
  const Finished unwritten = run_command("cd '" + folder + "' && ulimit -f 20 && " + program_folder() +
                                         "/hdf5 measurements.h5 --write old.h5");
  EXPECT_EQ(unwritten.status, 4) << unwritten.out;
  EXPECT_TRUE(unwritten.err.starts_with("hdf5: error[R001]: 'old.h5' cannot be written: ")) << unwritten.err;
  EXPECT_NE(unwritten.err.find("File too large"), std::string::npos) << unwritten.err;
  EXPECT_EQ(bytes_of("old.h5"), "old");
}

TEST_F(hdf5, refuses_with_one_clear_line) {
  ASSERT_EQ(run("").status, 0);
  ASSERT_EQ(run("--dataset means").status, 1);
  fs::rename(folder + "/measurements.h5", folder + "/named.h5");
  write("text.h5", "no HDF5");
  for (const BadCommand& bad :
       {BadCommand{"nowhere.h5", "'nowhere.h5' cannot be read: No such file or directory\n", 4},
        BadCommand{"text.h5", "'text.h5' cannot be read: file signature not found\n", 4},
        BadCommand{"scaled.h5 --dataset x", "'scaled.h5' has no dataset 'x': object 'x' doesn't exist\n", 4},
        BadCommand{"scaled.h5 --dataset means",
                   "'scaled.h5' has 1 dim in its dataset 'means'; rows and columns are needed\n", 4},
        BadCommand{"named.h5 --dataset means", "the dataset 'means' has the name of a result", 1},
        BadCommand{"scaled.h5 --mesh rows=7,columns=1",
                   "empty: dim 0 of f64[1200,6] does not split over the 7 devices of 'rows'; pad it or use "
                   "another dim\n",
                   2},
        BadCommand{"--write /dev/full", "'/dev/full' is a device or pipe", 4},
        BadCommand{"--write no/folder.h5", "'no/folder.h5' cannot be written: No such file or directory\n",
                   4},
        BadCommand{"--workers x", "--workers", 1}}) {
    const Finished done = run(bad.options);
    EXPECT_EQ(done.status, bad.status) << bad.options;
    EXPECT_NE(done.err.find(bad.error), std::string::npos) << done.err;
    EXPECT_EQ(done.err.find('\n'), done.err.size() - 1) << done.err;
  }
}

}  // namespace
