// SPDX-License-Identifier: Apache-2.0
// The phases of kernels. Each function appends ops to the writer's kernel.
#pragma once

#include "tutti/kernels/emit/writer.hpp"

namespace tutti::kernels {

// Pull: a rank publishes its operand in its staging, and its peers read it there. If the operand has blocks,
// slice p of the staging is for rank p.
void publish(Writer& w);
/// Copies each source's block from the source's staging to the output.
void pull(Writer& w);

// Push: a rank stores into its peers' memory.
void push_to_outputs(Writer& w);
/// Stores slice p of the operand in slice `rank` of the staging of rank p.
void push_to_slices(Writer& w);

// Reductions fold in the order of the ranks, so that all ranks compute the same bits.
/// Folds this rank's slice of every staging into the output.
void fold_published(Writer& w);
/// Folds all slices of this rank's own staging, which push_to_slices() filled, into the output.
void fold_slices(Writer& w);
// Two-shot: each rank folds one part, and publishes the result over that part of its operand in its staging.
void publish_parts(Writer& w);
void fold_part(Writer& w);
void pull_parts(Writer& w);

// Packets: one word has data and the call's sequence number. A reader that sees the number has the data.
void send_packets(Writer& w);
void receive_packets(Writer& w);
void fold_packets(Writer& w);

// Functions that movement and reductions share.
/// The index of the operand's block for `peer`, which is also the index of its slice in the staging; 0 if the
/// operand is one block.
Value slice_for(Writer& w, Value peer);
/// Loads a tile of the operand.
Value input_tile(Writer& w, Value slice, const Tile& tile);
/// Loads a tile. Lanes outside the block are undefined and are never stored.
Value load_tile(Writer& w, Value pointers, const Tile& tile, Memory memory);
void store_tile(Writer& w, Value pointers, Value values, const Tile& tile, Memory memory);
/// Returns pointers to the tile in a slice of a staging.
Value in_slice(Writer& w, Value staging, Value slice, const Tile& tile);
/// The three steps of a fold; f16 and bf16 accumulate in f32.
Value to_accumulator(Writer& w, Value values);
Value folded(Writer& w, Value sum, Value values);
Value from_accumulator(Writer& w, Value sum);

}  // namespace tutti::kernels
