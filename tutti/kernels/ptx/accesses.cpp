// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ptx/accesses.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/kernels/spec/constants.hpp"

namespace tutti::kernels {
namespace {

/// The shape of one access: `words` registers with `per_word` elements each.
struct Vector {
  int elements, words, per_word, bytes;  // bytes of an element

  int first_of(int word) const { return word * per_word; }
  std::string type() const {
    const int word_bits = per_word * bytes * 8;
    return words == 1 ? fmt::format("b{}", word_bits) : fmt::format("v{}.b{}", words, word_bits);
  }
};

Vector vector_of(int elements, int bytes) {
  const int word = bytes == 8 ? 8 : std::min(elements * bytes, 4);
  return {elements, elements * bytes / word, word / bytes, bytes};
}

std::string registers(const std::vector<std::string>& words) {
  if (words.size() == 1) return words[0];
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "{" : ", ") + word;
  return all + "}";
}

/// Returns a register that holds elements i to i + count - 1 side by side.
std::string packed(ThreadValues& v, Value value, int i, int count, int bytes) {
  if (count == 1) return v.reg(value, i);
  const ElementValue& first = v.held(value, i);
  bool is_packed = first.bit == 0 && !first.reg.empty();
  for (int k = 0; k < count; ++k) {
    const ElementValue& part = v.held(value, i + k);
    is_packed = is_packed && part.reg == first.reg && part.bit == k * bytes * 8 && part.add == 0;
  }
  if (is_packed) return first.reg;
  if (count == 4) {
    const std::string low = packed(v, value, i, 2, bytes), high = packed(v, value, i + 2, 2, bytes);
    return v.out.made(RegisterKind::b32, "prmt.b32", {low, high, "0x5410"});
  }
  const std::string low = v.reg(value, i), high = v.reg(value, i + 1);
  return v.out.made(RegisterKind::b32, "prmt.b32", {low, high, bytes == 2 ? "0x5410" : "0x0040"});
}

std::string_view policy(const ThreadValues& v, const Op& op, Cache cache, std::string_view allowed) {
  if (cache == Cache::none) return "";
  const std::string_view name = to_string(cache);
  require(allowed.find(name) != std::string_view::npos, Code::argument, "ptx: {} cannot be .{}; it has {}",
          label(v.function, op), name, allowed);
  switch (cache) {
    case Cache::ca: return ".ca";
    case Cache::cg: return ".cg";
    case Cache::wb: return ".wb";
    case Cache::cs: return ".cs";
    case Cache::wt: return ".wt";
    default: return ".cv";
  }
}

std::string_view comment(Memory memory) { return memory == Memory::own ? "; // own" : ";"; }

Vector access_of(ThreadValues& v, const Op& op, std::optional<Value> mask) {
  const Scalar scalar = v.type(op.operands[0]).scalar;
  require(scalar != Scalar::i1, Code::argument, "ptx: {} accesses an i1 in memory; use i8",
          label(v.function, op));
  return vector_of(elements_per_access(v, op.operands[0], mask), bits(scalar) / 8);
}

std::optional<Value> operand_at(const Op& op, std::size_t i) {
  return i < op.operands.size() ? std::optional(op.operands[i]) : std::nullopt;
}

/// Sets the registers of a masked load to `other`, or to 0; lanes without an access keep this value.
void fill(ThreadValues& v, const std::vector<std::string>& words, std::optional<Value> other, int i,
          const Vector& vector) {
  for (std::size_t w = 0; w < words.size(); ++w) {
    const int first = i + vector.first_of(static_cast<int>(w));
    const std::string value = other ? packed(v, *other, first, vector.per_word, vector.bytes) : "0";
    v.out.line(fmt::format("mov.b{} {}, {}", vector.bytes == 8 ? 64 : 32, words[w], value));
  }
}

}  // namespace

int elements_per_access(const ThreadValues& v, Value pointer, std::optional<Value> mask) {
  const std::int64_t bytes = std::max(bits(v.type(pointer).scalar) / 8, 1);
  const AxisInfo& info = v.info(pointer);
  std::int64_t run =
      std::min<std::int64_t>({info.contiguity, v.layout(pointer).vector, alignment_bytes / bytes});
  if (mask) run = std::min(run, v.info(*mask).constancy);
  return static_cast<int>(std::clamp<std::int64_t>(divisibility_at(info, run, bytes) / bytes, 1, run));
}

std::string address(ThreadValues& v, Value pointer, int i) {
  const ElementValue& h = v.held(pointer, i);
  const bool is_near =
      !h.reg.empty() && h.add >= -(1 << 23) && h.add < 1 << 23;  // immediate offsets have 24 bits
  if (!is_near) return fmt::format("[{}]", v.reg(pointer, i));
  return h.add == 0 ? fmt::format("[{}]", h.reg) : fmt::format("[{}+{}]", h.reg, h.add);
}

std::string accessing(ThreadValues& v, Value pointer, std::optional<Value> mask, int i, Access access) {
  std::string owner = access == Access::once ? v.owner(v.layout(pointer)) : "";
  if (!mask) return owner;
  const std::string inside = v.reg(*mask, i);
  return owner.empty() ? inside : v.out.made(RegisterKind::predicate, "and.pred", {owner, inside});
}

void write_load(ThreadValues& v, const Op& op, const Load& load) {
  const Value pointer = op.operands[0], result = op.results[0];
  const std::optional<Value> mask = operand_at(op, 1);
  const Vector vector = access_of(v, op, mask);
  const std::string name =
      fmt::format("ld.global{}.{}", policy(v, op, load.cache, "ca cg cs cv"), vector.type());
  for (int i = 0; i < v.layout(pointer).held(); i += vector.elements) {
    std::vector<std::string> words;
    for (int w = 0; w < vector.words; ++w) words.push_back(v.out.fresh(v.kind(result)));
    const std::string inside = accessing(v, pointer, mask, i, Access::by_all), at = address(v, pointer, i);
    if (mask) fill(v, words, operand_at(op, 2), i, vector);
    v.out.access(inside, fmt::format("{} {}, {}{}", name, registers(words), at, comment(load.memory)));
    for (int k = 0; k < vector.elements; ++k)
      v.define(result, i + k,
               {words[static_cast<std::size_t>(k / vector.per_word)], 0,
                k % vector.per_word * vector.bytes * 8});
  }
}

void write_store(ThreadValues& v, const Op& op, const Store& store) {
  const Value pointer = op.operands[0], value = op.operands[1];
  const std::optional<Value> mask = operand_at(op, 2);
  const Vector vector = access_of(v, op, mask);
  const std::string name =
      fmt::format("st.global{}.{}", policy(v, op, store.cache, "wb cg cs wt"), vector.type());
  for (int i = 0; i < v.layout(pointer).held(); i += vector.elements) {
    std::vector<std::string> words;
    for (int w = 0; w < vector.words; ++w)
      words.push_back(packed(v, value, i + vector.first_of(w), vector.per_word, vector.bytes));
    const std::string inside = accessing(v, pointer, mask, i, Access::once), at = address(v, pointer, i);
    v.out.access(inside, fmt::format("{} {}, {}{}", name, at, registers(words), comment(store.memory)));
  }
}

}  // namespace tutti::kernels
