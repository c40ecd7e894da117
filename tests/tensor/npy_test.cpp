// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/files/npy.hpp"
#include "tutti/base/inside.hpp"

#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <fstream>

#include "tests/support/file_text.hpp"
#include "tests/tensor/element_values.hpp"
#include "tests/tensor/file_test.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

class npy : public FileTest {
 protected:
  npy() : FileTest("npy") {}

  std::string written(const std::string& content) const {
    std::ofstream(path(), std::ios::binary) << content;
    return path();
  }
  std::string refusal_of(const std::string& content) const {
    const std::string file = written(content);
    return refusal(file, [&] { read_npy(file); });
  }
};

std::string file_of(const std::string& header, const std::string& data, char version = 1) {
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte)
    text += static_cast<char>(header.size() >> (8 * byte) & 255);
  return text + header + data;
}

std::string header_of(const std::string& descr, const std::string& shape,
                      const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }          \n";
}

template <class T>
std::string text_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <class T>
std::string reversed_text_of(const std::vector<T>& values) {
  std::string text = text_of(values);
  for (std::size_t i = 0; i < text.size(); i += sizeof(T))
    std::reverse(text.begin() + long(i), text.begin() + long(i + sizeof(T)));
  return text;
}

template <class T>
Tensor tensor_of(Shape shape, std::uint64_t seed) {
  Tensor tensor(shape, dtype_of<T>());
  const auto values = spread_values<T>(std::size_t(tensor.elements()), seed);
  std::copy(values.begin(), values.end(), tensor.mutable_data<Stored<T>>());
  return tensor;
}

TEST_F(npy, reads_what_it_writes_for_every_dtype_and_shape) {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{1}, Shape{7}, Shape{3, 0, 2}, Shape{2, 3},
                             Shape{2, 3, 4, 5}, Shape{1, 1, 1}})
    for (DType dtype : arithmetic_dtypes())
      with_type(dtype, [&]<class T>(T) {
        const Tensor tensor = tensor_of<T>(shape, 3);
        write_npy(path(), tensor);
        EXPECT_TRUE(read_npy(path()) == tensor) << name(dtype) << '[' << to_string(shape) << ']';
      });
}

// As np.save of JAX's bfloat16 writes, which NumPy has no name for.
TEST_F(npy, holds_16_bit_floats_and_complex_numbers) {
  const Tensor half(Shape{3}, std::vector<f16>{f16(1.5F), f16(-0.0F), f16(65504.0F)}),
      brain(Shape{2}, std::vector<bf16>{bf16(1.5F), bf16(1e30F)}),
      single(Shape{2}, std::vector<std::complex<float>>{{1, -2}, {0.5F, 3}}),
      twice(Shape{1}, std::vector<std::complex<double>>{{1e300, -2}});
  for (const Tensor& tensor : {half, brain, single, twice}) {
    write_npy(path(), tensor);
    EXPECT_TRUE(read_npy(path()) == tensor) << name(tensor.dtype());
  }
  EXPECT_TRUE(read_npy(written(file_of(header_of("<f2", "(1,)"), std::string("\0\x3e", 2)))) ==
              Tensor(Shape{1}, std::vector<f16>{f16(1.5F)}));
  EXPECT_TRUE(read_npy(written(file_of(header_of("<V2", "(1,)"), std::string("\xc0\x3f", 2)))) ==
              Tensor(Shape{1}, std::vector<bf16>{bf16(1.5F)}));
  const std::string big_endian = {0x3f, char(0x80), 0, 0, char(0xc0), 0, 0, 0};
  EXPECT_TRUE(read_npy(written(file_of(header_of(">c8", "(1,)"), big_endian))) ==
              Tensor(Shape{1}, std::vector<std::complex<float>>{{1, -2}}));
}

TEST_F(npy, writes_the_header_that_numpy_writes) {
  write_npy(path(), Tensor(Shape{3}, std::vector<float>{1, 2, 3}));
  const std::string text = text_of_file(path());
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  header.append(128 - 10 - 1 - header.size() - 64 * (header.size() + 11 <= 64), ' ');
  header += '\n';
  EXPECT_EQ(text, file_of(header, text_of<float>({1, 2, 3})));
}

