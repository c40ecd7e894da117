// SPDX-License-Identifier: Apache-2.0
// All kernels on a GPU of this machine. Without one these tests say why they skip.
#include <fmt/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/kernels/calls.hpp"
#include "tests/kernels/specs.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/base/error.hpp"
#include "tutti/kernels/gpu/call_arrays.hpp"

namespace tutti::kernels {
namespace {

class on_gpu : public testing::Test {
 protected:
  void SetUp() override {
    try {
      gpus_ = count_of_devices(*Driver::open());
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  /// Runs a test for ranks that share the first GPU, and for ranks with GPUs of their own if there are as
  /// many.
  void on_all_groups(const std::function<void()>& test) {
    for (int world : {1, 2, 3, 8}) on_group(std::vector<int>(static_cast<std::size_t>(world), 0), test);
    for (int world : {2, 4, 8})
      if (world <= gpus_) on_group(devices_for(world), test);
  }
  void on_group(const std::vector<int>& devices, const std::function<void()>& test, double timeout_s = 10) {
    if (HasFatalFailure()) return;
    SCOPED_TRACE(fmt::format("{} ranks, the last on device {}", devices.size(), devices.back()));
    group_ = std::make_shared<Group>(devices, GroupOptions{.timeout_s = timeout_s});
    test();
    group_.reset();
  }
  int world() const { return group_->world(); }

  /// Runs calls one after the other, and compares each.
  void run(const CollectiveSpec& spec, const CollectiveOptions& options, int calls = 4) {
    Calls of(group_, spec, options);
    ASSERT_TRUE(of.collective.manifest() || options.backend == Backend::library)
        << of.collective.description();
    for (int call = 0; call < calls; ++call) {
      of.inputs.upload(inputs_of(spec, call));
      of.launch();
      ASSERT_EQ(difference(of.outputs.download(), outputs_of(spec, call)), "")
          << to_string(spec) << ", call " << call << "\n"
          << of.collective.description();
    }
  }

  void run_all_variants(DType moved, DType reduced, const Shape& shape, const CollectiveOptions& options) {
    for (CollectiveSpec spec : specs_of_world(world(), moved, reduced, shape))
      for (Variant variant : variants_of(spec.kind)) {
        spec.variant = variant;
        if (!eligible(spec)) continue;
        ASSERT_NO_FATAL_FAILURE(run(spec, options));
      }
  }

  int gpus_ = 0;
  std::shared_ptr<Group> group_;
};

TEST_F(on_gpu, each_kind_has_the_result_of_its_definition_as_users_get_it) {
  on_all_groups([&] {
    for (const Shape& shape : {Shape{4096}, Shape{3, 3, 113}, Shape{1}})
      for (const CollectiveSpec& spec : specs_of_world(world(), DType::u8, DType::f32, shape))
        ASSERT_NO_FATAL_FAILURE(run(spec, {}));
  });
}

TEST_F(on_gpu, each_variant_and_encoding_has_the_result_of_its_definition) {
  on_all_groups([&] {
    for (Encoding encoding : all_encodings())
      for (const Shape& shape : {Shape{5, 1000}, Shape{1 << 14}})
        ASSERT_NO_FATAL_FAILURE(
            run_all_variants(DType::i16, DType::f32, shape,
                             {.encoding = encoding, .sharing = SharedDevice::concurrent}));
  });
}

TEST_F(on_gpu, each_dtype_has_the_result_of_its_definition) {
  on_all_groups([&] {
    for (DType dtype : all_dtypes()) {
      const bool is_reduced = dtype != DType::boolean && !is_complex(dtype);
      ASSERT_NO_FATAL_FAILURE(run_all_variants(dtype, is_reduced ? dtype : DType::f32, {3, 70},
                                               {.sharing = SharedDevice::concurrent}));
    }
  });
}

TEST_F(on_gpu, reductions_take_the_largest_and_the_smallest) {
  on_all_groups([&] {
    for (ReduceKind kind : {ReduceKind::max, ReduceKind::min})
      for (DType dtype : {DType::i32, DType::u8, DType::f32, DType::bf16, DType::f64})
        for (CollectiveSpec spec : specs_of_world(world(), DType::u8, dtype, {777})) {
          if (!is_reduction(spec.kind)) continue;
          spec.reduction = kind;
          ASSERT_NO_FATAL_FAILURE(run(spec, {}, 1));
        }
  });
}

TEST_F(on_gpu, calls_of_changing_sizes_that_nobody_waits_for_have_right_results) {
  on_all_groups([&] {
    std::vector<std::unique_ptr<Calls>> all;
    for (std::int64_t size : {1 << 18, 64, 5000})
      for (Variant variant : {Variant::standard, Variant::two_launches}) {
        CollectiveSpec spec = gather_of(DType::f32, {size}, world());
        spec.variant = variant;
        all.push_back(
            std::make_unique<Calls>(group_, spec, CollectiveOptions{.sharing = SharedDevice::concurrent}));
        all.back()->inputs.upload(inputs_of(spec));
      }
    for (int round = 0; round < 100; ++round)
      for (const auto& calls : all) calls->launch();
    group_->wait();
    for (const auto& calls : all)
      EXPECT_EQ(difference(calls->outputs.download(), outputs_of(calls->spec)), "");
  });
}

TEST_F(on_gpu, copies_have_the_result_of_their_definition) {
  on_all_groups([&] {
    for (const Shape& shape : {Shape{3, 5, 7}, Shape{4096}})
      for (const CollectiveSpec& spec : specs_of_world(world(), DType::f32, DType::f32, shape))
        if (!is_reduction(spec.kind)) {
          ASSERT_NO_FATAL_FAILURE(run(spec, {.backend = Backend::library}));
        }
  });
}

TEST_F(on_gpu, a_rank_that_is_not_launched_is_named_by_those_that_wait_for_it) {
  on_group(
      {0, 0},
      [&] {
        const CollectiveSpec spec = gather_of(DType::f32, {64}, world());
        const KernelChoice choice = choose_kernel(*group_, spec, Encoding::poll, SharedDevice::concurrent, 8);
        const RankArrays inputs(group_, spec.dtype, operand_shape(spec)),
            outputs(group_, spec.dtype, result_shape(spec));
        const Group::Call call = group_->begin(choice.manifest);
        const SymmetricMemory& memory = group_->memory();
        std::vector<std::uint64_t> values{inputs.addresses()[0],
                                          outputs.addresses()[0],
                                          0,
                                          call.sequence,
                                          static_cast<std::uint64_t>(call.half),
                                          memory.table(ArgumentKind::signal_table, 0),
                                          memory.table(ArgumentKind::staging_table, 0),
                                          500'000'000,
                                          memory.error_words(0)};
        std::vector<void*> arguments;
        for (std::uint64_t& value : values) arguments.push_back(&value);
        {
          const OnDevice current(*group_->device(0));
          const auto threads = static_cast<unsigned>(32 * choice.manifest.launch.warps);
          group_->driver().launch(choice.loaded.functions[0][0], 1, 1, 1, threads, 1, 1, 0, group_->stream(0),
                                  arguments.data(), nullptr);
        }
        const std::string said = refusal([&] { group_->wait(); });
        EXPECT_NE(said.find("rank 0, block 0 waited 0.5 s in vain for number 1 of rank 1"), std::string::npos)
            << said;
      },
      0.5);
}

}  // namespace
}  // namespace tutti::kernels
