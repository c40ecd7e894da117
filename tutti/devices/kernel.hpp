// SPDX-License-Identifier: Apache-2.0
// Kernel descriptions: how an op computes, without loops. The compiler of run/ owns loops, tiles, workers,
// fusion and views.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/tensor/tensor.hpp"
#include "tutti/types/axis.hpp"
#include "tutti/types/shape.hpp"

namespace tutti::ops {

struct Program;  // of ir/
/// Programs inside an op: shared, never changed.
using SubProgram = std::shared_ptr<const Program>;

/// The words in which ops say how they compute: for authors of ops, not for users' programs.
namespace kernel {

/// One coordinate of a value: `weight` times an index along a dim, or along a mesh axis. `nowhere` adds
/// nothing.
struct Coordinate {
  /// A dim, a mesh axis, or nothing.
  enum class Source { nowhere, dim, axis } of = Source::nowhere;
  Dim dim{};    // if of == dim
  Axis axis{};  // if of == axis
  std::int64_t weight = 1;
};
/// A coordinate along a dim, or along a mesh axis.
Coordinate along(Dim dim, std::int64_t weight = 1);
Coordinate along(const Axis& axis);
/// The coordinate that adds nothing.
inline constexpr Coordinate nowhere{};

/// One digit of an index space: 0 to size - 1, as a coordinate of the operand and as one of the result.
struct Digit {
  std::int64_t size;
  Coordinate from, to;
};
/// The result (each, if there are several) is the operand at other addresses. The digits' joint index space
/// covers every element of the result exactly once: result index = sum of digit * to.weight per dim, operand
/// index likewise, from `start` on; weights of the operand may be negative. A digit that comes from `nowhere`
/// repeats the operand. Mesh axes that no digit names stay as they are: each device reads its own.
/// Example, gather of x[d] over axis a of n devices, tiled: {n, from a, to dim 0 * d}, {d, from dim 0, to dim
/// 0}.
struct View {
  std::vector<Digit> digits;
  bool reshape = false;  // no digits: the same elements in row-major order under the result's shape
  std::vector<std::int64_t> start =
      {};  // per dim of the operand: its index where all digits are 0; empty: zeros
};

/// Every dim stays as it is.
View identity_view(const Shape& shape);

struct SelectFn {};   // operands: bool, on_true, on_false
struct ClampFn {};    // operands: low, x, high
struct ConvertFn {};  // from the operand's dtype to the result's
/// Element by element; operands and result have the same shape (convert, compare and select change only the
/// dtype).
struct Pointwise {
  std::variant<UnaryFn, BinaryFn, CompareDirection, SelectFn, ClampFn, ConvertFn> fn;
};

/// Fold dims away, by a fixed tree that depends on the shape only.
struct ReduceDims {
  ReduceKind kind;
  Dims dims;  // ascending
};

/// Fold over the devices along `axes`, pairwise in mesh order; the result is equal along them. `then`: the
/// result is the fold's value at other addresses (reduce_scatter).
struct Fold {
  ReduceKind kind;
  Axes axes;
  std::vector<View> then;  // none or one
};

/// Each device puts its result together from pieces: a block of the operand that some device holds, the fold
/// of that block of several devices, or zeros.
struct Shuffle {
  /// The block `block` of these devices, folded; zeros if there are none.
  struct Piece {
    std::vector<int> devices;  // ascending, which is mesh order; none: zeros
    std::int64_t block = 0;
  };
  std::vector<Piece> pieces;       // of device 0 as they lie in its result, of device 1, ..; as many of each
  std::vector<Digit> digits = {};  // the dims of one piece, from dims of the operand to dims of the result
  Coordinate block = {}, piece = {};  // where block 1 starts in the operand, and piece 1 in the result
  ReduceKind kind = ReduceKind::sum;
};
/// Whole operands: source[device] = the device it comes from, -1 = zeros.
Shuffle shuffle_of(const std::vector<int>& source, const Shape& shape);

/// Data known when the program is compiled, seen through a view whose operand is `data`.
struct Literal {
  Tensor data;
  View view;
};

/// Takes what a kernel writes for the user.
class Printer {
 public:
  virtual ~Printer() = default;
  /// One line, without its end.
  virtual void print(std::string line) = 0;
  /// "i=1": the position of the devices that run the kernel, along axes that are not in its Layout. Empty:
  /// there are none.
  virtual std::string place() const = 0;
};

/// Some lines of a unit: see Opaque::shared.
struct Lines {
  std::int64_t begin = 0, end = 1;
  /// How many lines these are.
  std::int64_t count() const { return end - begin; }
};
/// One distinct value of the results of an Opaque, to compute.
/// Operands and results are dense and row-major; results start at 64 bytes, operands at their element size.
struct Unit {
  std::span<const std::byte* const> operands;
  std::span<std::byte* const> results;
  std::byte* scratch;          // scratch_bytes, 64-byte aligned, nobody else's while the unit runs
  std::int64_t number = 0;     // which of the distinct values of the results
  Printer* printer = nullptr;  // null where nobody reads
  Lines lines = {};            // to compute
};
/// Work that the planner cannot see into, one unit per distinct value of the results; units can run alone and
/// at the same time.
struct Opaque {
  /// A block of the result: `size` elements per dim, from `begin` on. They are those of an operand, from
  /// `from` on. Where `from` is empty, all are the operand's only element.
  struct Block {
    std::size_t operand;
    std::vector<std::int64_t> begin, size, from;
  };
  /// Lines of a unit, which can run alone and at the same time. Each result consists of `repeats` equal
  /// pieces. A piece has equally many elements of each line, one line after the other. What runs is whole
  /// blocks of lines; the last block may be shorter. The bits of a block do not depend on other blocks.
  struct Shared {
    std::int64_t lines = 1, repeats = 1, block = 1;
  };

  double nanoseconds;  // estimate for one unit
  std::size_t scratch_bytes = 0;
  std::function<void(const Unit&)> run;
  /// True if run() may throw for values that it cannot work with (R005). Then all processes of a machine
  /// throw, at the end of the call. One that throws without having said so counts as one that has failed.
  bool may_throw = false;
  /// Result 0 equals this operand except for some elements. If both have one address, run() writes only these
  /// elements.
  std::optional<std::size_t> changes = {};
  /// Not empty: the only result consists of these blocks, which do not overlap. A reader of parts of the
  /// result may read them from the operands.
  std::vector<Block> blocks = {};
  /// Several workers may share several lines. Without lines there is nothing to compute. Not with `changes`
  /// or `may_throw`.
  Shared shared = {};
};

/// Sub-programs, each compiled on its own. Where the value that decides differs between devices, each goes
/// its way; an op does not communicate over the axes along which it differs.
struct Sub {
  /// How the programs run.
  enum class Control {
    choose,  // operand 0 is an i32 index, clamped; that program takes the others and gives the results
    // `length` times the one program: (consts, carries, a slice of each xs) -> (carries, a slice of each ys)
    repeat,
    call,  // the one program on the operands; before it is compiled it stands in its place
    loop,  // while program 0: (consts, carries) -> bool says so, program 1: (consts, carries) -> carries
  } how;
  std::vector<SubProgram> programs;
  int consts = 0, carries = 0;
  std::int64_t length = 0;
  bool reverse = false;  // the last slice first
};

}  // namespace kernel

/// How an op computes: one of these.
using Kernel = std::variant<kernel::View, kernel::Pointwise, kernel::ReduceDims, kernel::Fold,
                            kernel::Shuffle, kernel::Literal, kernel::Opaque, kernel::Sub>;

}  // namespace tutti::ops
