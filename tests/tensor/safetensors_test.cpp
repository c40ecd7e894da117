// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/files/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/tensor/file_test.hpp"

namespace tutti {
namespace {

class safetensors : public FileTest {
 protected:
  safetensors() : FileTest("safetensors") {}

  void write(const std::string& content) const { std::ofstream(path(), std::ios::binary) << content; }
  std::string refusal_of(const std::string& content) const {
    write(content);
    return refusal(path(), [&] { read_safetensors(path()); });
  }
  /// Refusal of a file with this header and `data` bytes of ones.
  std::string refusal_of_header(const std::string& header, std::size_t data) const {
    return refusal_of(file_of(header, data));
  }
  static std::string file_of(const std::string& header, std::size_t data) {
    std::uint64_t length = header.size();
    std::string text(sizeof length, '\0');
    std::memcpy(text.data(), &length, sizeof length);
    return text + header + std::string(data, '\1');
  }
};

NamedTensors some_arrays() {
  return {{"w", Tensor(Shape{2, 3}, std::vector<double>{1, 2, 3, 4, 5, 6.5})},
          {"layers[0].bias", Tensor(Shape{2}, std::vector<float>{0.25, -1})},
          {"flags", Tensor(Shape{3}, std::vector<bool>{true, false, true})},
          {"none", Tensor(Shape{0, 4}, DType::u8)},
          {"a \"name\"\n\u00e9", Tensor::scalar(std::int8_t{41})}};
}

TEST_F(safetensors, holds_arrays_by_name) {
  write_safetensors(path(), some_arrays());
  EXPECT_EQ(read_safetensors(path()), some_arrays());
}

TEST_F(safetensors, holds_every_dtype_but_complex128) {
  for (const DType dtype : all_dtypes()) {
    Tensor tensor(Shape{3, 2}, dtype);
    std::fill_n(tensor.mutable_bytes(), tensor.bytes(), std::byte{1});
    if (dtype == DType::complex128) continue;
    write_safetensors(path(), {{"x", tensor}});
    EXPECT_EQ(read_safetensors(path()), (NamedTensors{{"x", tensor}})) << name(dtype);
  }
  try {
    write_safetensors(path("y.safetensors"), {{"x", Tensor(Shape{1}, DType::complex128)}});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.label(), "T007");
    EXPECT_EQ(error.message(), "'" + path("y.safetensors") +
                                   "' cannot hold 'x': the format has no complex128; save its real and its "
                                   "imaginary part, or write a .npz file");
  }
  EXPECT_FALSE(std::filesystem::exists(path("y.safetensors")));
}

TEST_F(safetensors, begins_arrays_at_multiples_of_their_elements_and_has_the_bytes_of_the_format) {
  write_safetensors(path(), {{"b", Tensor(Shape{1}, std::vector<std::uint8_t>{7})},
                             {"a", Tensor(Shape{2}, std::vector<float>{1, 2})}});
  const std::string header = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                             R"("b":{"dtype":"U8","shape":[1],"data_offsets":[8,9]}})";
  const std::string found = bytes();
  const std::size_t padded = (header.size() + 7) / 8 * 8;
  EXPECT_EQ(found[0], static_cast<char>(padded));
  EXPECT_EQ(found.substr(1, 7), std::string(7, '\0'));
  EXPECT_EQ(found.substr(8, padded), header + std::string(padded - header.size(), ' '));
  EXPECT_EQ(found.substr(8 + padded), std::string("\0\0\x80\x3f\0\0\0\x40\x07", 9));
}

TEST_F(safetensors, may_have_metadata_and_members_in_any_order) {
  write(file_of(R"({"b":{"shape":[1],"data_offsets":[1,2],"dtype":"U8"},"__metadata__":{"format":"pt"},)"
                R"("a":{"dtype":"BOOL","shape":[],"data_offsets":[0,1]}}   )",
                2));
  const NamedTensors found = read_safetensors(path());
  EXPECT_EQ(found, (NamedTensors{{"a", Tensor::scalar(true)}, {"b", Tensor({1}, {std::uint8_t{1}})}}));
}

TEST_F(safetensors, refuses_a_file_that_is_cut_off_or_goes_on_wherever_that_may_be) {
  write_safetensors(path(), some_arrays());
  const std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); ++size)
    ASSERT_NE(refusal_of(whole.substr(0, size)), "not refused") << size;
  EXPECT_EQ(refusal_of(whole + 'x'),
            "has 61 bytes of data where its header says 60; the file is cut off or damaged, write it again");
  EXPECT_EQ(refusal_of(whole), "not refused");
}

