// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/dot_general.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "tutti/base/counted.hpp"
#include "tutti/base/in_lines.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/tensor/loops/copies.hpp"
#include "tutti/tensor/products/product.hpp"

namespace tutti {
namespace {

Dims joined(Dims first, const Dims& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Dims free_dims(int rank, const Dims& batch, const Dims& contract) {
  return other_dims(rank, joined(batch, contract));
}

// Pairs of dims have equal sizes; `role` is "batch" or "contracted".
void require_pairs(Type lhs, Type rhs, const Dims& of_lhs, const Dims& of_rhs, std::string_view role,
                   std::string_view count_label, std::string_view size_label) {
  if (of_lhs.size() != of_rhs.size())
    fail(Code::dim, "{} of {} and {} of {}; they go in pairs ({})",
         counted(std::ssize(of_lhs), fmt::format("{} dim", role)), to_string(lhs), of_rhs.size(),
         to_string(rhs), count_label);
  for (std::size_t i = 0; i < of_lhs.size(); ++i)
    if (lhs.shape()[of_lhs[i]] != rhs.shape()[of_rhs[i]])
      fail(Code::shape,
           "{} dim {} of {} has size {}, its partner, dim {} of {}, has {}; they must be equal ({})", role,
           of_lhs[i].index, to_string(lhs), lhs.shape()[of_lhs[i]], of_rhs[i].index, to_string(rhs),
           rhs.shape()[of_rhs[i]], size_label);
}

// `x` has the dims that `dims` says, in that order; put them in order 0, 1, ...
Array in_order(const Array& x, const Dims& dims) {
  std::vector<int> permutation(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i)
    permutation[static_cast<std::size_t>(dims[i].index)] = static_cast<int>(i);
  return transpose(x, permutation);
}

// The partners in `to` of the dims in `from`, by ascending dim of `from`.
Dims partners(const Dims& from, const Dims& to) {
  std::vector<std::pair<Dim, Dim>> pairs;
  pairs.reserve(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) pairs.emplace_back(from[i], to[i]);
  std::ranges::sort(pairs);
  Dims partners;
  for (const auto& [dim, partner] : pairs) partners.push_back(partner);
  return partners;
}

// An operand in the form that a Product takes: batch, rows, columns, or batch, columns, rows if transposed.
struct Matrices {
  bool transposed = false;
  std::vector<CopyLoop> packing = {};  // empty: the operand lies so
  std::size_t element_bytes = 0;
  std::size_t packed_bytes = 0;  // a multiple of 64

  const std::byte* from(const std::byte* operand, std::byte*& scratch) const {
    if (packing.empty()) return operand;
    strided_copy(scratch, operand, packing, element_bytes);
    scratch += packed_bytes;
    return scratch - packed_bytes;
  }
};

// Dims of size 1 may stand anywhere.
bool lies_in_order(const Shape& shape, Dims dims) {
  std::erase_if(dims, [&](Dim dim) { return shape[dim] == 1; });
  return std::ranges::is_sorted(dims);
}

Dims matrix_order(const Dims& batch, const Dims& rows, const Dims& columns, bool transposed) {
  return joined(batch, transposed ? joined(columns, rows) : joined(rows, columns));
}

Matrices matrices(Type x, const Dims& batch, const Dims& rows, const Dims& columns) {
  for (bool transposed : {false, true})
    if (lies_in_order(x.shape(), matrix_order(batch, rows, columns, transposed)))
      return {.transposed = transposed};
  bool transposed = contains(rows, Dim{x.rank() - 1});  // so that the copy is one of runs
  std::size_t element_bytes = bytes_per_element(x.dtype());
  auto stride = static_cast<std::int64_t>(element_bytes);
  std::vector<std::int64_t> strides(static_cast<std::size_t>(x.rank()));
  for (int i = x.rank(); i-- > 0; stride *= x.shape()[i]) strides[static_cast<std::size_t>(i)] = stride;
  std::vector<CopyLoop> loops;
  for (Dim dim : matrix_order(batch, rows, columns, transposed))
    loops.push_back({x.shape()[dim], 0, strides[static_cast<std::size_t>(dim.index)]});
  stride = static_cast<std::int64_t>(element_bytes);
  for (auto loop = loops.rbegin(); loop != loops.rend(); stride *= loop->size, ++loop)
    loop->to_stride = stride;
  return {transposed, loops, element_bytes, in_lines(x.bytes())};
}

std::int64_t joint_length(const Shape& shape, const Dims& dims) {
  std::int64_t n = 1;
  for (Dim dim : dims) n *= shape[dim];
  return n;
}

kernel::Opaque zeros_unit(std::size_t bytes) {
  return {.nanoseconds = 0.02 * static_cast<double>(bytes),  // 50 GB/s: a fill in the cache
          .run = [bytes](const kernel::Unit& unit) { std::memset(unit.results[0], 0, bytes); }};
}

constexpr double packing_ns_per_byte = 0.25;  // an f32 each ns: strided loads that hit the cache

}  // namespace

Parameters DotGeneral::parameters() const {
  return {{"lhs_batch", to_string(lhs_batch)},
          {"rhs_batch", to_string(rhs_batch)},
          {"lhs_contract", to_string(lhs_contract)},
          {"rhs_contract", to_string(rhs_contract)}};
}

Types DotGeneral::infer(const Types& operands) const {
  const Type &lhs = operands[0], &rhs = operands[1];
  if (lhs.dtype() != rhs.dtype())
    fail(Code::dtype, "{} and {} have different dtypes (dot_general_c13); convert one of them: {}",
         to_string(lhs), to_string(rhs), conversion_to(std::max(lhs.dtype(), rhs.dtype())));
  if (lhs.dtype() == DType::boolean)
    fail(Code::dtype, "{} is bool, which has no product of matrices; convert it: convert(x, DType::f32)",
         to_string(lhs));
  require_distinct(joined(lhs_batch, lhs_contract), lhs, "dot_general_c3");
  require_distinct(joined(rhs_batch, rhs_contract), rhs, "dot_general_c4");
  require_in_range(lhs_batch, lhs, "dot_general_c5");
  require_in_range(lhs_contract, lhs, "dot_general_c6");
  require_in_range(rhs_batch, rhs, "dot_general_c7");
  require_in_range(rhs_contract, rhs, "dot_general_c8");
  require_pairs(lhs, rhs, lhs_batch, rhs_batch, "batch", "dot_general_c1", "dot_general_c9");
  require_pairs(lhs, rhs, lhs_contract, rhs_contract, "contracted", "dot_general_c2", "dot_general_c10");
  std::vector<std::int64_t> sizes;
  for (Dim dim : joined(lhs_batch, free_dims(lhs.rank(), lhs_batch, lhs_contract)))
    sizes.push_back(lhs.shape()[dim]);
  for (Dim dim : free_dims(rhs.rank(), rhs_batch, rhs_contract)) sizes.push_back(rhs.shape()[dim]);
  return {Type(lhs.dtype(), Shape(std::move(sizes)), agreed_states(operands, mixing()))};
}

Kernel DotGeneral::kernel(const Layout& layout) const {
  Type lhs = layout.operands()[0], rhs = layout.operands()[1], result = layout.results()[0];
  Dims m = free_dims(lhs.rank(), lhs_batch, lhs_contract), n = free_dims(rhs.rank(), rhs_batch, rhs_contract);
  Dims lhs_k = partners(lhs_contract, lhs_contract), rhs_k = partners(lhs_contract, rhs_contract);
  Matrices a = matrices(lhs, lhs_batch, m, lhs_k), b = matrices(rhs, rhs_batch, rhs_k, n);
  ProductShape shape{.batch = joint_length(lhs.shape(), lhs_batch),
                     .m = joint_length(lhs.shape(), m),
                     .n = joint_length(rhs.shape(), n),
                     .k = joint_length(lhs.shape(), lhs_k),
                     .a_transposed = a.transposed,
                     .b_transposed = b.transposed};
  if (shape.k == 0 || result.elements() == 0) return zeros_unit(result.bytes());
  auto product = std::make_shared<const Product>(lhs.dtype(), shape);
  const std::size_t packed_bytes = a.packed_bytes + b.packed_bytes;
  const auto [lines, block] = product->lines();
  return kernel::Opaque{
      .nanoseconds = product->nanoseconds() + packing_ns_per_byte * static_cast<double>(packed_bytes),
      .scratch_bytes = packed_bytes + product->scratch_bytes(),
      .run =
          [product, a, b](const kernel::Unit& unit) {
            std::byte* scratch = unit.scratch;
            const std::byte* left = a.from(unit.operands[0], scratch);
            const std::byte* right = b.from(unit.operands[1], scratch);
            product->run(unit.results[0], left, right, scratch, unit.lines.begin, unit.lines.end);
          },
      .shared = {lines, 1, packed_bytes == 0 ? block : lines}};  // one worker packs for all lines
}

Jvp DotGeneral::jvp(const Arrays& operands, const Tangents& tangents) const {
  return bilinear_jvp(*this, operands, tangents);
}

// The cotangent has dims batch, lhs free, rhs free; those of the other operand are contracted with it.
Tangents DotGeneral::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  require(operands[0].known || operands[1].known, Code::refused_rule,
          "transpose is refused: dot_general is linear in one operand at a time");
  const Array& cotangent = *cotangents[0];
  Dims lhs_free = free_dims(operands[0].type.rank(), lhs_batch, lhs_contract);
  Dims rhs_free = free_dims(operands[1].type.rank(), rhs_batch, rhs_contract);
  Dims batch = dims_of(static_cast<int>(lhs_batch.size()));
  Dims from_lhs = shifted(dims_of(static_cast<int>(lhs_free.size())), static_cast<int>(batch.size()));
  Dims from_rhs = other_dims(cotangent.rank(), joined(batch, from_lhs));
  if (operands[0].linear()) {
    Array y = apply_one(DotGeneral{batch, rhs_batch, from_rhs, rhs_free}, {cotangent, *operands[1].known});
    return {in_order(y, joined(joined(lhs_batch, lhs_free), partners(rhs_contract, lhs_contract))), {}};
  }
  Array y = apply_one(DotGeneral{lhs_batch, batch, lhs_free, from_lhs}, {*operands[0].known, cotangent});
  return {{}, in_order(y, joined(joined(rhs_batch, partners(lhs_contract, rhs_contract)), rhs_free))};
}

// Lanes of one operand only are a free dim of it, so that the other one is not repeated.
BatchedArrays DotGeneral::batch(const Axis&, const BatchedArrays& operands, const Types& types) const {
  const auto& [lhs, lhs_batched] = operands[0];
  const auto& [rhs, rhs_batched] = operands[1];
  int of_lhs = lhs_batched ? 1 : 0, of_rhs = rhs_batched ? 1 : 0;
  DotGeneral op{shifted(lhs_batch, of_lhs), shifted(rhs_batch, of_rhs), shifted(lhs_contract, of_lhs),
                shifted(rhs_contract, of_rhs)};
  if (lhs_batched && rhs_batched) {
    op.lhs_batch.insert(op.lhs_batch.begin(), Dim{0});
    op.rhs_batch.insert(op.rhs_batch.begin(), Dim{0});
  }
  Array y = apply_one(op, {lhs, rhs});
  if (lhs_batched == rhs_batched) return {{y, lhs_batched}};
  int before = lhs_batched ? static_cast<int>(lhs_batch.size())
                           : types[0].rank() - static_cast<int>(lhs_contract.size());
  return {{move_dim(y, Dim{before}, Dim{0}), true}};
}

Lowered DotGeneral::lower(Emitter& emitter, const Lowered& operands) const {
  stablehlo::Attributes fields;
  auto add = [&](const char* field, const Dims& dims) {
    if (!dims.empty()) fields.push_back({field, stablehlo::integers(indices(dims))});
  };
  add("lhs_batching_dimensions", lhs_batch);
  add("rhs_batching_dimensions", rhs_batch);
  add("lhs_contracting_dimensions", lhs_contract);
  add("rhs_contracting_dimensions", rhs_contract);
  return {emitter.emit("stablehlo.dot_general", operands, emitter.result_types()[0],
                       {{"dot_dimension_numbers", stablehlo::record("dot", std::move(fields))}})};
}

std::vector<Example> DotGeneral::examples() {
  const Axes& axes = example_mesh().axes();
  const Dims none, d0{Dim{0}}, d1{Dim{1}}, d2{Dim{2}}, d02{Dim{0}, Dim{2}}, d21{Dim{2}, Dim{1}};
  const DotGeneral matrices{none, none, d1, d0}, batched{d0, d0, d2, d1};
  Type a(DType::f64, {3, 5}), b(DType::f64, {5, 2}), boxes(DType::f32, {2, 3, 4});
  std::vector<Example> examples{
      {matrices, {a, b}},
      {matrices, {a.with(axes[0], varying), b.with(axes[0], varying)}},
      {matrices, {a.with(axes[0], unreduced), b.with(axes[0], reduced)}},
      {matrices,
       {a.with(axes[0], reduced).with(axes[1], varying), b.with(axes[0], unreduced).with(axes[1], varying)}},
      {matrices, {a.with(axes[2], reduced), b.with(axes[2], reduced)}},
      {DotGeneral{none, none, d0, d1}, {b, a}},
      {DotGeneral{none, none, d1, d1}, {a, Type(DType::f64, {2, 5})}},
      {DotGeneral{none, none, d0, d0}, {Type(DType::f32, {7}), Type(DType::f32, {7})}},
      {DotGeneral{none, none, none, none}, {Type(DType::f64, {2}), Type(DType::f64, {3})}},
      {DotGeneral{none, none, none, none}, {Type(DType::f32, {}), Type(DType::f32, {})}},
      {batched, {boxes, Type(DType::f32, {2, 4, 5})}},
      {batched, {boxes.with(axes[1], varying), Type(DType::f32, {2, 4, 5}).with(axes[1], varying)}},
      {DotGeneral{d1, d2, d2, d0}, {Type(DType::f64, {2, 3, 4}), Type(DType::f64, {4, 2, 3})}},
      {DotGeneral{none, none, d02, d21}, {Type(DType::f64, {2, 3, 4}), Type(DType::f64, {5, 4, 2})}},
      {matrices, {Type(DType::i32, {2, 3}), Type(DType::i32, {3, 2})}},
      {DotGeneral{d1, d1, d0, d0}, {Type(DType::i64, {3, 2, 2}), Type(DType::i64, {3, 2})}},
      {matrices, {Type(DType::f32, {2, 0}), Type(DType::f32, {0, 3})}},
      {matrices, {Type(DType::f64, {0, 2}), Type(DType::f64, {2, 3})}},
  };
  for (DType dtype : more_dtypes()) {
    examples.push_back(
        {matrices, {a.with(dtype).with(axes[0], varying), b.with(dtype).with(axes[0], varying)}});
    examples.push_back({DotGeneral{none, none, d1, d1}, {a.with(dtype), Type(dtype, {2, 5})}});
  }
  return examples;
}

Array dot_general(const Operand& lhs, const Operand& rhs, const DotGeneralOptions& dims) {
  return front_end(DotGeneral::name, lhs.where(), [&] {
    Array a = as_array(lhs, {rhs}), b = as_array(rhs, {lhs});
    Type x = a.type(), y = b.type();
    DotGeneral op{as_dims(dims.lhs_batch, x), as_dims(dims.rhs_batch, y), as_dims(dims.lhs_contract, x),
                  as_dims(dims.rhs_contract, y)};
    return apply_one(op, {a, b});
  });
}

namespace {

// Both operands have dims before their matrices.
Array matmul_of_stacks(const Array& a, const Array& b) {
  auto before = [](const Shape& shape) { return Shape(std::vector(shape.begin(), shape.end() - 2)); };
  Shape batch = broadcast_shape(before(a.shape()), before(b.shape()));
  auto stacked = [&](const Array& x) {
    int rank = x.rank();
    return broadcast_to(x, batch.inserted(Dim{batch.rank()}, x.shape()[rank - 1])
                               .inserted(Dim{batch.rank()}, x.shape()[rank - 2]));
  };
  Dims lanes = dims_of(batch.rank());
  return apply_one(DotGeneral{lanes, lanes, {Dim{batch.rank() + 1}}, {Dim{batch.rank()}}},
                   {stacked(a), stacked(b)});
}

}  // namespace

Array matmul(const Operand& lhs, const Operand& rhs) {
  return front_end("matmul", lhs.where(), [&] {
    Array a = as_array(lhs, {rhs}), b = as_array(rhs, {lhs});
    require(a.rank() > 0 && b.rank() > 0, Code::shape, "{} is a scalar; multiply with *",
            (a.rank() == 0 ? a : b).type());
    Dim of_a{a.rank() - 1}, of_b{std::max(b.rank() - 2, 0)};
    require(a.shape()[of_a] == b.shape()[of_b], Code::shape,
            "the last dim of {} has size {}, dim {} of {} has {}; they must be equal", a.type(),
            a.shape()[of_a], of_b.index, b.type(), b.shape()[of_b]);
    if (a.rank() > 2 && b.rank() > 2) return matmul_of_stacks(a, b);
    Array y = apply_one(DotGeneral{{}, {}, {of_a}, {of_b}}, {a, b});
    return a.rank() == 2 && b.rank() > 2 ? move_dim(y, Dim{0}, Dim{y.rank() - 2}) : y;
  });
}

}  // namespace tutti