TEST_F(npy, leaves_no_other_file_behind) {
  write_npy(path(), Tensor::scalar(1.5F));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(npy, reads_versions_2_and_3_and_headers_in_other_spellings) {
  const std::string data = text_of<std::int32_t>({1, -2});
  const Tensor want(Shape{2}, std::vector<std::int32_t>{1, -2});
  for (char version : {1, 2, 3})
    EXPECT_TRUE(read_npy(written(file_of(header_of("<i4", "(2,)"), data, version))) == want);
  for (const char* header : {"{\"shape\":(2L,),\"descr\":\"<i4\",\"fortran_order\":False}",
                             "{'descr':'=i4','fortran_order':False,'shape':( 2 , )}\n\n"})
    EXPECT_TRUE(read_npy(written(file_of(header, data))) == want) << header;
  EXPECT_TRUE(read_npy(written(file_of(header_of("?", "()"), "\1"))) == Tensor::scalar(true));
}

TEST_F(npy, reads_big_endian_elements) {
  const std::vector<double> f64{1.5, -2e300};
  const std::vector<std::int32_t> i32{1, -2, 1 << 30};
  EXPECT_TRUE(read_npy(written(file_of(header_of(">f8", "(2,)"), reversed_text_of(f64)))) ==
              Tensor(Shape{2}, f64));
  EXPECT_TRUE(read_npy(written(file_of(header_of(">i4", "(3,)"), reversed_text_of(i32)))) ==
              Tensor(Shape{3}, i32));
}

TEST_F(npy, transposes_fortran_order) {
  const std::string data = text_of<float>({0, 3, 1, 4, 2, 5});  // 0 1 2 / 3 4 5 by columns
  EXPECT_TRUE(read_npy(written(file_of(header_of("<f4", "(2, 3)", "True"), data))) ==
              Tensor(Shape{2, 3}, std::vector<float>{0, 1, 2, 3, 4, 5}));
  std::vector<std::int64_t> by_columns(24), by_rows(24);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k)
        by_columns[std::size_t(i + 2 * j + 6 * k)] = by_rows[std::size_t(12 * i + 4 * j + k)] =
            100 * i + 10 * j + k;
  EXPECT_TRUE(read_npy(written(file_of(header_of("<i8", "(2, 3, 4)", "True"), text_of(by_columns)))) ==
              Tensor(Shape{2, 3, 4}, by_rows));
  EXPECT_TRUE(read_npy(written(file_of(header_of("<f4", "(2, 0)", "True"), ""))) ==
              Tensor(Shape{2, 0}, DType::f32));
}

// Larger than the pieces in which such a file is read, which end within a dim.
TEST_F(npy, transposes_large_arrays_of_fortran_order) {
  for (const Shape& shape : {Shape{2, 3, 70001}, Shape{300001, 2, 2}, Shape{70, 301, 11}, Shape{400003},
                             Shape{1, 5, 1, 90001, 1}}) {
    std::vector<std::int64_t> by_columns(std::size_t(shape.elements())), by_rows(by_columns.size());
    for (std::size_t i = 0; i < by_rows.size(); ++i) {
      std::int64_t rest = std::int64_t(i), at = std::int64_t(by_columns.size());  // from the innermost dim
      std::size_t to = 0;
      for (int dim = shape.rank() - 1; dim >= 0; --dim) {
        at /= shape[dim];
        to += std::size_t(rest % shape[dim] * at);
        rest /= shape[dim];
      }
      by_columns[to] = by_rows[i] = std::int64_t(i) * 7 + 1;
    }
    const std::string file =
        written(file_of(header_of("<i8", "(" + to_string(shape) + ",)", "True"), text_of(by_columns)));
    EXPECT_TRUE(read_npy(file) == Tensor(shape, by_rows)) << to_string(shape);
  }
}

// NumPy 2 has at most 64 dims, too.
TEST_F(npy, holds_arrays_of_64_dims_and_no_more) {
  std::vector<std::int64_t> sizes(64, 1);
  sizes[3] = 2;
  sizes[63] = 3;
  const Tensor tensor(Shape(sizes), std::vector<float>{1, 2, 3, 4, 5, 6});
  write_npy(path(), tensor);
  EXPECT_TRUE(read_npy(path()) == tensor);
  sizes.push_back(1);
  EXPECT_EQ(refusal(path(), [&] { write_npy(path(), tensor.reshaped(Shape(sizes))); }),
            "would hold an array of 65 dims; NumPy reads up to 64: reshape it first");
  EXPECT_TRUE(read_npy(path()) == tensor);
}

struct Damage {
  std::string name, content, message;
};

class npy_damage : public npy, public testing::WithParamInterface<Damage> {};

