// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/files/safetensors_header.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "tutti/base/excerpt.hpp"
#include "tutti/base/require.hpp"

namespace tutti {
namespace {

using nlohmann::json;

constexpr std::size_t length_bytes = 8;
constexpr const char* metadata = "__metadata__";  // texts about the file, no array

constexpr std::pair<DType, std::string_view> names_of_dtypes[] = {
    {DType::boolean, "BOOL"}, {DType::u8, "U8"},        {DType::i8, "I8"},     {DType::u16, "U16"},
    {DType::i16, "I16"},      {DType::u32, "U32"},      {DType::i32, "I32"},   {DType::u64, "U64"},
    {DType::i64, "I64"},      {DType::f16, "F16"},      {DType::bf16, "BF16"}, {DType::f32, "F32"},
    {DType::f64, "F64"},      {DType::complex64, "C64"}};

std::string_view name_in_file(const SafetensorsEntry& entry) {
  const auto* const found =
      std::ranges::find(names_of_dtypes, entry.dtype, [](const auto& n) { return n.first; });
  require(
      found != std::end(names_of_dtypes), Code::dtype,
      "cannot hold '{}': the format has no {}; save its real and its imaginary part, or write a .npz file",
      excerpt(entry.name), name(entry.dtype));
  return found->second;
}

/// Refuses what nlohmann's parser takes: names that come twice, and objects inside of objects without end.
class Nesting {
 public:
  bool operator()(int, json::parse_event_t event, const json& parsed) {
    using Event = json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      constexpr std::size_t deepest = 3;  // the header, an array, its shape
      require(names_.size() < deepest, Code::file,
              "has a header with brackets inside of each other, {} deep; the file is damaged, write it again",
              deepest + 1);
      names_.emplace_back();
    } else if (event == Event::object_end || event == Event::array_end) {
      names_.pop_back();
    } else if (event == Event::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      require(names_.back().insert(key).second, Code::file,
              "has a header that names '{}' twice; the file is damaged, write it again", excerpt(key));
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> names_;  // of each bracket that is open
};

json parsed(std::string_view text) {
  try {
    Nesting nesting;
    json header = json::parse(text, std::ref(nesting));
    require(header.is_object(), Code::file, "has a header that is no object of JSON; write it again");
    return header;
  } catch (const json::exception& error) {
    fail(Code::file, "has a damaged header ({}); write it again", excerpt(error.what()));
  }
}

/// The member `key` of an array's description, a list of whole numbers.
std::vector<std::int64_t> numbers(const json& array, const std::string& name, const char* key) {
  const auto found = array.find(key);
  const auto is_number = [](const json& one) {
    return one.is_number_unsigned() &&
           one.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  };
  require(found != array.end() && found->is_array() && std::ranges::all_of(*found, is_number), Code::file,
          "has no list of whole numbers '{}' for '{}'; the file is damaged, write it again", key,
          excerpt(name));
  return found->get<std::vector<std::int64_t>>();
}

DType dtype_of_array(const json& array, const std::string& name) {
  const auto found = array.find("dtype");
  const std::string text = found != array.end() && found->is_string() ? found->get<std::string>() : "";
  for (const auto& [dtype, known] : names_of_dtypes)
    if (text == known) return dtype;
  fail(Code::file, "has '{}' of dtype '{}', which Tutti has not; convert it before it is saved",
       excerpt(name), excerpt(text));
}

std::optional<std::int64_t> bytes_of(const SafetensorsEntry& entry) try {
  entry.shape.check();
  return entry.shape.elements() * static_cast<std::int64_t>(bytes_per_element(entry.dtype));
} catch (const Error&) {
  return std::nullopt;
}

struct Placed {
  SafetensorsEntry entry;
  std::int64_t end;
};

Placed placed(const std::string& name, const json& array) {
  require(array.is_object(), Code::file, "has a header without a type for '{}'; write it again",
          excerpt(name));
  SafetensorsEntry entry{name, dtype_of_array(array, name), Shape(numbers(array, name, "shape"))};
  const std::vector<std::int64_t> offsets = numbers(array, name, "data_offsets");
  require(offsets.size() == 2 && offsets[0] <= offsets[1], Code::file,
          "has data_offsets for '{}' that are no beginning and end; the file is damaged, write it again",
          excerpt(name));
  entry.begin = offsets[0];
  const std::optional<std::int64_t> bytes = bytes_of(entry);
  require(bytes && *bytes == offsets[1] - offsets[0], Code::file,
          "has {} bytes for '{}', a {}[{}]; the file is damaged, write it again", offsets[1] - offsets[0],
          excerpt(name), tutti::name(entry.dtype), excerpt(to_string(entry.shape)));
  return {std::move(entry), offsets[1]};
}

std::int64_t padded(std::size_t bytes) {  // so that the data begins at a multiple of 8
  return static_cast<std::int64_t>((bytes + length_bytes - 1) / length_bytes * length_bytes);
}

std::string text_of_name(const std::string& name) try {
  require(name != metadata, Code::tree,
          "cannot hold an array '{}', which the format has for itself; rename it", name);
  return json(name).dump();
} catch (const json::exception&) {
  fail(Code::tree, "cannot hold '{}', a name that is not UTF-8; rename it", excerpt(name));
}

}  // namespace

std::int64_t safetensors_header_bytes(const unsigned char (&first)[length_bytes], std::int64_t file_bytes) {
  std::uint64_t bytes = 0;
  for (std::size_t i = length_bytes; i-- > 0;) bytes = bytes << 8 | first[i];
  require(bytes <= static_cast<std::uint64_t>(most_safetensors_header_bytes), Code::file,
          "begins with {} as the length of its header, at most {} can be read: it is damaged, or no "
          ".safetensors file",
          bytes, most_safetensors_header_bytes);
  const std::int64_t rest = file_bytes - static_cast<std::int64_t>(length_bytes);
  require(static_cast<std::int64_t>(bytes) <= rest, Code::file,
          "has a header of {} bytes where {} are left; the file is cut off, write it again", bytes, rest);
  return static_cast<std::int64_t>(bytes);
}

std::vector<SafetensorsEntry> parse_safetensors_header(std::string_view text, std::int64_t data_bytes) {
  std::vector<Placed> found;
  const json header = parsed(text);
  for (const auto& [name, array] : header.items())
    if (name != metadata) found.push_back(placed(name, array));
  std::ranges::stable_sort(found, {}, [](const Placed& p) { return std::pair(p.entry.begin, p.end); });
  std::vector<SafetensorsEntry> entries;
  std::int64_t next = 0;
  for (Placed& each : found) {
    require(each.entry.begin == next, Code::file,
            "has '{}' from byte {} of its data on, where byte {} is next; arrays follow each other: the file "
            "is damaged, write it again",
            excerpt(each.entry.name), each.entry.begin, next);
    next = each.end;
    entries.push_back(std::move(each.entry));
  }
  require(next == data_bytes, Code::file,
          "has {} bytes of data where its header says {}; the file is cut off or damaged, write it again",
          data_bytes, next);
  return entries;
}

std::string safetensors_head(const std::vector<SafetensorsEntry>& entries) {
  std::string text = "{";
  for (const SafetensorsEntry& entry : entries)
    text += fmt::format(R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                        text.size() > 1 ? "," : "", text_of_name(entry.name), name_in_file(entry),
                        to_string(entry.shape), entry.begin, entry.begin + *bytes_of(entry));
  text += '}';
  const std::int64_t bytes = padded(text.size());
  require(bytes <= most_safetensors_header_bytes, Code::tree,
          "would have a header of {} bytes, at most {}; save fewer arrays", bytes,
          most_safetensors_header_bytes);
  text.resize(static_cast<std::size_t>(bytes), ' ');
  std::string length;
  for (std::size_t i = 0; i < length_bytes; ++i) length += static_cast<char>(bytes >> (8 * i) & 0xff);
  return length + text;
}

}  // namespace tutti