TEST_F(safetensors, refuses_a_length_of_its_header_that_cannot_be) {
  EXPECT_EQ(
      refusal_of("w,b\n1,2\n"),
      "begins with 734698278354037879 as the length of its header, at most 100000000 can be read: it is "
      "damaged, or no .safetensors file");
  EXPECT_EQ(refusal_of(std::string("\x03\0\0\0\0\0\0\0{}", 10)),
            "has a header of 3 bytes where 2 are left; the file is cut off, write it again");
  EXPECT_EQ(refusal_of(std::string("\x02\0\0\0\0\0\0\0{}", 10)), "not refused");
}

TEST_F(safetensors, refuses_offsets_that_overlap_leave_gaps_or_leave_the_file) {
  const auto two = [&](const std::string& a, const std::string& b, std::size_t data) {
    return refusal_of_header(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + a +
                                 R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + b + "}}",
                             data);
  };
  EXPECT_EQ(two("[0,4]", "[4,8]", 8), "not refused");
  EXPECT_EQ(two("[4,8]", "[0,4]", 8), "not refused");
  const std::string damaged = "is next; arrays follow each other: the file is damaged, write it again";
  EXPECT_EQ(two("[0,4]", "[3,7]", 8), "has 'b' from byte 3 of its data on, where byte 4 " + damaged);
  EXPECT_EQ(two("[0,4]", "[5,9]", 9), "has 'b' from byte 5 of its data on, where byte 4 " + damaged);
  EXPECT_EQ(two("[1,5]", "[5,9]", 9), "has 'a' from byte 1 of its data on, where byte 0 " + damaged);
  EXPECT_EQ(two("[0,4]", "[4,8]", 7),
            "has 7 bytes of data where its header says 8; the file is cut off or damaged, write it again");
  EXPECT_EQ(two("[0,4]", "[4,9]", 9), "has 5 bytes for 'b', a u8[4]; the file is damaged, write it again");
  for (const char* wrong : {"[4]", "[8,4]", "[4,8,9]"})
    EXPECT_EQ(two("[0,4]", wrong, 8),
              "has data_offsets for 'b' that are no beginning and end; the file is damaged, write it again");
  for (const char* wrong :
       {"[-4,0]", "[4,8.0]", "[4,99999999999999999999]", "\"4,8\"", "[4,18446744073709551615]"})
    EXPECT_EQ(two("[0,4]", wrong, 8),
              "has no list of whole numbers 'data_offsets' for 'b'; the file is damaged, write it again");
}

TEST_F(safetensors, refuses_a_shape_that_no_array_has_before_it_takes_memory) {
  const auto of_shape = [&](const std::string& shape) {
    return refusal_of_header(R"({"a":{"dtype":"F64","shape":)" + shape + R"(,"data_offsets":[0,8]}})", 8);
  };
  EXPECT_EQ(of_shape("[1,1]"), "not refused");
  EXPECT_EQ(of_shape("[4611686018427387904,4,4]"),
            "has 8 bytes for 'a', a f64[4611686018427387904,4,4]; the file is damaged, write it again");
  EXPECT_EQ(of_shape("[[1]]"),
            "has a header with brackets inside of each other, 4 deep; the file is damaged, write it again");
}

