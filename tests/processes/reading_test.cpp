// SPDX-License-Identifier: Apache-2.0
// The memory that reading a file takes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/processes/counted_memory.hpp"
#include "tests/support/command.hpp"
#include "tutti/base/error.hpp"
#include "tutti/tensor/files/npy.hpp"
#include "tutti/tensor/files/npz.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t mib = 1 << 20, array_bytes = 32 * mib;

class reading : public testing::Test {
 protected:
  reading() { fs::create_directories(folder_); }
  ~reading() override { fs::remove_all(folder_); }

  std::string folder_ = fs::temp_directory_path() / ("tutti_reading_" + std::to_string(getpid()));
  std::string file_ = folder_ + "/file";
};

/// Writes 32 MiB of zeros with a header of 128 bytes, alone or in an archive.
void write_zeros(const std::string& path, const std::string& how) {
  const std::string code =
      "import sys, zipfile, struct\n"
      "path, how, shape, fortran = sys.argv[1:]\n"
      "text = \"{'descr': '<f4', 'fortran_order': %s, 'shape': %s, }\" % (fortran, shape)\n"
      "head = b'\\x93NUMPY\\1\\0' + struct.pack('<H', 118) + text.ljust(117).encode() + b'\\n'\n"
      "data = head + bytes(32 << 20)\n"
      "if how == 'npy': open(path, 'wb').write(data)\n"
      "else: zipfile.ZipFile(path, 'w', getattr(zipfile, how)).writestr('w.npy', data)\n";
  const std::string script = path + ".py";
  std::ofstream(script) << code;
  const Finished run = run_command("/usr/bin/python3 " + script + " " + path + " " + how);
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST_F(reading, takes_the_memory_of_the_array_and_a_mebibyte) {
  for (const char* how : {"npy '(4096, 2048)' False", "npy '(4096, 2048)' True", "npy '(2, 4194304)' True",
                          "ZIP_STORED '(4096, 2048)' False", "ZIP_DEFLATED '(4096, 2048)' False",
                          "ZIP_DEFLATED '(4096, 2048)' True"}) {
    write_zeros(file_, how);
    count_from_here();
    const Tensor tensor = how[0] == 'n' ? read_npy(file_) : read_npz(file_).at(0).second;
    EXPECT_LE(most_bytes(), array_bytes + mib) << how;
    EXPECT_EQ(tensor.bytes(), array_bytes) << how;
  }
}

// The archive rightly says 32 MiB, but the array's header says another size: refused before memory is taken.
TEST_F(reading, takes_no_memory_for_an_entry_of_another_size_than_its_header_says) {
  for (const char* how : {"ZIP_STORED '(4096, 2049)' False", "ZIP_DEFLATED '(4096, 2047)' False",
                          "ZIP_DEFLATED '(1000000000,)' True"}) {
    write_zeros(file_, how);
    count_from_here();
    EXPECT_THROW(read_npz(file_), Error) << how;
    EXPECT_LE(most_bytes(), mib) << how;
  }
}

}  // namespace
}  // namespace tutti
