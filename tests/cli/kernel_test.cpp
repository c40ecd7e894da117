// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/command.hpp"
#include "tests/support/file_text.hpp"

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

Finished kernel(const std::string& arguments) {
  return run_command(program_folder() + "/tutti kernel " + arguments);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// The one line on stderr. The status is 1 for a word that is none (R002), else 2.
std::string refused(const std::string& arguments) {
  const Finished run = kernel(arguments);
  EXPECT_EQ(run.status, run.err.find("[R002]") == std::string::npos ? 2 : 1) << arguments;
  EXPECT_EQ(run.out, "") << arguments;
  return run.err;
}

TEST(kernel, prints_triton_text_if_nothing_else_is_asked_for) {
  const Finished run = kernel("all_gather --world 8");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with("module {\n  tt.func public @all_gather_f32_w8_standard(%input: "))
      << run.out;
  EXPECT_EQ(run.out,
            kernel("all_gather --world 8 --shape 1024 --dim 0 --dtype f32 --encoding poll --emit ttir").out);
}

TEST(kernel, prints_generic_text) {
  const Finished run = kernel("ppermute --world 2 --emit mlir");
  EXPECT_TRUE(run.out.starts_with("\"builtin.module\"() ({")) << run.out.substr(0, 80);
}

TEST(kernel, prints_two_modules_for_two_launches) {
  const Finished run = kernel("all_reduce --world 4 --variant two_launches");
  EXPECT_EQ(count(run.out, "// -----\n"), 1U);
  EXPECT_NE(run.out.find("@all_reduce_sum_f32_w4_two_launches_publish("), std::string::npos);
  EXPECT_NE(run.out.find("@all_reduce_sum_f32_w4_two_launches_consume("), std::string::npos);
}

TEST(kernel, has_a_manifest) {
  const auto json =
      nlohmann::json::parse(kernel("all_to_all --world 3 --shape 4x5 --dim 1 --emit manifest").out);
  EXPECT_EQ(json["spec"]["kind"], "all_to_all");
  EXPECT_EQ(json["spec"]["shape"].dump(), "[4,5]");
  EXPECT_EQ(json["entries"].dump(), R"(["all_to_all_f32_w3_standard"])");
}

TEST(kernel, says_what_it_does) {
  EXPECT_EQ(kernel("all_reduce --world 4 --shape 4096 --dtype bf16 --variant two_shot --emit plan").out,
            R"(all_reduce sum bf16[4096], world 4, groups [[0, 1, 2, 3]], two_shot
view:    operand [1, 1, 4096], result [1, 1, 4096] of 16 bits, offsets of 32 bits
launch:  1 block of 4 warps, 1 tile of 1024 elements, cooperative
phases:  publish in the staging; barrier; fold the own part, publish it; barrier; pull the other parts
buffers: staging of 2 halves of 8.0 KiB, pads of 1 row of 64 B, 40 B for errors
links:   48.0 KiB between all ranks, 1 times the least
memory:  40.0 KiB read and 72.0 KiB written by all ranks in their own memory
)");
}

TEST(kernel, tells_why_it_is_so) {
  EXPECT_EQ(kernel("all_gather --world 8 --shape 32x64 --dtype f8E4M3FN --why").out,
            R"(kernel:   standard, one of standard, swizzled, push, two_launches, packets
elements: f8E4M3FN moves as u8: bits move
warps:    4 warps: a block is 2.0 KiB, and up to 32 KiB have 4
tiles:    a thread moves 16 bytes of a tile: with more, 32 blocks would not have a tile each
grid:     1: at most 32, because blocks wait for each other and all must be resident
encoding: poll: atomic stores, and polls for equality; runs everywhere
links:    112.0 KiB between all ranks, 1 times the least
fallback: copies of the driver, from each rank to each, where peers cannot reach each other's memory
)");
}

TEST(kernel, tells_why_there_is_none_and_what_runs_instead) {
  const Finished run = kernel("all_reduce --world 17 --why");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "kernel:   none: groups of 17 ranks; kernels have 1 to 16, use the library for others\n"
            "fallback: NCCL, where it is installed and each rank has a GPU; else an error that says so\n");
}

TEST(kernel, draws_who_moves_which_tile) {
  const std::string path = testing::TempDir() + "kernel.svg";
  std::filesystem::remove(path);
  EXPECT_EQ(kernel("all_gather --world 3 --shape 2000 --svg " + path).out, "");
  const std::string svg = text_of_file(path);
  EXPECT_TRUE(svg.starts_with("<svg ")) << svg.substr(0, 100);
  EXPECT_EQ(count(svg, ">program 3<"), 3U);          // of each rank
  EXPECT_EQ(count(svg, "text-anchor"), 3U * 4 * 3);  // visits: ranks, programs, sources
}

