// SPDX-License-Identifier: Apache-2.0
// A collective without a kernel runs as copies of the driver or by NCCL, or is an error.
#include "tutti/kernels/gpu/collective.hpp"

#include <algorithm>

#include "tests/kernels/calls.hpp"
#include "tests/kernels/fake_gpu.hpp"
#include "tests/kernels/specs.hpp"

namespace tutti::kernels {
namespace {

class gpu_fallback : public FakeGpu {
 protected:
  static std::shared_ptr<Group> group(const std::vector<int>& devices) {
    return std::make_shared<Group>(devices, GroupOptions{.driver = fake_driver_path(), .timeout_s = 0.05});
  }
  static CollectiveOptions library() { return {.backend = Backend::library, .nccl = fake_driver_path()}; }
  static void run(Calls& calls, int number = 0) {
    calls.inputs.upload(inputs_of(calls.spec, number));
    calls.launch();
    calls.collective.wait();
    EXPECT_EQ(difference(calls.outputs.download(), outputs_of(calls.spec, number)), "")
        << to_string(calls.spec);
  }
  static std::vector<int> ordinals(int n) {
    std::vector<int> all;
    for (int i = 0; i < n; ++i) all.push_back(i);
    return all;
  }
  std::ptrdiff_t count(const std::string& function) const {
    return std::ranges::count(control.log(), function);
  }
};

TEST_F(gpu_fallback, copies_what_the_spec_says) {
  for (int world : {1, 2, 3, 5})
    for (bool has_access : {true, false})
      for (const std::vector<int>& devices :
           {ordinals(world), std::vector<int>(static_cast<std::size_t>(world), 0)}) {
        machine({.devices = world, .has_peer_access = has_access});
        const auto ranks = group(devices);
        for (const Shape& shape : {Shape{2, 3, 5}, Shape{7}, Shape{4, 1, 6}})
          for (const CollectiveSpec& spec : specs_of_world(world, DType::u16, DType::f32, shape)) {
            if (is_reduction(spec.kind)) continue;
            Calls calls(ranks, spec, library());
            run(calls, 0);
            run(calls, 1);
          }
        EXPECT_TRUE(control.launches().empty());
      }
}

TEST_F(gpu_fallback, copies_worlds_and_dtypes_without_a_kernel) {
  const auto ranks = group(std::vector<int>(17, 0));
  CollectiveSpec exchange = spec_for(CollectiveKind::all_to_all, DType::complex128, {2, 3}, 17, Dim{0});
  exchange.concat = Dim{1};
  Calls calls(ranks, exchange);
  EXPECT_EQ(calls.collective.description(), "copies of the driver: no kernel, because groups of 17 ranks; "
                                            "kernels have 1 to 16, use the library for others");
  run(calls);
}

TEST_F(gpu_fallback, copies_strided_blocks_by_rows) {
  machine({.devices = 2});
  const auto ranks = group({0, 1});
  Calls calls(ranks, gather_of(DType::f32, {64, 4}, 2, Dim{1}), library());
  calls.launch();
  EXPECT_EQ(count("cuMemcpy2DAsync_v2"), 2);
  EXPECT_EQ(count("cuMemcpy3DPeerAsync"), 2);
  EXPECT_EQ(count("cuMemcpyDtoDAsync_v2") + count("cuMemcpyPeerAsync"), 0);
}

TEST_F(gpu_fallback, is_in_place_as_kernels_are) {
  machine({.devices = 3});
  for (const std::vector<int>& devices : {std::vector<int>{0, 1, 2}, std::vector<int>{0, 0, 0}}) {
    const auto ranks = group(devices);
    CollectiveSpec ring = spec_for(CollectiveKind::ppermute, DType::f32, {9}, 3);
    ring.pairs = {{0, 1}, {1, 2}, {2, 0}};
    Calls permute(ranks, ring, library());
    for (int call = 0; call < 2; ++call) {
      permute.inputs.upload(inputs_of(ring, call));
      permute.collective.launch(permute.inputs.addresses(), permute.inputs.addresses());
      EXPECT_EQ(difference(permute.inputs.download(), outputs_of(ring, call)), "");
    }
    Calls gather(ranks, gather_of(DType::f32, {4}, 3), library());
    gather.outputs.upload(outputs_of(gather.spec));
    std::vector<DeviceAddress> own;
    for (DeviceAddress rank = 0; rank < 3; ++rank)
      own.push_back(gather.outputs.addresses()[rank] + 16 * rank);
    gather.collective.launch(own, gather.outputs.addresses());
    EXPECT_EQ(difference(gather.outputs.download(), outputs_of(gather.spec)), "");
  }
}

TEST_F(gpu_fallback, reads_an_operand_after_its_owner_has_written_it_and_before_it_is_written_again) {
  machine({.devices = 3});
  const auto ranks = group({0, 1, 2});
  Calls calls(ranks, gather_of(DType::u8, {32}, 3), library());
  const auto fill = [&](int byte) {
    for (int rank : {2, 0, 1}) {
      const OnDevice current(*ranks->device(rank));
      ranks->driver().fill_bytes(calls.inputs.addresses()[static_cast<std::size_t>(rank)],
                                 static_cast<unsigned char>(byte + rank), 32, ranks->stream(rank));
    }
  };
  fill(10);
  calls.launch();
  fill(20);
  ranks->wait();
  for (const Tensor& gathered : calls.outputs.download())
    for (int i = 0; i < 96; ++i) ASSERT_EQ(gathered.at(i), 10 + i / 32);
}

TEST_F(gpu_fallback, of_0_elements_copies_nothing) {
  const auto ranks = group({0, 0});
  Calls calls(ranks, gather_of(DType::f32, {3, 0}, 2, Dim{1}), library());
  run(calls);
  EXPECT_EQ(count("cuMemcpyDtoDAsync_v2"), 0);
}

TEST_F(gpu_fallback, reduces_by_nccl) {
  machine({.devices = 3});
  const auto ranks = group({0, 1, 2});
  for (const Shape& shape : {Shape{4, 5}, Shape{7}})
    for (DType dtype : {DType::f32, DType::i32, DType::f64, DType::u8})
      for (const CollectiveSpec& of : specs_of_world(3, dtype, dtype, shape)) {
        if (!is_reduction(of.kind)) continue;
        for (ReduceKind kind : {ReduceKind::sum, ReduceKind::max, ReduceKind::min}) {
          CollectiveSpec spec = of;
          spec.reduction = kind;
          Calls calls(ranks, spec, library());
          run(calls, 0);
          run(calls, 1);
        }
      }
  EXPECT_TRUE(control.launches().empty());
}

TEST_F(gpu_fallback, reduces_bool_and_complex_numbers_which_have_no_kernel) {
  machine({.devices = 2});
  const auto ranks = group({0, 1});
  CollectiveSpec any = spec_for(CollectiveKind::all_reduce, DType::boolean, {4}, 2);
  any.reduction = ReduceKind::logical_or;
  Calls calls(ranks, any, {.nccl = fake_driver_path()});
  calls.inputs.upload(
      Tensors{Tensor({4}, {false, true, false, true}), Tensor({4}, {false, false, true, true})});
  calls.launch();
  EXPECT_EQ(calls.outputs.download()[1], Tensor({4}, {false, true, true, true}));

  using C = std::complex<float>;
  Calls sum(ranks, spec_for(CollectiveKind::all_reduce, DType::complex64, {1}, 2),
            {.nccl = fake_driver_path()});
  sum.inputs.upload(Tensors{Tensor({1}, {C(1, 2)}), Tensor({1}, {C(10, 20)})});
  sum.launch();
  EXPECT_EQ(sum.outputs.download()[0], Tensor({1}, {C(11, 22)}));
}

TEST_F(gpu_fallback, says_what_a_reduction_lacks) {
  machine({.devices = 2, .has_peer_access = false});
  const auto ranks = group({0, 1});
  const CollectiveSpec sum = spec_for(CollectiveKind::all_reduce, DType::f32, {4}, 2);
  expect_refusal([&] { Collective::make(ranks, sum, {.nccl = "libno_such_nccl.so.2"}); }, Code::device,
                 {"all_reduce sum f32[4]", "device 0 has no access to the memory of device 1", "nor NCCL",
                  "libno_such_nccl.so.2 cannot be opened", "install it"});
  const CollectiveSpec shorts = spec_for(CollectiveKind::all_reduce, DType::i16, {4}, 2);
  expect_refusal([&] { Collective::make(ranks, shorts, {.nccl = fake_driver_path()}); }, Code::argument,
                 {"NCCL has no sum of i16", "convert"});
  const auto shared = group({1, 1});
  expect_refusal([&] { Collective::make(shared, sum, library()); }, Code::device,
                 {"NCCL needs a device for each rank, and ranks 0 and 1 share device 1"});
  control.fail("ncclCommInitAll", 1, 2);
  expect_refusal([&] { Collective::make(ranks, sum, library()); }, Code::device,
                 {"ncclCommInitAll: unhandled system error (error 2)", "NCCL_DEBUG"});
}

TEST_F(gpu_fallback, breaks_the_group_if_nccl_fails_for_some_ranks) {
  machine({.devices = 2});
  {
    const auto ranks = group({0, 1});
    Calls calls(ranks, spec_for(CollectiveKind::all_reduce, DType::f32, {4}, 2), library());
    control.fail("ncclAllReduce", 2, 2);
    expect_refusal([&] { calls.launch(); }, Code::device, {"ncclAllReduce: unhandled system error"});
    expect_refusal([&] { calls.launch(); }, Code::device, {"the group is broken", "ncclAllReduce"});
  }
  EXPECT_EQ(control.live(""), 0);
  EXPECT_EQ(control.misuses(), std::vector<std::string>{"a group of NCCL calls without all of its ranks"});
  machine({});
}

TEST_F(gpu_fallback, warns_once_if_a_kernel_was_asked_for_and_says_why_there_is_none) {
  struct Row {
    fake_cuda::Machine of;
    std::vector<int> devices;
    std::string_view why;
  };
  const std::vector<Row> rows{
      {{.devices = 2, .has_peer_access = false}, {0, 1}, "device 0 has no access to the memory of device 1"},
      {{.capability = 75}, {0, 0}, "device 0 (a fake GPU) has compute capability 7.5, and kernels need 8.0"},
      {{.version = 11040}, {0, 0}, "the driver is of CUDA 11.4, and PTX 7.8 needs 11.8"}};
  for (const Row& row : rows) {
    machine(row.of);
    const auto ranks = group(row.devices);
    for (Backend backend : {Backend::automatic, Backend::kernels, Backend::library}) {
      std::vector<std::string> warnings;
      CollectiveOptions options{.backend = backend};
      options.warn = [&](std::string_view warning) { warnings.emplace_back(warning); };
      Calls calls(ranks, gather_of(DType::f32, {4}, 2), options);
      run(calls, 0);
      run(calls, 1);
      ASSERT_EQ(warnings.size(), backend == Backend::kernels ? 1U : 0U);
      if (backend != Backend::kernels) continue;
      EXPECT_NE(warnings[0].find("all_gather f32[4]"), std::string::npos) << warnings[0];
      EXPECT_NE(warnings[0].find(row.why), std::string::npos) << warnings[0];
    }
  }
}

// The encoding exchanges words of peers. PCIe would make that a load and a store.
TEST_F(gpu_fallback, takes_the_place_of_atomics_that_peers_do_not_have) {
  machine({.devices = 2, .has_peer_atomics = false});
  const auto of = [&](const std::vector<int>& devices, Encoding encoding) {
    return Collective::make(group(devices), gather_of(DType::f32, {4}, 2), {.encoding = encoding})
        .description();
  };
  EXPECT_EQ(
      of({0, 1}, Encoding::atomics),
      "copies of the driver: no kernel, because device 0 has no atomics on the memory of device 1, which the "
      "encoding atomics needs; use poll");
  EXPECT_TRUE(of({0, 1}, Encoding::poll).starts_with("kernel "));
  EXPECT_TRUE(of({0, 0}, Encoding::atomics).starts_with("kernel "));
  machine({.devices = 2});
  EXPECT_TRUE(of({0, 1}, Encoding::atomics).starts_with("kernel "));
}

TEST_F(gpu_fallback, that_fails_between_its_copies_breaks_the_group) {
  const auto ranks = group({0, 0});
  Calls calls(ranks, gather_of(DType::f32, {4}, 2), library());
  run(calls, 0);
  control.fail("cuStreamWaitEvent", 2, 999);
  EXPECT_THROW(run(calls, 1), Error);
  expect_refusal([&] { run(calls, 2); }, Code::device, {"the group is broken", "cuStreamWaitEvent"});
}

TEST_F(gpu_fallback, does_not_warn_of_a_kernel_that_runs) {
  const auto ranks = group({0, 0});
  int warnings = 0;
  CollectiveOptions options{.backend = Backend::kernels};
  options.warn = [&](std::string_view) { ++warnings; };
  const auto collective = Collective::make(ranks, gather_of(DType::f32, {4}, 2), options);
  EXPECT_TRUE(collective.manifest());
  EXPECT_EQ(warnings, 0);
}

TEST_F(gpu_fallback, knows_the_numbers_of_nccl) {
  EXPECT_EQ(nccl_reduction(DType::bf16, ReduceKind::min)->dtype, 9);
  EXPECT_EQ(nccl_reduction(DType::f16, ReduceKind::max)->dtype, 6);
  EXPECT_EQ(nccl_reduction(DType::i64, ReduceKind::max)->op, 2);
  EXPECT_EQ(nccl_reduction(DType::u64, ReduceKind::min)->op, 3);
  EXPECT_FALSE(nccl_reduction(DType::boolean, ReduceKind::sum));
  EXPECT_FALSE(nccl_reduction(DType::complex64, ReduceKind::max));
  EXPECT_FALSE(nccl_reduction(DType::i32, ReduceKind::logical_and));
  EXPECT_EQ(Nccl(fake_driver_path()).version(), 22809);
}

}  // namespace
}  // namespace tutti::kernels
