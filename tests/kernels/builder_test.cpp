// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ir/builder.hpp"

#include <gtest/gtest.h>

#include "tutti/base/error.hpp"

namespace tutti::kernels {
namespace {

struct Sample {
  Builder b{"sample"};
  Value p = b.argument("p", pointer_to(Scalar::i32)), n = b.argument("n", value_of(Scalar::i32)),
        q = b.argument("q", value_of(Scalar::i64)), c = b.argument("c", value_of(Scalar::i1)),
        x = b.argument("x", value_of(Scalar::f32));
  Value i8 = b.range(0, 8), ps = b.splat(p, {8}), c4 = b.splat(c, {4});
};

struct Row {
  void (*write)(Sample&);
  std::string_view message;
};

using Values = Builder::Values;

const Row refusals[] = {
    {[](Sample& s) { s.b.range(0, 6); }, "tt.make_range(): tensor<6xi32>: dim 6 is not a power of two"},
    {[](Sample& s) { s.b.range(4, 4); }, "tt.make_range(): the range is empty or begins below zero"},
    {[](Sample& s) { s.b.splat(s.n, {2048, 1024}); },
     "tt.splat(i32): tensor<2048x1024xi32>: more than 1048576 elements"},
    {[](Sample& s) { s.b.splat(s.i8, {8}); }, "tt.splat(tensor<8xi32>): the operand is a tensor already"},
    {[](Sample& s) { s.b.splat(s.n, {}); }, "tt.splat(i32): the result is no tensor"},
    {[](Sample& s) { s.b.constant(value_of(Scalar::i8), 128); },
     "arith.constant(): the number is not one of i8"},
    {[](Sample& s) { s.b.constant(value_of(Scalar::f32), 0.1); },
     "arith.constant(): the number is not one of f32"},
    {[](Sample& s) { s.b.constant(value_of(Scalar::f16), 65536.0); },
     "arith.constant(): the number is not one of f16"},
    {[](Sample& s) { s.b.constant(pointer_to(Scalar::i8), 0); },
     "arith.constant(): a pointer is no constant"},
    {[](Sample& s) { s.b.one(ExpandDims{2}, {s.i8}); },
     "tt.expand_dims(tensor<8xi32>): the axis is out of range"},
    {[](Sample& s) { s.b.one(Broadcast{{16}}, {s.i8}); },
     "tt.broadcast(tensor<8xi32>): only dims of 1 become larger: tensor<16xi32>"},
    {[](Sample& s) { s.b.one(Reshape{{4}}, {s.i8}); },
     "tt.reshape(tensor<8xi32>): there is another number of elements in tensor<4xi32>"},
    {[](Sample& s) { s.b.offset(s.n, s.n); }, "tt.addptr(i32, i32): the first operand must be a pointer"},
    {[](Sample& s) { s.b.offset(s.p, s.x); },
     "tt.addptr(!tt.ptr<i32>, f32): the offset must be i32 or i64 of the pointer's dims"},
    {[](Sample& s) { s.b.one(IntToPtr{}, {s.n}); }, "tt.int_to_ptr(i32): an address is i64"},
    {[](Sample& s) { s.b.one(IntToPtr{Scalar::i8, 12}, {s.q}); },
     "tt.int_to_ptr(i64): the divisibility is not a power of two"},
    {[](Sample& s) { s.b.one(Bitcast{Scalar::i64}, {s.x}); }, "tt.bitcast(f32): the number of bits changes"},
    {[](Sample& s) { s.b.load(s.ps, s.c4); },
     "tt.load(tensor<8x!tt.ptr<i32>>, tensor<4xi1>): the mask must be tensor<8xi1>"},
    {[](Sample& s) { s.b.load(s.p, {}, s.n); }, "tt.load: an other value needs a mask"},
    {[](Sample& s) { s.b.load(s.p, s.c, s.x); },
     "tt.load(!tt.ptr<i32>, i1, f32): the other value has not the pointer's type"},
    {[](Sample& s) { s.b.store(s.p, s.x); },
     "tt.store(!tt.ptr<i32>, f32): the value has not the pointer's type i32"},
    {[](Sample& s) { s.b.atomic_rmw({RmwOp::fadd}, s.p, s.n); },
     "tt.atomic_rmw(!tt.ptr<i32>, i32): fadd adds floats"},
    {[](Sample& s) { s.b.atomic_store({Order::acquire}, s.p, s.n); },
     "tt.atomic_store(!tt.ptr<i32>, i32): a store is release or relaxed"},
    {[](Sample& s) { s.b.atomic_load({Order::release}, s.p); },
     "tt.atomic_load(!tt.ptr<i32>): a load is acquire or relaxed"},
    {[](Sample& s) { s.b.atomic_poll({}, s.p, s.n, s.n); },
     "tt.atomic_poll(!tt.ptr<i32>, i32, i32): the timeout must be i64"},
    {[](Sample& s) { s.b.one(ThreadSignal{}, {s.ps, s.i8}); },
     "tt.elementwise_inline_asm(tensor<8x!tt.ptr<i32>>, tensor<8xi32>): a thread accesses one i32 by a "
     "pointer to it"},
    {[](Sample& s) { s.b.one(ThreadSignal{Order::acquire}, {s.p, s.n}); },
     "tt.elementwise_inline_asm(!tt.ptr<i32>, i32): a store is release or relaxed"},
    {[](Sample& s) { s.b.one(ThreadWait{}, {s.p, s.n, s.n, s.p}); },
     "tt.elementwise_inline_asm(!tt.ptr<i32>, i32, i32, !tt.ptr<i32>): the limit must be i64"},
    {[](Sample& s) {
       s.b.one(ThreadWait{Order::acquire, Scope::sys, IntPredicate::ne}, {s.p, s.n, s.q, s.p});
     },
     "tt.elementwise_inline_asm(!tt.ptr<i32>, i32, i64, !tt.ptr<i32>): a wait is for sge or eq"},
    {[](Sample& s) { s.b.reduce(ArithOp::addi, s.i8, 1); },
     "tt.reduce(tensor<8xi32>): the axis is out of range"},
    {[](Sample& s) { s.b.arith(ArithOp::addi, s.n, s.q); },
     "arith.addi(i32, i64): both operands must have one type"},
    {[](Sample& s) { s.b.arith(ArithOp::mulf, s.n, s.n); },
     "arith.mulf(i32, i32): the operands must be floats"},
    {[](Sample& s) { s.b.compare(IntPredicate::eq, s.x, s.x); },
     "arith.cmpi(f32, f32): the operands must be integers"},
    {[](Sample& s) { s.b.select(s.c4, s.i8, s.i8); },
     "arith.select(tensor<4xi1>, tensor<8xi32>, tensor<8xi32>): the condition must be i1, or a tensor of i1 "
     "with "
     "the values' dims"},
    {[](Sample& s) { s.b.convert(ConvertOp::trunci, s.n, Scalar::i64); },
     "arith.trunci(i32): i64 is not narrower"},
    {[](Sample& s) { s.b.convert(ConvertOp::extf, s.n, Scalar::f64); },
     "arith.extf(i32): floats become floats"},
    {[](Sample& s) { s.b.for_loop(s.n, s.q, s.n, [](Value) {}); },
     "scf.for(i32, i64, i32): bounds and step must have one type"},
    {[](Sample& s) {
       s.b.for_loop(s.n, s.n, s.n, {s.x}, [&](Value, std::span<const Value>) { return Values{s.n}; });
     },
     "scf.for %n: region 0 ends with scf.yield(i32), expected (f32)"},
    {[](Sample& s) { s.b.if_else(s.c, [&] { return Values{s.n}; }, [&] { return Values{}; }); },
     "scf.if %c: region 1 ends with scf.yield(), expected (i32)"},
    {[](Sample& s) { s.b.if_then(s.n, [] {}); }, "scf.if(i32): the condition must be i1"},
    {[](Sample& s) {
       s.b.while_loop({}, [&](std::span<const Value>) { return s.n; }, [](auto) { return Values{}; });
     },
     "scf.condition(i32): the condition must be i1"},
    {[](Sample& s) { s.b.load(Value{}); },
     "kernel sample: there is no value -1; take values from the builder of this kernel"},
    {[](Sample& s) { s.b.argument("late", value_of(Scalar::i32)); },
     "kernel sample: argument late comes after an op"},
    {[](Sample& s) { s.b.one(BlockBarrier{}); }, "ttg.barrier: 0 results, expected one"},
};

TEST(kernel_builder, refuses_a_wrong_type_at_once_with_op_and_types) {
  for (const Row& row : refusals) {
    Sample sample;
    try {
      row.write(sample);
      ADD_FAILURE() << "accepted: " << row.message;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::internal);
      EXPECT_EQ(error.message(), row.message);
    }
  }
}

TEST(kernel_builder, splats_the_scalar_of_pointer_and_offset) {
  Sample s;
  EXPECT_EQ(s.b.type(s.b.offset(s.p, s.i8)), pointer_to(Scalar::i32, {8}));
  EXPECT_EQ(s.b.type(s.b.offset(s.ps, s.n)), pointer_to(Scalar::i32, {8}));
}

TEST(kernel_types, hold_exactly_the_numbers_that_they_can_represent) {
  EXPECT_TRUE(holds(Scalar::f16, 65504.0));
  EXPECT_FALSE(holds(Scalar::f16, 65520.0));
  EXPECT_TRUE(holds(Scalar::f16, 0x1p-24));
  EXPECT_FALSE(holds(Scalar::f16, 0x1p-25));
  EXPECT_TRUE(holds(Scalar::bf16, 0x1.fep127));
  EXPECT_FALSE(holds(Scalar::bf16, 257.0));
  EXPECT_TRUE(holds(Scalar::i32, std::int64_t{-2147483648}));
  EXPECT_FALSE(holds(Scalar::i32, std::int64_t{2147483648}));
  EXPECT_FALSE(holds(Scalar::i32, 1.0));
}

}  // namespace
}  // namespace tutti::kernels
