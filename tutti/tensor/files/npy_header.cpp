// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/files/npy_header.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include <cctype>
#include <charconv>
#include <optional>

#include "tutti/base/excerpt.hpp"
#include "tutti/base/require.hpp"

namespace tutti {
namespace {

constexpr std::size_t header_alignment = 64;

struct NpyType {
  DType dtype;
  std::string_view code;  // without the byte order
};
// NumPy has no bf16. JAX (ml_dtypes) writes bf16 as V2, two bytes without a type.
constexpr NpyType npy_types[] = {
    {DType::boolean, "b1"}, {DType::u8, "u1"},        {DType::i8, "i1"},         {DType::u16, "u2"},
    {DType::i16, "i2"},     {DType::u32, "u4"},       {DType::i32, "i4"},        {DType::u64, "u8"},
    {DType::i64, "i8"},     {DType::f16, "f2"},       {DType::bf16, "V2"},       {DType::f32, "f4"},
    {DType::f64, "f8"},     {DType::complex64, "c8"}, {DType::complex128, "c16"}};

/// Reads a Python literal from left to right.
class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) wrong(fmt::format("'{}'", c));
  }
  std::string_view string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    const std::size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : text_.npos;
    if (end == text_.npos) wrong("a string");
    const std::string_view found = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return found;
  }
  bool boolean() {
    if (take_word("True")) return true;
    if (!take_word("False")) wrong("True or False");
    return false;
  }
  std::int64_t size() {
    skip_space();
    std::int64_t value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [rest, error] = std::from_chars(text_.data() + at_, end, value);
    if (error == std::errc::result_out_of_range) wrong("a size below 2^63");
    if (error != std::errc() || value < 0) wrong("a size of 0 or more");
    at_ = static_cast<std::size_t>(rest - text_.data());
    take('L');  // the suffix of Python 2's long integers
    return value;
  }
  void expect_end() {
    skip_space();
    if (at_ < text_.size()) wrong("the end");
  }
  bool is_next(char c) {
    skip_space();
    return at_ < text_.size() && text_[at_] == c;
  }
  [[noreturn]] void wrong(std::string_view expected) const {
    const std::string_view rest = text_.substr(at_, 20);
    fail(Code::file,
         "the header has '{}' at character {} where {} is expected; the file is damaged, write it again",
         excerpt(rest.substr(0, rest.find('\n'))), at_, expected);
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take_word(std::string_view word) {
    skip_space();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

Shape parse_shape(Literal& literal) {
  std::vector<std::int64_t> sizes;
  literal.expect('(');
  while (!literal.take(')')) {
    sizes.push_back(literal.size());
    require(sizes.size() <= most_npy_dims, Code::file,
            "has more than {} dims, the most that NumPy holds; the file is damaged, write it again",
            most_npy_dims);
    if (!literal.take(',')) {
      literal.expect(')');
      break;
    }
  }
  return Shape(std::move(sizes));
}

void parse_dtype(std::string_view descr, NpyHeader& header) {
  const bool has_order = !descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string_view::npos;
  const std::string_view code = descr.substr(has_order ? 1 : 0);
  for (const NpyType& type : npy_types)
    if (type.code == code || (code == "?" && type.dtype == DType::boolean)) {
      header.dtype = type.dtype;
      header.is_big_endian = descr[0] == '>' && bytes_per_element(type.dtype) > 1;
      return;
    }
  fail(Code::file,
       "dtype '{}' is not held here; bool, integers of 8 to 64 bits, float16, bfloat16, float32, float64, "
       "complex64 "
       "and complex128 are: convert it with astype",
       excerpt(descr));
}

std::string literal_of(DType dtype, const Shape& shape) {
  std::string_view code;
  for (const NpyType& type : npy_types)
    if (type.dtype == dtype) code = type.code;
  std::string sizes;
  for (std::int64_t size : shape) sizes += fmt::format("{}, ", size);
  if (shape.rank() > 1) sizes.resize(sizes.size() - 2);
  if (shape.rank() == 1) sizes.pop_back();  // (3,)
  return fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                     dtype == DType::boolean ? '|' : '<', code, sizes);
}

}  // namespace

NpyHeader parse_npy_header(std::string_view text) {
  NpyHeader header;
  bool has_descr = false, has_order = false, has_shape = false;
  Literal literal(text);
  literal.expect('{');
  while (!literal.take('}')) {
    const std::string_view key = literal.string();
    literal.expect(':');
    if (key == "descr") {
      require(!literal.is_next('['), Code::file,
              "records with fields are not held here; write one array per field");
      parse_dtype(literal.string(), header);
      has_descr = true;
    } else if (key == "fortran_order") {
      header.is_fortran_order = literal.boolean();
      has_order = true;
    } else if (key == "shape") {
      header.shape = parse_shape(literal);
      has_shape = true;
    } else {
      fail(Code::file, "the header has the key '{}'; descr, fortran_order and shape are expected",
           excerpt(key));
    }
    if (!literal.take(',')) {
      literal.expect('}');
      break;
    }
  }
  literal.expect_end();
  require(has_descr && has_order && has_shape, Code::file,
          "the header lacks descr, fortran_order or shape: {}; the file is damaged, write it again",
          excerpt(text));
  return header;
}

std::string npy_head(DType dtype, const Shape& shape) {
  require(shape.rank() <= most_npy_dims, Code::file,
          "would hold an array of {} dims; NumPy reads up to {}: reshape it first", shape.rank(),
          most_npy_dims);
  std::string text = literal_of(dtype, shape);
  const std::size_t start = npy_magic.size() + 4;  // the version and the header's length, two bytes each
  text.append(header_alignment - 1 - (start + text.size()) % header_alignment, ' ');
  text += '\n';
  std::string head(npy_magic);
  for (std::size_t byte : {std::size_t{1}, std::size_t{0}, text.size() & 255, text.size() >> 8})
    head += static_cast<char>(byte);
  return head + text;
}

}  // namespace tutti