TEST(kernel, refuses_what_has_no_kernel) {
  EXPECT_EQ(
      refused("all_gather --world 8 --variant two_shot"),
      "tutti: error[T015]: no kernel for all_gather f32[1024], dim 0, world 8, groups [[0, 1, 2, 3, 4, 5, 6, "
      "7]], two_shot: all_gather has no variant two_shot; use standard, swizzled, push, two_launches, "
      "packets\n");
  EXPECT_EQ(
      refused("all_gather --world 2 --dtype s4"),
      "tutti: error[T015]: --dtype: s4 has 4 bits: an address is that of a byte, and two ranks would store "
      "halves of one; pack two in a u8\n");
  EXPECT_NE(refused("all_reduce --world 2 --dtype bool").find("a kernel reduces numbers"), std::string::npos);
  EXPECT_NE(refused("all_gather --world 2 --op sum").find("only moves data"), std::string::npos);
  EXPECT_NE(refused("all_gather --world 2 --dim 3").find("dim 3 of a block [1024] with 1 dims"),
            std::string::npos);
  EXPECT_NE(refused("all_gather --world 2 --target amd --encoding threads").find("use poll or atomics"),
            std::string::npos);
}

TEST(kernel, refuses_words_that_are_none) {
  EXPECT_EQ(refused("broadcast --world 2"),
            "tutti: error[R002]: collective: there is no 'broadcast'; use one of all_gather, all_reduce, "
            "reduce_scatter, all_to_all, ppermute\n");
  EXPECT_EQ(refused("ppermute --world 2 --pairs 0:1"), "tutti: error[R002]: --pairs: '0:1' in '0:1' is not a "
                                                       "source and a target; write for example 0-1,1-0\n");
  EXPECT_NE(refused("all_gather --world 0").find("--world: 0 ranks; a kernel is for 1 to 16"),
            std::string::npos);
  EXPECT_NE(refused("all_gather --world 2 --shape 4y4").find("'4y4' in '4y4'"), std::string::npos);
  EXPECT_NE(refused("all_gather --world 2 --emit hlo").find("use ttir, mlir, ptx, manifest or plan"),
            std::string::npos);
  EXPECT_NE(refused("all_to_all --world 2 --concat x").find("--concat: 'x' is not a dim"), std::string::npos);
  EXPECT_NE(refused("all_gather --world 2 --variant fast").find("--variant: there is no 'fast'"),
            std::string::npos);
  EXPECT_NE(refused("all_gather").find("--world is required"), std::string::npos);
}

TEST(kernel, is_checked_up_to_a_bound) {
  const Finished run = kernel("all_gather --world 8 --shape 1000000 --check");
  EXPECT_EQ(run.status, 5);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(
      run.err,
      "tutti: error[R003]: --check: the ranks would load and store 288 million elements in a schedule of "
      "as few tiles as possible; 200 million at most; try a smaller shape or fewer ranks\n");
}

// Kernels of the fake driver do nothing, its copies and NCCL do.
std::string on_fake_gpus() {
  const std::string library = program_folder() + "/libfake_driver.so";
  return " --run --driver " + library + " --nccl " + library;
}

TEST(kernel, runs_on_gpus_and_tells_time_and_what_ran) {
  const Finished run = kernel("all_gather --world 17 --shape 3x4 --dim 1" + on_fake_gpus());
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* part :
       {"ran:       copies of the driver: no kernel, because groups of 17 ranks",
        "on:        1 GPU, a fake GPU", "compared:  204 of each rank's 204 elements, in 3 calls",
        "result:    equal to the definition", " us a call, ", " GB/s read plus written"})
    EXPECT_NE(run.out.find(part), std::string::npos) << part << "\n" << run.out;
}

TEST(kernel, that_computes_nothing_has_a_wrong_result) {
  const Finished run = kernel("all_reduce --world 2" + on_fake_gpus());
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_NE(run.out.find("ran:       kernel all_reduce_sum_f32_w2_two_launches"), std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("result:    WRONG: rank 0, element 0 of [1024] in call 0"), std::string::npos)
      << run.out;
}

TEST(kernel, runs_the_variant_that_is_named_if_it_fits_a_gpu) {
  const Finished run = kernel("all_gather --world 2 --variant swizzled" + on_fake_gpus());
  EXPECT_NE(run.out.find("ran:       kernel all_gather_f32_w2_swizzled"), std::string::npos) << run.out;
}

TEST(kernel, without_a_driver_is_not_run_and_the_loaders_reason_is_told) {
  const Finished run = kernel("all_gather --world 2 --run --driver libno_such_driver.so.1");
  EXPECT_EQ(run.status, 5);
  EXPECT_EQ(run.out, "");
  for (const char* part :
       {"error[R004]", "libno_such_driver.so.1 cannot be opened", "No such file or directory"})
    EXPECT_NE(run.err.find(part), std::string::npos) << part << "\n" << run.err;
}

TEST(kernel, of_another_maker_is_not_run) {
  EXPECT_NE(refused("all_gather --world 2 --target amd" + on_fake_gpus()).find("no runtime for GPUs of amd"),
            std::string::npos);
}

}  // namespace
}  // namespace tutti
