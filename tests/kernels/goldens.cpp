// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/goldens.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/kernels/specs.hpp"
#include "tests/support/file_text.hpp"
#include "tutti/kernels/emit/emit.hpp"

namespace tutti::kernels {
namespace {

constexpr DType moved[] = {DType::f32, DType::u8,  DType::complex128, DType::bf16, DType::i64, DType::boolean,
                           DType::f64, DType::i16, DType::complex64,  DType::u32,  DType::f16};
constexpr DType reduced[] = {DType::f32, DType::bf16, DType::i32, DType::f16, DType::f64,
                             DType::u8,  DType::i64,  DType::u16, DType::i8,  DType::u32};
constexpr ReduceKind reductions[] = {ReduceKind::sum, ReduceKind::max, ReduceKind::min, ReduceKind::sum};
constexpr int worlds[] = {2, 3, 4, 8, 5, 1, 7, 16, 6};

// Tails, rows shorter than a tile, single elements, many tiles.
const Shape& shape_of(int turn) {
  static const std::vector<Shape> all{{1024}, {37, 5}, {4, 6, 10}, {3, 1111}, {1}, {64, 32}, {5, 3, 113}};
  return all[static_cast<std::size_t>(turn) % all.size()];
}

template <class Values>
auto turned(const Values& values, int turn) {
  return values[static_cast<std::size_t>(turn) % std::size(values)];
}

CollectiveSpec spec_of_turn(CollectiveKind kind, Variant variant, int turn) {
  const DType dtype = is_reduction(kind) ? turned(reduced, turn) : turned(moved, turn);
  CollectiveSpec spec = spec_for(kind, dtype, shape_of(turn), turned(worlds, turn));
  spec.variant = variant;
  const int rank = spec.shape.rank();
  if (has_dim(kind)) spec.dim = Dim{turn / 2 % rank};
  if (is_reduction(kind)) spec.reduction = turned(reductions, turn);
  if (kind == CollectiveKind::all_to_all && rank > 1 && turn % 2 == 1)
    spec.concat = Dim{(spec.dim.index + 1) % rank};
  if (kind == CollectiveKind::ppermute)
    for (int source = 0; source + turn % 2 < spec.world; ++source)
      spec.pairs.emplace_back(source, (source + 1) % spec.world);
  return spec;
}

class List {
 public:
  explicit List(Target target) : target_(target) {}

  void add(const CollectiveSpec& spec, Encoding encoding, bool is_shown = false) {
    const int number = ++count_;  // the same for both targets
    if (target_ == Target::amd && encoding == Encoding::threads) return;
    Manifest manifest = manifest_of(spec, target_, encoding);
    rename(manifest, fmt::format("{}_{}_{}", manifest.name, name(encoding), number));
    std::vector<Function> kernels = emit(manifest);
    all_.push_back({std::move(manifest), std::move(kernels), is_shown && target_ == Target::nvidia});
  }

  std::vector<Golden> all() && { return std::move(all_); }

 private:
  static void rename(Manifest& manifest, const std::string& to) {
    for (std::string& entry : manifest.entries) entry.replace(0, manifest.name.size(), to);
    manifest.name = to;
  }

  Target target_;
  int count_ = 0;
  std::vector<Golden> all_;
};

/// Ten kernels that stand for the others: every variant, every collective, every encoding.
bool is_shown(CollectiveKind kind, Variant variant, Encoding encoding) {
  struct Shown {
    CollectiveKind kind;
    Variant variant;
    Encoding encoding;
  };
  constexpr Shown all[] = {{CollectiveKind::all_gather, Variant::standard, Encoding::threads},
                           {CollectiveKind::all_gather, Variant::swizzled, Encoding::poll},
                           {CollectiveKind::all_gather, Variant::push, Encoding::atomics},
                           {CollectiveKind::all_reduce, Variant::one_shot, Encoding::atomics},
                           {CollectiveKind::all_reduce, Variant::two_shot, Encoding::poll},
                           {CollectiveKind::all_reduce, Variant::packets, Encoding::poll},
                           {CollectiveKind::reduce_scatter, Variant::push, Encoding::poll},
                           {CollectiveKind::all_to_all, Variant::standard, Encoding::poll},
                           {CollectiveKind::ppermute, Variant::two_launches, Encoding::threads}};
  for (const Shown& shown : all)
    if (shown.kind == kind && shown.variant == variant && shown.encoding == encoding) return true;
  return false;
}

/// Offsets of 64 bits, a scalar, the most ranks.
void add_extremes(List& list) {
  list.add(gather_of(DType::u8, {std::int64_t{1} << 30, 2}, 3, Dim{1}), Encoding::poll);
  list.add(spec_for(CollectiveKind::all_reduce, DType::bf16, {}, 3), Encoding::atomics);
  list.add(gather_of(DType::f32, {std::int64_t{1} << 22}, 16), Encoding::poll);
  list.add(spec_for(CollectiveKind::reduce_scatter, DType::f16, {std::int64_t{1} << 21, 3}, 8, Dim{1}),
           Encoding::atomics);
}

}  // namespace

std::vector<Golden> goldens(Target target) {
  List list(target);
  int turn = 0;
  for (CollectiveKind kind : all_collectives())
    for (Variant variant : variants_of(kind))
      for (Encoding encoding : all_encodings()) {
        // Packets have no barrier, so their kernels are the same in every encoding.
        const bool has_barrier = variant != Variant::packets;
        if (!has_barrier && encoding != Encoding::poll) continue;
        for (int i = 0; i < (encoding == Encoding::threads ? 1 : 2); ++i)
          list.add(spec_of_turn(kind, variant, turn++), encoding,
                   i == 0 && is_shown(kind, variant, encoding));
      }
  add_extremes(list);
  return std::move(list).all();
}

std::vector<GoldenLine> golden_lines() {
  std::vector<GoldenLine> lines;
  std::istringstream text(text_of_file(golden_list));
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    GoldenLine read;
    std::string shared;
    words >> read.entry >> read.target >> read.text_hash >> shared;
    if (shared != "-") read.shared_bytes = std::stoll(shared);
    lines.push_back(read);
  }
  return lines;
}

std::optional<GoldenLine> golden_line(const std::vector<GoldenLine>& lines, const std::string& entry,
                                      Target target) {
  for (const GoldenLine& line : lines)
    if (line.entry == entry && line.target == name(target)) return line;
  return std::nullopt;
}

void write_golden_list(const std::vector<GoldenLine>& lines) {
  std::ofstream out(golden_list);
  out << "# kernel, target, hash of its Triton text, bytes of shared memory by Triton 3.9.0\n";
  for (const GoldenLine& line : lines)
    out << fmt::format("{} {} {} {}\n", line.entry, line.target, line.text_hash,
                       line.shared_bytes ? fmt::format("{}", *line.shared_bytes) : "-");
}

// FNV-1a of 64 bits.
std::string hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

}  // namespace tutti::kernels
