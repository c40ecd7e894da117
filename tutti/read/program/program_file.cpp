// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/program/program_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

#include "tutti/base/error.hpp"
#include "tutti/base/excerpt.hpp"

namespace tutti {
namespace {

constexpr const char* lines_of_python[] = {
    "the text comes from Python:", "  from jax import export",
    "  exported = export.deserialize(open(FILE, 'rb').read())  # of a file that serialize() wrote",
    "  open('step.mlir', 'w').write(exported.mlir_module())"};
constexpr const char* lines_of_jit[] = {"the text comes from Python:",
                                        "  open('step.mlir', 'w').write(jax.jit(f).lower(x).as_text())"};

/// A kind of file that is not StableHLO text.
struct OtherKind {
  std::string_view name;
  bool is_exported = false;  // jax.export can read it
};

std::optional<OtherKind> other_kind(std::string_view bytes) {
  const std::string_view begin = bytes.substr(0, 4096);
  if (bytes.find_first_not_of(" \t\r\n") == std::string_view::npos) return OtherKind{"empty"};
  if (begin.starts_with("ML\xEFR")) return OtherKind{"MLIR's bytecode", true};
  if (begin.find("ML\xEFR") != std::string_view::npos)
    return OtherKind{"a program that jax.export has serialized", true};
  if (begin.starts_with("\x1f\x8b") || begin.starts_with("PK\x03\x04") || begin.starts_with("BZh") ||
      begin.starts_with("\xFD"
                        "7zXZ") ||
      begin.starts_with("\x28\xB5\x2F\xFD"))
    return OtherKind{"a compressed file; unpack it first"};
  if (begin.starts_with("HloModule")) return OtherKind{"HLO, which is another language than StableHLO"};
  if (begin.starts_with("{ lambda") || begin.starts_with("{lambda")) return OtherKind{"a jaxpr"};
  if (begin.find('\0') != std::string_view::npos) return OtherKind{"no text"};
  return std::nullopt;
}

[[noreturn]] void refuse(const std::string& path, std::string_view why,
                         std::vector<std::string> advice = {}) {
  throw Error(Code::file, {}, fmt::format("'{}' {}", excerpt(path), why), std::move(advice));
}

std::string bytes_of_standard_input() {
  std::string bytes;
  char part[1 << 16];
  for (std::size_t count; (count = std::fread(part, 1, sizeof part, stdin)) > 0;) bytes.append(part, count);
  if (std::ferror(stdin)) refuse("-", "cannot be read to its end");
  return bytes;
}

std::string bytes_of(const std::string& path) {
  if (path == "-") return bytes_of_standard_input();
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) refuse(path, "is a folder; name a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) refuse(path, "cannot be read to its end");
  return bytes;
}

}  // namespace

std::string text_of_program_file(const std::string& path) {
  std::string bytes = bytes_of(path);
  const std::optional<OtherKind> other = other_kind(bytes);
  if (!other) return bytes;
  std::vector<std::string> advice;
  if (other->is_exported) advice.assign(std::begin(lines_of_python), std::end(lines_of_python));
  else advice.assign(std::begin(lines_of_jit), std::end(lines_of_jit));
  refuse(path, fmt::format("is {}", other->name), std::move(advice));
}

}  // namespace tutti
