// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/ptx_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "tests/kernels/ptx_program.hpp"

namespace tutti::kernels {
namespace {

bool is_global(const PtxInstruction& i) {
  return i.code == PtxCode::load || i.code == PtxCode::store || i.code == PtxCode::atom ||
         i.code == PtxCode::cas;
}
bool is_payload(const PtxInstruction& i) { return is_global(i) && i.order == PtxOrder::weak && !i.is_own; }
bool signals(const PtxInstruction& i) { return i.order == PtxOrder::release || i.order == PtxOrder::acq_rel; }
bool waits(const PtxInstruction& i) { return i.order == PtxOrder::acquire || i.order == PtxOrder::acq_rel; }

/// The accesses since the last block barrier, on some path to an instruction.
struct Open {
  bool is_reached = false;
  bool no_barrier = false;  // a signal may not follow: nothing has come before it, or an access
  bool wait = false;
  bool operator==(const Open&) const = default;
};

class Rules {
 public:
  Rules(const PtxEntry& entry, std::vector<std::string>& faults) : entry_(entry), faults_(faults) {}

  void of_accesses(bool has_packets) const {
    for (const PtxInstruction& i : entry_.code) {
      if (!is_global(i)) continue;
      if (!i.is_coherent) fault(i, "is not coherent with the stores of peers");
      if (i.order == PtxOrder::weak) continue;
      if (!i.is_system) fault(i, "is seen by this GPU alone: its scope must be .sys");
      const bool is_packet = has_packets && i.type.bits == 64 && i.code != PtxCode::atom;
      const bool is_given_up = i.type.bits == 32 && i.code != PtxCode::store;
      if (i.order == PtxOrder::relaxed && !is_packet && !is_given_up) fault(i, "signals without a release");
    }
  }

  void of_counts(int signals_wanted, int waits_wanted) const {
    const auto signal_count = std::ranges::count_if(entry_.code, signals);
    const auto wait_count = std::ranges::count_if(entry_.code, waits);
    if (signal_count != signals_wanted || wait_count != waits_wanted)
      faults_.push_back(fmt::format("{} releases {} times and acquires {} times; {} and {} were expected",
                                    entry_.name, signal_count, wait_count, signals_wanted, waits_wanted));
  }

  void of_barriers() {
    before_.assign(entry_.code.size(), {});
    arrive(0, {true, true, false});
    while (!todo_.empty()) {
      const int at = todo_.back();
      todo_.pop_back();
      follow(at);
    }
    for (std::size_t at = 0; at < before_.size(); ++at) judge(entry_.code[at], before_[at]);
  }

 private:
  void fault(const PtxInstruction& i, std::string_view why) const {
    faults_.push_back(fmt::format("{}, line {}: {} {}", entry_.name, i.line, i.text, why));
  }

  void arrive(int at, Open open) {
    if (at >= static_cast<int>(before_.size())) return;
    Open& known = before_[static_cast<std::size_t>(at)];
    const Open both{true, known.no_barrier || open.no_barrier, known.wait || open.wait};
    if (both == known) return;
    known = both;
    todo_.push_back(at);
  }

  void follow(int at) {
    const PtxInstruction& i = entry_.code[static_cast<std::size_t>(at)];
    Open after = before_[static_cast<std::size_t>(at)];
    if (i.code == PtxCode::barrier || i.code == PtxCode::barrier_reduce) after = {true, false, false};
    if (is_payload(i)) after.no_barrier = true;
    if (waits(i)) after.wait = true;
    if (i.code == PtxCode::branch) arrive(i.target, after);
    const bool always_leaves = i.guard < 0 && (i.code == PtxCode::branch || i.code == PtxCode::exit);
    if (!always_leaves) arrive(at + 1, after);
  }

  void judge(const PtxInstruction& i, const Open& open) const {
    if (!open.is_reached) return;
    if (signals(i) && open.no_barrier) fault(i, "signals without a bar.sync before it");
    if (is_payload(i) && open.wait) fault(i, "follows a wait without a bar.sync between them");
    if (i.code == PtxCode::exit && open.wait) fault(i, "ends the kernel without a bar.sync after a wait");
  }

  const PtxEntry& entry_;
  std::vector<std::string>& faults_;
  std::vector<Open> before_;
  std::vector<int> todo_;
};

}  // namespace

std::vector<std::string> ptx_faults(const std::string& ptx, const Manifest& manifest) {
  std::vector<std::string> faults;
  std::vector<PtxEntry> entries;
  try {
    entries = ptx_entries(ptx);
  } catch (const std::runtime_error& unknown) {
    return {unknown.what()};
  }
  if (entries.size() != manifest.entries.size())
    return {"the module has another number of entries than the manifest"};
  const bool has_packets = manifest.spec.variant == Variant::packets;
  const bool is_split = manifest.spec.variant == Variant::two_launches;
  const int barriers = has_packets ? 0 : manifest.sequence.signals;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    Rules rules(entries[k], faults);
    rules.of_accesses(has_packets);
    rules.of_counts(is_split && k == 1 ? 0 : barriers, is_split && k == 0 ? 0 : barriers);
    rules.of_barriers();
  }
  return faults;
}

PtxWidths payload_widths(const std::string& ptx, int element_bits) {
  PtxWidths widths;
  for (const PtxEntry& entry : ptx_entries(ptx))
    for (const PtxInstruction& i : entry.code) {
      const bool is_plain =
          (i.code == PtxCode::load || i.code == PtxCode::store) && i.order == PtxOrder::weak;
      if (!is_plain) continue;
      const int bits = i.words * i.type.bits;
      // A table's entry is one word of 64 bits and nobody else's, an error's word is 32 bits.
      const bool is_table = i.is_own && i.words == 1 && i.type.bits == 64;
      const bool is_error = i.is_own && i.words <= 2 && i.type.bits == 32;
      if ((is_table || is_error) && element_bits < 64) continue;
      (bits == 128 ? widths.of_16_bytes : widths.narrower) += 1;
    }
  return widths;
}

}  // namespace tutti::kernels
