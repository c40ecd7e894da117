// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/emit/emit.hpp"

#include "tutti/base/require.hpp"
#include "tutti/kernels/emit/barrier.hpp"
#include "tutti/kernels/emit/phases.hpp"
#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::kernels {
namespace {

/// Writes the phase after publish() and its barrier.
void consume(Writer& w) { is_reduction(w.manifest.spec.kind) ? fold_published(w) : pull(w); }

void write_one_shot(Writer& w) {
  publish(w);
  after_barrier(w, 0, [&] { consume(w); });
}

void write_two_shot(Writer& w) {
  publish_parts(w);
  after_barrier(w, 0, [&] {
    fold_part(w);
    after_barrier(w, 1, [&] { pull_parts(w); });
  });
}

// A reduction stores into stagings: halves alternate, so they are free. Movement stores into outputs, which
// are free only after their owner has begun this call: that takes a barrier before the stores.
void write_push(Writer& w) {
  if (is_reduction(w.manifest.spec.kind)) {
    push_to_slices(w);
    return after_barrier(w, 0, [&] { fold_slices(w); });
  }
  after_barrier(w, 0, [&] {
    push_to_outputs(w);
    signal(w, 1);
    wait(w, 1);
  });
}

void write_packets(Writer& w) {
  send_packets(w);
  is_reduction(w.manifest.spec.kind) ? fold_packets(w) : receive_packets(w);
}

void write(Writer& w) {
  switch (w.manifest.spec.variant) {
    case Variant::standard:
    case Variant::swizzled:
    case Variant::one_shot: return write_one_shot(w);
    case Variant::two_shot: return write_two_shot(w);
    case Variant::push: return write_push(w);
    case Variant::packets: return write_packets(w);
    case Variant::two_launches: break;
  }
  fail(Code::internal, "two launches have two kernels");
}

Function kernel_of(const Manifest& manifest) {
  Writer w(manifest, manifest.entries.front());
  unless_broken(w, [&] { write(w); });
  return std::move(w).finish();
}

std::vector<Function> two_kernels_of(const Manifest& manifest) {
  Writer first(manifest, manifest.entries.at(0)), second(manifest, manifest.entries.at(1));
  unless_broken(first, [&] {
    publish(first);
    signal(first, 0);
  });
  unless_broken(second, [&] { second.b.if_then(wait(second, 0), [&] { consume(second); }); });
  return {std::move(first).finish(), std::move(second).finish()};
}

}  // namespace

std::vector<Function> emit(const Manifest& manifest) {
  require_valid(manifest);
  if (manifest.spec.variant == Variant::two_launches) return two_kernels_of(manifest);
  return {kernel_of(manifest)};
}

}  // namespace tutti::kernels
