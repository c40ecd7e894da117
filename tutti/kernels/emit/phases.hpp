// SPDX-License-Identifier: Apache-2.0
// The phases of kernels. Each writes ops at the end of the writer's kernel.
#pragma once

#include "tutti/kernels/emit/writer.hpp"

namespace tutti::kernels {

// Pull: peers read what a rank has published in its staging. Slice p of it is for rank p if operands have blocks.
void publish(Writer& w);
/// Stores the block of every source in the output.
void pull(Writer& w);

// Push: a rank stores into the memory of its peers.
void push_to_outputs(Writer& w);
/// Slice p of the operand goes to the inbox of this rank in the staging of rank p.
void push_to_inboxes(Writer& w);

// Reductions add in the order of the ranks, so that all ranks have the same bits.
/// Folds this rank's slice of every staging (or every inbox of its own) into the output.
void fold_published(Writer& w);
void fold_inboxes(Writer& w);
/// Two-shot: each rank folds its part, and publishes the result in place of its own operand.
void publish_parts(Writer& w);
void fold_part(Writer& w);
void pull_parts(Writer& w);

// Packets: elements with the sequence number beside them. A reader that sees the number has the element.
void send_packets(Writer& w);
void receive_packets(Writer& w);
void fold_packets(Writer& w);

// Shared by movement and reductions.
/// The block of its operand that a rank gives to `peer`, and the slice of its staging that has it; 0 if there is only one.
Value slice_for(Writer& w, Value peer);
/// A tile of the operand.
Value input_tile(Writer& w, Value slice, const Tile& tile);
/// Loads a tile; lanes outside are undefined, and are never stored.
Value load_tile(Writer& w, Value pointers, const Tile& tile, Memory memory);
void store_tile(Writer& w, Value pointers, Value values, const Tile& tile, Memory memory);
/// Pointers to the tile in a slice of a staging.
Value in_slice(Writer& w, Value staging, Value slice, const Tile& tile);
/// The fold of one element after the other: f16 and bf16 are added in f32.
Value to_accumulator(Writer& w, Value values);
Value folded(Writer& w, Value sum, Value values);
Value from_accumulator(Writer& w, Value sum);

}  // namespace tutti::kernels
