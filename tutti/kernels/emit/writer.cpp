// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/emit/writer.hpp"

#include <bit>

#include "tutti/base/require.hpp"
#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::kernels {
namespace {

constexpr Load of_own{Memory::own, Cache::none};  // tables do not change while kernels run

ValueType type_of(const LaunchArgument& argument) {
  switch (argument.kind) {
    case ArgumentKind::rank:
    case ArgumentKind::sequence:
    case ArgumentKind::half:
    case ArgumentKind::wait_limit: return value_of(scalar_of(argument.dtype));
    case ArgumentKind::input:
    case ArgumentKind::output:
    case ArgumentKind::signal_table:
    case ArgumentKind::staging_table:
    case ArgumentKind::inbox_table:
    case ArgumentKind::output_table:
    case ArgumentKind::error: break;
  }
  return pointer_to(scalar_of(argument.dtype));
}

}  // namespace

int lanes_for(int n) { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(n))); }

Scalar scalar_of(DType dtype) {
  switch (dtype) {
    case DType::boolean:
    case DType::i8:
    case DType::u8: return Scalar::i8;
    case DType::i16:
    case DType::u16: return Scalar::i16;
    case DType::i32:
    case DType::u32: return Scalar::i32;
    case DType::i64:
    case DType::u64: return Scalar::i64;
    case DType::f16: return Scalar::f16;
    case DType::bf16: return Scalar::bf16;
    case DType::f32: return Scalar::f32;
    case DType::f64: return Scalar::f64;
    case DType::complex64:
    case DType::complex128: break;
  }
  fail(Code::internal, "kernels hold no {}", name(dtype));
}

Writer::Writer(const Manifest& m, const std::string& entry)
    : manifest(m),
      view(view_of(m.spec)),
      element(scalar_of(m.arguments.front().dtype)),
      world(m.spec.world),
      b(entry),
      index_(view.offsets == OffsetType::i64 ? Scalar::i64 : Scalar::i32) {
  for (const LaunchArgument& argument : manifest.arguments) {
    const ValueType type = type_of(argument);
    const std::optional<int> hint = type.pointer ? std::optional(argument.alignment) : std::nullopt;
    arguments_.emplace(argument.kind, b.argument(std::string(name(argument.kind)), type, hint));
  }
  program_ = b.program_id();
  programs_ = widened(b.num_programs());
  lanes_ = widened(b.range(0, static_cast<int>(manifest.launch.tile_elements)));
}

Value Writer::widened(Value value) {
  return index_ == Scalar::i32 ? value : b.convert(ConvertOp::extsi, value, index_);
}

Value Writer::negated(Value truth) { return b.arith(ArithOp::xori, truth, b.constant(b.type(truth), 1)); }

Value Writer::times(Value value, std::int64_t factor) {
  const Value wide = widened(value);
  return mul(wide, index(factor));
}

Value Writer::buffer(ArgumentKind table, Value entry, Scalar pointee) {
  const Value address = b.load(b.offset(argument(table), entry), {}, {}, of_own);
  return b.one(IntToPtr{pointee, alignment_bytes}, {address});
}

Value Writer::half_of(ArgumentKind table, Value rank, Scalar pointee) {
  const Value first = mul(argument(ArgumentKind::half), i32(world));
  return buffer(table, add(first, rank), pointee);
}

// Element i of block k has the offset i + (i / inner) * (blocks - 1) * inner + k * inner. In this form
// compilers see that offsets are contiguous.
Value Writer::places(Value base, const BlockedArray& array, Value block, Value elements) {
  if (array.blocks == 1) return b.offset(base, elements);
  const Value start = b.offset(base, times(block, array.inner));
  if (array.outer == 1) return b.offset(start, elements);
  const ValueType type = b.type(elements);
  const Value inner = b.constant(type, array.inner);
  const Value row = b.arith(ArithOp::divui, elements, inner);
  const Value skipped = mul(row, b.constant(type, array.inner * (array.blocks - 1)));
  return b.offset(start, add(elements, skipped));
}

Value Writer::inside(Value elements, std::optional<Value> limit) {
  const ValueType type = b.type(elements);
  const Value end = limit ? b.splat(*limit, type.dims) : b.constant(type, manifest.launch.elements);
  return b.compare(IntPredicate::slt, elements, end);
}

Value Writer::elements_of(Value t) {
  const std::int64_t size = manifest.launch.tile_elements;
  const Value first = mul(t, index(size));
  return add(b.splat(first, {size}), lanes_);
}

Tile Writer::tile(Value t) {
  const Value elements = elements_of(t);
  if (manifest.launch.elements % manifest.launch.tile_elements == 0) return {elements, std::nullopt};
  return {elements, inside(elements, {})};
}

void Writer::with_tile(Value t, std::optional<Value> limit, const std::function<void(const Tile&)>& body) {
  const std::int64_t size = manifest.launch.tile_elements, all = manifest.launch.elements;
  if (!limit && (all % size == 0 || all < size)) return body(tile(t));
  const Value elements = elements_of(t);
  const Value next = add(t, index(1));
  const Value last = mul(next, index(size));
  const Value is_full = b.compare(IntPredicate::sle, last, limit ? *limit : index(all));
  const auto whole = [&] {
    body({elements, std::nullopt});
    return Builder::Values{};
  };
  const auto masked = [&] {
    body({elements, inside(elements, limit)});
    return Builder::Values{};
  };
  b.if_else(is_full, whole, masked);
}

void Writer::for_own_tiles(const std::function<void(Value)>& body) {
  const Value first = widened(program_);
  b.for_loop(first, index(manifest.launch.tiles()), programs_, body);
}

void Writer::for_ranks(int n, const std::function<void(Value)>& body) {
  const Value first = i32(1);
  const Value end = i32(n + 1);
  b.for_loop(first, end, i32(1), [&](Value step) { body(rank_after(step)); });
}

Value Writer::rank_after(Value n) {
  const Value next = add(rank(), n);
  const Value wrapped = b.arith(ArithOp::subi, next, i32(world));
  const Value is_past = b.compare(IntPredicate::sge, next, i32(world));
  return b.select(is_past, wrapped, next);
}

void Writer::visit(const std::function<std::function<void(Value)>(Value)>& begin) {
  if (manifest.spec.variant == Variant::swizzled) return for_groups(begin);
  for_ranks(world, [&](Value source) { for_own_tiles(begin(source)); });
}

// Loops over k: the program's tile k is tile program + k * programs. `count` may be negative.
void Writer::for_groups(const std::function<std::function<void(Value)>(Value)>& begin) {
  const Value start = widened(program_);
  const Value rest = b.arith(ArithOp::subi, index(manifest.launch.tiles() - 1), start);
  const Value count = b.arith(ArithOp::divsi, add(rest, programs_), programs_);
  const Value zero = index(0);
  const Value step = index(swizzle_group);
  b.for_loop(zero, count, step, [&](Value group) {
    const Value end = b.arith(ArithOp::minsi, add(group, step), count);
    for_ranks(world, [&](Value source) {
      const std::function<void(Value)> body = begin(source);
      b.for_loop(group, end, index(1), [&](Value k) { body(add(mul(k, programs_), start)); });
    });
  });
}

}  // namespace tutti::kernels