TEST_P(npy_damage, is_refused_with_what_was_found_and_expected) {
  EXPECT_EQ(refusal_of(GetParam().content), GetParam().message);
}

std::string shape_of_ones(int rank) {
  std::string text = "(";
  for (int i = 0; i < rank; ++i) text += "1,";
  return text + ")";
}

const std::string two_floats = text_of<float>({1, 2});
const std::string good = file_of(header_of("<f4", "(2,)"), two_floats);

INSTANTIATE_TEST_SUITE_P(
    all, npy_damage,
    testing::Values(
        Damage{"empty", "",
               "ends after 0 of the 8 bytes of its magic and version; the file is cut off, write it again"},
        Damage{"not_npy", "PK\3\4zipped things",
               "is not a .npy file: it does not start with \\x93NUMPY; write it with numpy.save"},
        Damage{"version", file_of("", "", 9), "has version 9.0 of the format; 1.0, 2.0 and 3.0 can be read"},
        Damage{"no_length", good.substr(0, 9),
               "ends after 1 of the 2 bytes of its header's length; the file is cut off, write it again"},
        Damage{"short_header", good.substr(0, 40),
               "ends after 30 of the 68 bytes of its header; the file is cut off, write it again"},
        Damage{"huge_header", std::string("\x93NUMPY\2\0\xff\xff\xff\x7f", 12),
               "has a header of 2147483647 bytes; expected at most a few hundred: it is damaged"},
        Damage{"no_data", good.substr(0, good.size() - 8),
               "has 0 bytes of data where f32[2] takes 8; the file is cut off or damaged, write it again"},
        Damage{"short_data", good.substr(0, good.size() - 3),
               "has 5 bytes of data where f32[2] takes 8; the file is cut off or damaged, write it again"},
        Damage{"more_data", good + "x",
               "has 9 bytes of data where f32[2] takes 8; the file is cut off or damaged, write it again"},
        Damage{"f24", file_of(header_of("<f3", "(2,)"), "123456"),
               "dtype '<f3' is not held here; bool, integers of 8 to 64 bits, float16, bfloat16, float32, "
               "float64, "
               "complex64 and complex128 are: convert it with "
               "astype"},
        Damage{"empty_dtype", file_of(header_of("", "(2,)"), "1234"),
               "dtype '' is not held here; bool, integers of 8 to 64 bits, float16, bfloat16, float32, "
               "float64, complex64 "
               "and complex128 are: convert it with astype"},
        Damage{"text", file_of(header_of("<U7", "(2,)"), "1234"),
               "dtype '<U7' is not held here; bool, integers of 8 to 64 bits, float16, bfloat16, float32, "
               "float64, "
               "complex64 and complex128 are: convert it with "
               "astype"},
        Damage{"record",
               file_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", two_floats),
               "records with fields are not held here; write one array per field"},
        Damage{"negative_size", file_of(header_of("<f4", "(-2,)"), two_floats),
               "the header has '-2,), }          ' at character 51 where a size of 0 or more is expected; "
               "the file is damaged, write it again"},
        Damage{"size_beyond_64_bits", file_of(header_of("<f4", "(99999999999999999999,)"), two_floats),
               "the header has '99999999999999999999' at character 51 where a size below 2^63 is expected; "
               "the file is damaged, write it again"},
        Damage{"shape_overflows", file_of(header_of("<f4", "(4611686018427387904, 4)"), two_floats),
               "has shape [4611686018427387904,4], more than 2^58 elements without its zeros; the file is "
               "damaged, write it again"},
        Damage{"empty_shape_overflows", file_of(header_of("<f4", "(4611686018427387904, 4, 0)"), ""),
               "has shape [4611686018427387904,4,0], more than 2^58 elements without its zeros; the file is "
               "damaged, write it again"},
        Damage{"empty_shape_of_more_elements_than_arrays_have",
               file_of(header_of("<f4", "(0, 288230376151711745)"), ""),
               "has shape [0,288230376151711745], more than 2^58 elements without its zeros; the file is "
               "damaged, write it again"},
        Damage{"control_characters", file_of("{'\x1b[2Jde\a': 1}", ""),
               "the header has the key '\\x1b[2Jde\\x07'; descr, fortran_order and shape are expected"},
        Damage{"long_key", file_of("{'" + std::string(60000, 'k') + "': 1}", ""),
               "the header has the key '" + std::string(100, 'k') +
                   "..'; descr, fortran_order and shape are expected"},
        Damage{"long_dtype", file_of(header_of(std::string(60000, 'd'), "(2,)"), ""),
               "dtype '" + std::string(100, 'd') +
                   "..' is not held here; bool, integers of 8 to 64 bits, float16, bfloat16, float32, "
                   "float64, complex64 and complex128 are: convert it with astype"},
        Damage{"long_header_without_keys", file_of("{" + std::string(60000, ' ') + "}", ""),
               "the header lacks descr, fortran_order or shape: {" + std::string(99, ' ') +
                   "..; the file is damaged, write it again"},
        Damage{"shape_too_large_for_file", file_of(header_of("<f8", "(1000000000000,)"), two_floats),
               "has 8 bytes of data where f64[1000000000000] takes 8000000000000; the file is cut off or "
               "damaged, write it again"},
        Damage{"rank_of_65", file_of(header_of("<f4", shape_of_ones(65)), two_floats),
               "has more than 64 dims, the most that NumPy holds; the file is damaged, write it again"},
        Damage{"rank_of_10000", file_of(header_of("<f4", shape_of_ones(10000), "True"), two_floats),
               "has more than 64 dims, the most that NumPy holds; the file is damaged, write it again"},
        Damage{"missing_key", file_of("{'descr': '<f4', 'shape': (2,)}", two_floats),
               "the header lacks descr, fortran_order or shape: {'descr': '<f4', 'shape': (2,)}; the file is "
               "damaged, write it again"},
        Damage{"unknown_key", file_of("{'colour': 'red'}", ""),
               "the header has the key 'colour'; descr, fortran_order and shape are expected"},
        Damage{"no_literal", file_of("what?", ""),
               "the header has 'what?' at character 0 where '{' is expected; the file is damaged, write it "
               "again"},
        Damage{"open_string", file_of("{'descr", ""),
               "the header has ''descr' at character 1 where a string is expected; the file is damaged, "
               "write it again"},
        Damage{"rest", file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} more", two_floats),
               "the header has 'more' at character 56 where the end is expected; the file is damaged, write "
               "it again"},
        Damage{"order", file_of(header_of("<f4", "(2,)", "Maybe"), two_floats),
               "the header has 'Maybe, 'shape': (2,)' at character 34 where True or False is expected; the "
               "file is damaged, write it again"},
        Damage{"bool", file_of(header_of("|b1", "(3,)"), std::string("\0\1\2", 3)),
               "has byte 2 as bool element 2; expected 0 or 1: the file is damaged, write it again"}),
    [](const auto& row) { return row.param.name; });