TEST_F(safetensors, refuses_a_header_that_is_damaged) {
  const std::string array = R"({"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  EXPECT_EQ(refusal_of_header(R"({"a":)" + array + R"(,"a":)" + array + "}", 1),
            "has a header that names 'a' twice; the file is damaged, write it again");
  EXPECT_EQ(refusal_of_header(R"({"a":{"dtype":"U8","dtype":"I8","shape":[1],"data_offsets":[0,1]}})", 1),
            "has a header that names 'dtype' twice; the file is damaged, write it again");
  EXPECT_EQ(refusal_of_header(R"({"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}})", 1),
            "has 'a' of dtype 'F8_E4M3', which Tutti has not; convert it before it is saved");
  EXPECT_EQ(refusal_of_header(R"({"a":7})", 0), "has a header without a type for 'a'; write it again");
  EXPECT_EQ(refusal_of_header("[]", 0), "has a header that is no object of JSON; write it again");
  EXPECT_EQ(refusal_of_header(std::string(100000, '['), 0),
            "has a header with brackets inside of each other, 4 deep; the file is damaged, write it again");
  EXPECT_EQ(refusal_of_header("{\"a\":", 0).substr(0, 22), "has a damaged header (");
  EXPECT_EQ(refusal_of_header("{\"\xff\":1}", 0).substr(0, 22), "has a damaged header (");
  EXPECT_EQ(refusal_of_header(R"({"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})", 1),
            "not refused");
  std::string seven = file_of(R"({"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})", 1);
  seven.back() = 7;
  EXPECT_EQ(
      refusal_of(seven),
      "has the array 'a', which has byte 7 as bool element 0; expected 0 or 1: the file is damaged, write "
      "it again");
}

TEST_F(safetensors, takes_no_more_than_it_may) {
  write_safetensors(path(), some_arrays());
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path())) - 8;  // header and data
  EXPECT_NO_THROW(read_safetensors(path(), {.most_bytes = bytes}));
  EXPECT_EQ(refusal(path(), [&] { read_safetensors(path(), {.most_bytes = bytes - 1}); }),
            fmt::format("holds {} bytes, more than the bound of {} that was given; raise it if you trust the "
                        "file",
                        bytes, bytes - 1));
}

TEST_F(safetensors, that_shrinks_while_it_is_read_is_refused_or_whole) {
  const NamedTensors large{{"x", Tensor(Shape{1 << 20}, DType::f32)},
                           {"y", Tensor(Shape{1 << 20}, DType::f32)}};
  for (int round = 0; round < 20; ++round) {
    write_safetensors(path(), large);
    std::thread other([&] { std::filesystem::resize_file(path(), 5 << 20); });
    try {
      EXPECT_EQ(read_safetensors(path()), large);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::file);
    }
    other.join();
  }
}

TEST_F(safetensors, refuses_names_that_the_format_cannot_have) {
  const auto said = [&](const NamedTensors& arrays) {
    try {
      write_safetensors(path(), arrays);
      return std::string("accepted");
    } catch (const Error& error) {
      return std::string(error.label()) + ": " + error.message().substr(path().size() + 3);
    }
  };
  const Tensor one = Tensor::scalar(1.0f);
  EXPECT_EQ(said({{"a", one}, {"a", one}}), "T012: has two arrays 'a'; give each a name of its own");
  EXPECT_EQ(said({}), "T012: would hold no array; save a tree that has one");
  EXPECT_EQ(said({{"__metadata__", one}}),
            "T012: cannot hold an array '__metadata__', which the format has for itself; rename it");
  EXPECT_EQ(said({{"\xff", one}}), "T012: cannot hold '\\xff', a name that is not UTF-8; rename it");
  EXPECT_FALSE(std::filesystem::exists(path()));
}

}  // namespace
}  // namespace tutti
