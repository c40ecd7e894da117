// SPDX-License-Identifier: Apache-2.0
// D9 (XLA's protos drop the launch and the kernel) has its like here: a manifest that is read is equal to
// what was written.
#include "tutti/kernels/spec/manifest.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/kernels/specs.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/base/error.hpp"

namespace tutti::kernels {
namespace {

using Json = nlohmann::ordered_json;

CollectiveSpec with(CollectiveSpec spec, Variant variant) {
  spec.variant = variant;
  return spec;
}
Manifest gather_manifest() { return manifest_of(gather_of(DType::f32, {4096}, 8), Target::nvidia); }

std::vector<CollectiveSpec> all_specs() {
  std::vector<CollectiveSpec> specs;
  for (CollectiveKind kind : all_collectives())
    for (Variant variant : all_variants())
      for (DType dtype : {DType::boolean, DType::bf16, DType::f32, DType::complex128})
        for (const Shape& shape : {Shape{3, 5}, Shape{0, 2}, Shape{2048, 129}})
          for (int world : {1, 3, 16}) {
            CollectiveSpec spec = with(spec_for(kind, dtype, shape, world), variant);
            if (kind == CollectiveKind::ppermute && world == 3) spec.pairs = {{0, 1}, {2, 0}};
            if (kind == CollectiveKind::all_to_all) spec.concat = Dim{1};
            if (eligible(spec)) specs.push_back(spec);
          }
  return specs;
}

TEST(manifest, is_read_as_it_was_written) {
  const std::vector<CollectiveSpec> specs = all_specs();
  EXPECT_GT(specs.size(), 400U);
  for (const CollectiveSpec& spec : specs)
    for (Target target : {Target::nvidia, Target::amd}) {
      Manifest manifest = manifest_of(spec, target);
      manifest.needs = {2, 1024, 128};
      EXPECT_EQ(manifest_from_text(text_of(manifest)), manifest) << text_of(manifest);
    }
}

TEST(manifest, says_all_that_a_launch_needs) {
  const Json json = Json::parse(text_of(gather_manifest()));
  EXPECT_EQ(json["name"], "all_gather_f32_w8_standard");
  EXPECT_EQ(json["launch"].dump(), R"({"grid":8,"warps":4,"unroll":1,"elements":4096,"tile_elements":512})");
  EXPECT_EQ(json["pads"].dump(), R"({"rows":8,"row_bytes":96,"slots":24})");
  EXPECT_EQ(json["staging"].dump(), R"({"bytes_per_half":16384,"halves":2})");
  std::string kinds;
  for (const Json& argument : json["arguments"]) kinds += argument["kind"].get<std::string>() + " ";
  EXPECT_EQ(kinds, "input output rank sequence half signal_table staging_table wait_limit error ");
}

// D7: bytes of a half, not elements; whole blocks, not tiles.
TEST(d7, a_half_of_the_staging_holds_what_peers_read) {
  auto bytes = [](const CollectiveSpec& spec) {
    return manifest_of(spec, Target::nvidia).staging.bytes_per_half;
  };
  EXPECT_EQ(bytes(gather_of(DType::bf16, {1001}, 4)), 2016);  // 2002, rounded up
  EXPECT_EQ(bytes(spec_for(CollectiveKind::all_reduce, DType::f64, {1001}, 4)), 8016);
  EXPECT_EQ(bytes(spec_for(CollectiveKind::reduce_scatter, DType::f32, {1001}, 4)), 4 * 4016);
  EXPECT_EQ(bytes(spec_for(CollectiveKind::all_to_all, DType::complex128, {1001}, 4)), 64064);
  EXPECT_EQ(bytes(spec_for(CollectiveKind::ppermute, DType::u8, {1001}, 4)), 1008);
  EXPECT_EQ(bytes(with(gather_of(DType::bf16, {1001}, 4), Variant::packets)), 0);
  EXPECT_EQ(manifest_of(with(gather_of(DType::bf16, {1001}, 4), Variant::packets), Target::amd).inboxes,
            (Staging{4 * packet_inbox_bytes, 2}));
  EXPECT_EQ(bytes(with(spec_for(CollectiveKind::all_reduce, DType::f32, {1001}, 4), Variant::two_shot)),
            4 * 1008);
  EXPECT_EQ(manifest_of(with(gather_of(DType::bf16, {1001}, 4), Variant::push), Target::nvidia).staging,
            Staging{});
}

// D2: the counter grew by 2 while bit 0 chose the half. Here the half is an argument of its own; numbers
// count barriers.
TEST(d2, a_call_takes_a_number_for_each_of_its_barriers) {
  for (const CollectiveSpec& spec : all_specs()) {
    const bool is_reduction_or_gather = spec.kind != CollectiveKind::reduce_scatter;
    const bool has_two =
        spec.variant == Variant::two_shot || (spec.variant == Variant::push && is_reduction_or_gather);
    EXPECT_EQ(manifest_of(spec, Target::nvidia).sequence.signals, has_two ? 2 : 1) << to_string(spec);
  }
}

TEST(manifest, has_two_entries_for_two_launches) {
  const Manifest manifest =
      manifest_of(with(gather_of(DType::f32, {9}, 2), Variant::two_launches), Target::amd);
  EXPECT_EQ(manifest.entries, (std::vector<std::string>{"all_gather_f32_w2_two_launches_publish",
                                                        "all_gather_f32_w2_two_launches_consume"}));
  EXPECT_FALSE(manifest.cooperative);
}

TEST(manifest, refuses_inline_ptx_for_amd) {
  EXPECT_EQ(
      refusal([] { manifest_of(gather_of(DType::f32, {9}, 2), Target::amd, Encoding::threads); }),
      "T015 all_gather f32[9], dim 0, world 2, groups [[0, 1]], standard: threads signals by inline PTX, "
      "which amd does not run; use poll or atomics");
}

/// The message of reading after `change` of the JSON of gather_manifest().
std::string read_after(const std::function<void(Json&)>& change) {
  Json json = Json::parse(text_of(gather_manifest()));
  change(json);
  return refusal([&] { manifest_from_text(json.dump()); });
}

// Behaviour 2: the grid of the kernel, the rows of its pads and those that a group has are compared, never
// assumed.
TEST(behaviour_2, a_grid_larger_than_its_pads_is_refused) {
  EXPECT_EQ(read_after([](Json& json) { json["pads"]["rows"] = 7; }),
            "R001 manifest of 'all_gather_f32_w8_standard': a grid of 8 blocks, but pads of 7 rows; write it "
            "again");
}

TEST(behaviour_2, pads_have_a_row_for_every_block_and_a_slot_for_every_rank) {
  for (const CollectiveSpec& spec : all_specs()) {
    const Manifest manifest = manifest_of(spec, Target::amd);
    if (spec.variant == Variant::packets) continue;
    EXPECT_EQ(manifest.pads.rows, manifest.launch.grid);
    EXPECT_EQ(manifest.pads.slots, spec.world * slots_per_peer);
    EXPECT_GE(manifest.pads.row_bytes, manifest.pads.slots * slot_bytes);
  }
}

TEST(behaviour_2, the_launcher_refuses_pads_and_staging_that_are_too_small) {
  const Manifest manifest = gather_manifest();
  const Pads pads{24, 96, 24};
  const Staging staging{1 << 20, 2}, none;
  require_fits(manifest, pads, staging, none);
  EXPECT_EQ(refusal([&] { require_fits(manifest, {7, 96, 24}, staging, none); }),
            "T015 all_gather_f32_w8_standard: a grid of 8 blocks, but the group's pads have 7 rows; allocate "
            "more, or "
            "use a smaller grid");
  EXPECT_EQ(
      refusal([&] { require_fits(manifest, {24, 32, 8}, staging, none); }),
      "T015 all_gather_f32_w8_standard: rows of 24 slots in 96 bytes, but the group's pads have 8 in 32; "
      "allocate pads for this kernel");
  EXPECT_EQ(
      refusal([&] { require_fits(manifest, pads, {16'368, 2}, none); }),
      "T015 all_gather_f32_w8_standard: staging of 2 halves of 16384 bytes, but the group has 2 of 16368; "
      "allocate more");
}

TEST(manifest, refuses_a_text_that_is_not_one) {
  EXPECT_EQ(refusal([] { manifest_from_text("{"); }).substr(0, 15), "R001 manifest: ");
  EXPECT_EQ(refusal([] { manifest_from_text("[1]"); }),
            "R001 manifest: the whole is [1]; expected an object");
  EXPECT_EQ(refusal([] { manifest_from_text(R"({"version": 1, "version": 1})"); }),
            R"(R001 manifest: the key "version" stands twice in one object; leave one out)");
}

TEST(manifest, refuses_another_version_whatever_else_stands_there) {
  EXPECT_EQ(refusal([] { manifest_from_text(R"({"version": 3, "warp_groups": 3})"); }),
            "R001 manifest: version 3, but this library reads 2; use a newer library");
  EXPECT_EQ(refusal([] { manifest_from_text(R"({"version": 0})"); }),
            "R001 manifest: version 0, but this library reads 2; write it again");
}

TEST(manifest, refuses_keys_that_are_unknown_or_missing) {
  EXPECT_EQ(read_after([](Json& json) { json["launch"]["stages"] = 2; }),
            "R001 manifest: unknown key launch.stages; leave it out");
  EXPECT_EQ(read_after([](Json& json) { json["extra"] = 2; }),
            "R001 manifest: unknown key extra; leave it out");
  EXPECT_EQ(read_after([](Json& json) { json["pads"].erase("slots"); }),
            "R001 manifest: pads.slots is missing; expected the key 'slots'");
}

TEST(manifest, refuses_values_of_another_type) {
  EXPECT_EQ(read_after([](Json& json) { json["launch"]["grid"] = 8.5; }),
            "R001 manifest: launch.grid is 8.5; expected an integer of 32 bits");
  EXPECT_EQ(read_after([](Json& json) { json["launch"]["grid"] = 1LL << 32; }),
            "R001 manifest: launch.grid is 4294967296; expected an integer of 32 bits");
  EXPECT_EQ(read_after([](Json& json) { json["error_bytes"] = ~0ULL; }),
            "R001 manifest: error_bytes is 18446744073709551615; expected an integer of 64 bits");
  EXPECT_EQ(read_after([](Json& json) { json["spec"]["groups"] = {1}; }),
            "R001 manifest: spec.groups[0] is 1; expected a list");
  EXPECT_EQ(read_after([](Json& json) { json["spec"]["dtype"] = "s4"; }).substr(0, 57),
            "R001 manifest: spec.dtype is \"s4\"; expected one of bool, ");
  EXPECT_EQ(read_after([](Json& json) { json["name"] = 3; }), "R001 manifest: name is 3; expected a string");
}

TEST(manifest, refuses_parts_that_do_not_fit) {
  const std::string start = "R001 manifest of 'all_gather_f32_w8_standard': ";
  auto expect = [&](const std::function<void(Json&)>& change, const std::string& why) {
    EXPECT_EQ(read_after(change), start + why + "; write it again");
  };
  expect([](Json& json) { json["launch"]["grid"] = 0; },
         "a grid of 0 blocks for 8 tiles; 1 to 8 were expected");
  expect([](Json& json) { json["launch"]["warps"] = 3; }, "3 warps; a power of two up to 32 was expected");
  expect([](Json& json) { json["launch"]["tile_elements"] = 1000; },
         "tiles of 1000 elements; a power of two up to 1048576 was expected");
  expect([](Json& json) { json["launch"]["elements"] = 4095; },
         "the launch is for 4095 elements, the spec has 4096");
  expect([](Json& json) { json["launch"]["unroll"] = 0; }, "unroll is 0; 1 or more was expected");
  expect([](Json& json) { json["pads"]["slots"] = 7; },
         "7 slots in a row of the pads for a world of 8, 3 per rank");
  expect([](Json& json) { json["pads"]["row_bytes"] = 48; },
         "rows of 48 bytes for 24 slots; a multiple of 32, 4 per slot, was expected");
  expect([](Json& json) { json["staging"]["halves"] = 1; },
         "staging of 1 halves of 16384 bytes; 2 of 16384 or more, a multiple of 16, were expected");
  expect([](Json& json) { json["sequence"]["signals"] = 2; },
         "a call takes 2 signals and pads are filled after 1073741824; 1 and 1073741824 were expected");
  expect([](Json& json) { json["entries"] = {"a", "b"}; }, "its entries are not those of standard");
  expect([](Json& json) { json["cooperative"] = false; },
         "cooperative is false; only two_launches needs no resident peers");
  expect([](Json& json) { json["error_bytes"] = 8; }, "8 bytes for errors; 520 were expected");
  expect([](Json& json) { json["target"] = "amd", json["encoding"] = "threads"; },
         "amd has no encoding threads");
  expect([](Json& json) { json["arguments"].erase(0); },
         "its arguments are not those of standard, in number, order, dtype or alignment");
  expect([](Json& json) { json["needs"]["scratch_bytes"] = -1; },
         "0 hidden pointers, 0 bytes of shared memory and -1 of scratch");
  expect([](Json& json) { json["spec"]["variant"] = "two_shot"; },
         "there is no kernel for its spec: all_gather has no variant two_shot; use standard, swizzled, push, "
         "two_launches, packets");
  EXPECT_EQ(read_after([](Json& json) { json["name"] = "a b"; }),
            "R001 manifest of 'a b': the name is no identifier of letters, digits and _; write it again");
}

TEST(manifest, is_not_made_for_a_spec_without_a_kernel) {
  EXPECT_EQ(refusal([] { manifest_of(gather_of(DType::f32, {}, 2), Target::nvidia); }),
            "T015 no kernel for all_gather f32[], dim 0, world 2, groups [[0, 1]], standard: all_gather: dim "
            "0 of a "
            "block [] with 0 dims; a new dim of blocks is a dim of 1 in the block");
}

}  // namespace
}  // namespace tutti::kernels
