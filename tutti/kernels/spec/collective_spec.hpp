// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "tutti/devices/groups.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/kernels/spec/constants.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti::kernels {

/// The collectives that have kernels.
enum class CollectiveKind : std::uint8_t { all_gather, all_reduce, reduce_scatter, all_to_all, ppermute };
/// The algorithm of a kernel. variants_of() lists the variants of a collective.
enum class Variant : std::uint8_t {
  standard,      // publish, barrier, pull; one source after the other
  swizzled,      // as standard, but one group of tiles from every source, then the next group
  push,          // barrier, store into the peers' buffers, barrier
  one_shot,      // publish, barrier, fold the tiles of all ranks
  two_shot,      // each rank folds its part, publishes it, and pulls the other parts
  two_launches,  // a kernel that publishes, a kernel that waits: no circular wait
  packets        // data and sequence number in one store; no barrier
};
/// How ranks signal their arrival at a barrier. Signals are words of 32 bits.
enum class Encoding : std::uint8_t {
  threads,  // thread p stores and loads the word of peer p, in inline PTX; NVIDIA only
  atomics,  // read-modify-writes; a wait polls the peers one after another
  poll      // atomic stores and polls for equality
};
/// All enumerators, in their order.
std::span<const CollectiveKind> all_collectives();
std::span<const Encoding> all_encodings();
std::span<const Variant> all_variants();
/// The enumerator as text: "all_gather", "two_launches", "nvidia", "poll".
std::string_view name(CollectiveKind kind);
std::string_view name(Variant variant);
std::string_view name(Target target);
std::string_view name(Encoding encoding);

/// Describes one collective completely: equal specs compile to equal kernels.
/// A rank's block is dense and row-major. eligible() checks the fields and whether a kernel exists.
struct CollectiveSpec {
  CollectiveKind kind = CollectiveKind::all_gather;
  std::optional<ops::ReduceKind> reduction = {};  // only for all_reduce and reduce_scatter
  DType dtype = DType::f32;                       // of the elements
  /// Shape of one block: a rank's operand (all_gather, all_reduce, ppermute), a rank's result
  /// (reduce_scatter), or the block for one peer (all_to_all). A collective that stacks blocks along a new
  /// dim has a dim of size 1 here.
  Shape shape = {};
  Dim dim = {};                    // the blocks of all ranks follow each other along it; Dim{0} if unused
  std::optional<Dim> concat = {};  // all_to_all: the result's dim of blocks, if it differs from `dim`
  int world = 1;                   // ranks of a group
  ops::Groups groups = {};         // positions on the mesh; a group's order is the order of the blocks
  Pairs pairs = {};                // ppermute: source and target, each a place in its group
  Variant variant = Variant::standard;

  bool operator==(const CollectiveSpec&) const = default;
};

/// Prints a spec: "all_reduce sum f32[4,2], world 2, groups [[0, 1]], one_shot".
std::string to_string(const CollectiveSpec& spec);

/// Returns the spec of AllGather, AllReduce, ReduceScatter, AllToAll or Permute; nullopt for any other op.
/// Start and Done of a collective have its spec. The variant is the first one of variants_of().
/// `operand` is the type of the op's first operand. For a Done that type is pending: the spec describes the
/// operand of the Start.
/// Throws the errors of the op's infer, T001 for an axis that the mesh lacks, T016 for a Done whose operand
/// its Start did not return.
std::optional<CollectiveSpec> spec_of(const ops::Op& op, ops::Type operand, const Mesh& mesh);

}  // namespace tutti::kernels
