// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ptx/ptx_writer.hpp"

#include <fmt/core.h>

namespace tutti::kernels {
namespace {

constexpr std::array<std::string_view, 4> prefixes{"%p", "%h", "%r", "%rd"};
constexpr std::array<std::string_view, 4> types{".pred", ".b16", ".b32", ".b64"};

}  // namespace

RegisterKind register_kind(const ValueType& type) {
  if (type.pointer || bits(type.scalar) == 64) return RegisterKind::b64;
  return type.scalar == Scalar::i1 ? RegisterKind::predicate : RegisterKind::b32;
}

// Negative numbers are hexadecimal, because the least integer has no decimal literal.
std::string literal(std::int64_t value, RegisterKind kind) {
  if (value >= 0 && (kind == RegisterKind::b64 || value <= 0x7fff'ffff)) return fmt::format("{}", value);
  if (kind == RegisterKind::b64) return fmt::format("0x{:X}", static_cast<std::uint64_t>(value));
  return fmt::format("0x{:X}", static_cast<std::uint32_t>(value));
}

std::string PtxWriter::fresh(RegisterKind kind) {
  const auto i = static_cast<std::size_t>(kind);
  return fmt::format("{}{}", prefixes[i], ++used_[i]);
}

void PtxWriter::line_if(std::string_view predicate, std::string_view instruction) {
  access(predicate, fmt::format("{};", instruction));
}

void PtxWriter::access(std::string_view predicate, std::string_view text) {
  body_ += predicate.empty() ? fmt::format("  {}\n", text) : fmt::format("  @{} {}\n", predicate, text);
}

std::string PtxWriter::made(RegisterKind kind, std::string_view op,
                            std::initializer_list<std::string_view> operands) {
  std::string result = fresh(kind), text = fmt::format("{} {}", op, result);
  for (std::string_view operand : operands) text += fmt::format(", {}", operand);
  line(text);
  return result;
}

std::string PtxWriter::text() const {
  std::string all;
  for (std::size_t i = 0; i < used_.size(); ++i)
    if (used_[i] > 0) all += fmt::format("  .reg {} {}<{}>;\n", types[i], prefixes[i], used_[i] + 1);
  return all + body_;
}

}  // namespace tutti::kernels