TEST_F(npy, refuses_to_read_a_missing_file_and_a_folder) {
  EXPECT_EQ(refusal(path("none.npy"), [&] { read_npy(path("none.npy")); }),
            "cannot be read: No such file or directory");
  EXPECT_EQ(refusal(folder_.string(), [&] { read_npy(folder_.string()); }), "is a folder; name a .npy file");
}

TEST_F(npy, refuses_to_write_where_it_cannot) {
  const Tensor tensor = Tensor::scalar(1.0);
  const std::string nowhere = path("no/such/folder/x.npy");
  EXPECT_EQ(refusal(nowhere, [&] { write_npy(nowhere, tensor); }),
            "cannot be written: No such file or directory");
  EXPECT_EQ(refusal(folder_.string(), [&] { write_npy(folder_.string(), tensor); }),
            "is a folder; name a .npy file");
  EXPECT_EQ(refusal("/dev/full", [&] { write_npy("/dev/full", tensor); }),
            "cannot be written: No space left on device; free some space or write elsewhere");
}

// A limit on the size of files stands for a full disk.
TEST_F(npy, keeps_the_old_file_and_no_other_when_the_disk_fills_up) {
  const Tensor old = Tensor::scalar(7.0);
  write_npy(path(), old);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = refusal(path(), [&] { write_npy(path(), Tensor(Shape{10000}, DType::f32)); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, "cannot be written: File too large; free some space or write elsewhere");
  EXPECT_TRUE(read_npy(path()) == old);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(npy, writes_through_a_symbolic_link) {
  write_npy(path("target.npy"), Tensor::scalar(1.0));
  fs::create_symlink(path("target.npy"), path("link.npy"));
  write_npy(path("link.npy"), Tensor::scalar(2.0));
  EXPECT_TRUE(fs::is_symlink(path("link.npy")));
  EXPECT_TRUE(read_npy(path("target.npy")) == Tensor::scalar(2.0));
}

}  // namespace
}  // namespace tutti
