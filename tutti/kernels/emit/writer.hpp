// SPDX-License-Identifier: Apache-2.0
// The Writer that all emitters use: arguments, offset arithmetic, tiles, and the order of visits.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "tutti/kernels/ir/builder.hpp"
#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::kernels {

/// The smallest power of two that is at least n: the dim of a tensor for n lanes.
int lanes_for(int n);
/// The scalar type that holds elements of a dtype in a kernel.
Scalar scalar_of(DType dtype);

/// A tile of a block: the offsets of its elements, and the mask of those inside the block. No mask: all are.
struct Tile {
  Value elements;
  std::optional<Value> mask;
};

/// Writes one kernel of a manifest. Offsets have type index: i32 or i64, see CanonicalView::offsets. Ranks
/// and counts are i32. At most one argument of a call may make an op: C++ evaluates arguments in any order.
class Writer {
 public:
  Writer(const Manifest& m, const std::string& entry);
  Function finish() && { return std::move(b).finish(); }

  const Manifest& manifest;
  const CanonicalView view;
  const Scalar element;  // of input, output and staging
  const int world;

  Builder b;

  Value argument(ArgumentKind kind) const { return arguments_.at(kind); }
  Value rank() const { return argument(ArgumentKind::rank); }
  Value program() const { return program_; }
  Value programs() const { return programs_; }  // index

  Value i32(std::int64_t value) { return b.constant(value_of(Scalar::i32), value); }
  Value i64(std::int64_t value) { return b.constant(value_of(Scalar::i64), value); }
  Value index(std::int64_t value) { return b.constant(value_of(index_), value); }
  /// Converts an i32 to an index.
  Value widened(Value value);
  Value add(Value x, Value y) { return b.arith(ArithOp::addi, x, y); }
  Value mul(Value x, Value y) { return b.arith(ArithOp::muli, x, y); }
  Value negated(Value truth);  // of i1
  /// Returns value * factor as an index; value is an i32.
  Value times(Value value, std::int64_t factor);

  /// Loads the address in an entry of a table. Accesses through the pointer may be vectors.
  Value buffer(ArgumentKind table, Value entry, Scalar pointee);
  /// Loads the address of a rank's buffer in the half that this call uses.
  Value half_of(ArgumentKind table, Value rank, Scalar pointee);

  /// Returns pointers to elements of one block of an array that begins at `base`. `block` is an i32.
  Value places(Value base, const BlockedArray& array, Value block, Value elements);

  /// Calls body with tile t. Elements from `limit` on (default: launch.elements) are outside. If only some
  /// tiles need a mask, calls body twice, for a branch without and one with a mask: full tiles then use
  /// vector accesses.
  void with_tile(Value t, std::optional<Value> limit, const std::function<void(const Tile&)>& body);
  /// Returns tile t, with a mask if any tile needs one.
  Tile tile(Value t);
  void for_own_tiles(const std::function<void(Value)>& body);
  /// Runs body(source) for the n ranks after this rank, in a circle; n = world ends with this rank itself.
  void for_ranks(int n, const std::function<void(Value)>& body);
  /// Returns (rank + n) modulo world, for n from 1 to world.
  Value rank_after(Value n);
  /// Writes the loops of VisitOrder. begin(source) writes the ops before the source's tiles; the function
  /// that it returns writes the ops for a tile.
  void visit(const std::function<std::function<void(Value)>(Value)>& begin);

 private:
  void for_groups(const std::function<std::function<void(Value)>(Value)>& begin);
  Value elements_of(Value t);
  Value inside(Value elements, std::optional<Value> limit);

  const Scalar index_;
  std::map<ArgumentKind, Value> arguments_;
  Value program_, programs_, lanes_;
};

}  // namespace tutti::kernels
