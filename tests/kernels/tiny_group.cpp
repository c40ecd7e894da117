// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/tiny_group.hpp"

#include "tests/kernels/specs.hpp"

namespace tutti::kernels {

Manifest idle_manifest(int world, int blocks) {
  const CollectiveSpec spec = spec_for(CollectiveKind::ppermute, DType::i32, {blocks}, world);
  const Launch launch{.elements = blocks, .tile_elements = 1, .grid = blocks};
  return manifest_of(spec, Target::nvidia, Encoding::atomics, launch);
}

Value Script::word(int rank, int index) {
  const Value pad = w.buffer(ArgumentKind::signal_table, w.i32(rank), Scalar::i32);
  return w.b.offset(pad, w.i32(index));
}

Value Script::staged(int rank, int index) {
  const Value staging = w.half_of(ArgumentKind::staging_table, w.i32(rank), Scalar::i32);
  return w.b.offset(staging, w.i32(index));
}

void Script::await(Value pointer, std::int64_t number, Order order, Scope scope) {
  const Value expected = w.i32(number);
  const auto differs = [&](std::span<const Value>) {
    return w.b.compare(IntPredicate::ne, load_atomic(pointer, order, scope), expected);
  };
  w.b.while_loop({w.i32(0)}, differs,
                 [](std::span<const Value> carried) { return Builder::Values{carried[0]}; });
  w.b.block_barrier();
}

void Script::if_both(Value x, Value y, const std::function<void()>& then) {
  w.b.if_then(w.b.arith(ArithOp::andi, x, y), then);
}

void Script::only(int rank, int block, const std::function<void()>& then) {
  const Value is_rank = w.b.compare(IntPredicate::eq, w.rank(), w.i32(rank));
  const Value is_block = w.b.compare(IntPredicate::eq, w.program(), w.i32(block));
  if_both(is_rank, is_block, then);
}

void Script::fail_if(Value x, std::int64_t x_number, Value y, std::int64_t y_number) {
  const Value is_x = w.b.compare(IntPredicate::eq, x, w.i32(x_number));
  const Value is_y = w.b.compare(IntPredicate::eq, y, w.i32(y_number));
  if_both(is_x, is_y, [&] {
    const Value output = w.argument(ArgumentKind::output);
    w.b.store(w.b.offset(output, w.i32(1000)), w.i32(0), {}, {Memory::own, Cache::none});
  });
}

void Script::use(Value value) {
  const Value output = w.argument(ArgumentKind::output);
  w.b.store(w.b.offset(output, w.program()), value, {}, {Memory::own, Cache::none});
}

EmittedKernels tiny_group(int world, int blocks, const std::function<void(Script&)>& write) {
  return written(idle_manifest(world, blocks), [&](Writer& w) {
    Script script{w};
    write(script);
    script.use(w.i32(0));
  });
}

CheckOptions every_order(std::int64_t at_most) {
  return {.calls = 1, .schedules = at_most, .kinds = {ScheduleKind::exhaustive}};
}

CheckOptions many_orders(std::int64_t schedules) { return {.calls = 1, .schedules = schedules}; }

}  // namespace tutti::kernels
