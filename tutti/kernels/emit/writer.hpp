// SPDX-License-Identifier: Apache-2.0
// The parts that all emitters share: arguments, arithmetic of offsets, tiles, and the order of visits.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "tutti/kernels/ir/builder.hpp"
#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::kernels {

/// The least power of two that is not below n: a tensor's dim for n lanes.
int lanes_for(int n);
/// How the elements of a dtype are held while they move or are reduced.
Scalar scalar_of(DType dtype);

/// A tile of a block: the offsets of its elements, and which of them lie inside; none: all.
struct Tile {
  Value elements;
  std::optional<Value> mask;
};

/// Writes one kernel of a manifest. Offsets are i32 or i64 as the view says, "index" below; ranks and counts are i32.
/// C++ does not say which argument of a call is evaluated first: at most one argument of a call makes an op.
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
  /// An i32 as an index.
  Value widened(Value value);
  Value add(Value x, Value y) { return b.arith(ArithOp::addi, x, y); }
  Value mul(Value x, Value y) { return b.arith(ArithOp::muli, x, y); }
  Value negated(Value truth);  // of i1
  /// index: value * factor, value is an i32.
  Value times(Value value, std::int64_t factor);

  /// The address in `entry` of a table, as a pointer whose accesses may be vectors.
  Value buffer(ArgumentKind table, Value entry, Scalar pointee);
  /// The buffer of a rank in the half of this call.
  Value half_of(ArgumentKind table, Value rank, Scalar pointee);

  /// Pointers to elements of one block of an array that begins at `base`. `block` is an i32.
  Value places(Value base, const BlockedArray& array, Value block, Value elements);

  /// Calls body with tile t. Elements from `limit` on lie outside; none: the launch's elements. Body is called twice if
  /// some tiles need a mask and others do not: full tiles have none, so that their accesses are vectors.
  void with_tile(Value t, std::optional<Value> limit, const std::function<void(const Tile&)>& body);
  /// Tile t, with a mask if some tile needs one.
  Tile tile(Value t);
  void for_own_tiles(const std::function<void(Value)>& body);
  /// body(source) for n of the ranks, from the right neighbour of this rank on; the rank itself is the last of all.
  void for_ranks(int n, const std::function<void(Value)>& body);
  /// The rank that is n further, in a circle; n from 1 to world.
  Value rank_after(Value n);
  /// The visits of VisitOrder. begin(source) writes what is done once before tiles of a source and returns what is done for
  /// a tile.
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
