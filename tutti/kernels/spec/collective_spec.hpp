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

enum class CollectiveKind : std::uint8_t { all_gather, all_reduce, reduce_scatter, all_to_all, ppermute };
/// How a kernel does it. eligible() knows which of them a collective has.
enum class Variant : std::uint8_t {
  standard,      // publish, barrier, pull; one source after the other
  swizzled,      // the same; a group of tiles from every source, then the next group
  push,          // barrier, store into the peers' buffers, barrier
  one_shot,      // publish, barrier, fold the tiles of all ranks
  two_shot,      // each rank folds its part, publishes it, and pulls the other parts
  two_launches,  // a kernel that publishes, a kernel that waits: no circular wait
  packets        // data and sequence number in one store; no barrier
};
/// How ranks tell each other that they have come to a barrier, in words of 32 bits.
enum class Encoding : std::uint8_t {
  threads,  // thread p stores and loads the word of peer p, in inline PTX; NVIDIA only
  atomics,  // read-modify-writes; a wait polls one peer after the other
  poll      // atomic stores and polls for equality
};
std::span<const CollectiveKind> all_collectives();
std::span<const Encoding> all_encodings();
std::span<const Variant> all_variants();
std::string_view name(CollectiveKind kind);
std::string_view name(Variant variant);
std::string_view name(Target target);
std::string_view name(Encoding encoding);

/// One collective, as its kernel is compiled: equal specs have equal kernels.
/// A rank's block lies dense and row-major. eligible() says whether the fields fit together and there is a kernel.
struct CollectiveSpec {
  CollectiveKind kind = CollectiveKind::all_gather;
  std::optional<ReduceKind> reduction = {};  // of all_reduce and reduce_scatter, of no other
  DType dtype = DType::f32;                  // of the elements that move
  /// One block: what a rank gives (all_gather, all_reduce, ppermute), receives (reduce_scatter), or sends to one peer
  /// (all_to_all). A new dim of blocks is a dim of 1 here.
  Shape shape = {};
  Dim dim = {};                    // blocks of all ranks lie along it; Dim{0} for all_reduce and ppermute
  std::optional<Dim> concat = {};  // of all_to_all: along which blocks are received, if that is not `dim`
  int world = 1;                   // ranks of a group
  Groups groups = {};              // of positions on the mesh; the order in a group is that of the blocks
  Pairs pairs = {};                // of ppermute: source and target, places in each group
  Variant variant = Variant::standard;

  bool operator==(const CollectiveSpec&) const = default;
};

/// "all_reduce sum f32[4,2], world 2, groups [[0, 1]], one_shot".
std::string to_string(const CollectiveSpec& spec);

/// The spec of AllGather, AllReduce, ReduceScatter, AllToAll or Permute on `operand`, and of the Start and the Done of
/// one, which give the same. None for any other op. The variant is the first that the collective has.
/// `operand` is the op's first; that of a Done is pending, and the spec is that of the operand which its Start took.
/// Throws what the op's infer throws, T001 for an axis that is not one of the mesh's, T016 for a Done of another value.
std::optional<CollectiveSpec> spec_of(const Op& op, Type operand, const Mesh& mesh);

}  // namespace tutti::kernels
