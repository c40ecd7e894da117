// SPDX-License-Identifier: Apache-2.0
// Models of kernels on the host. They find all data through the arguments and tables of the launcher.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/kernels/fake_driver/control.hpp"
#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::kernels {

/// Runs the kernels that fake GPUs launch, written from the spec: publish, signal, wait, consume.
/// Faults: a wait that an old number would have ended, a consume before its publish, a byte outside of all
/// allocations, an argument that differs from the manifest's.
class KernelModel {
 public:
  explicit KernelModel(fake_cuda::Control& control);
  ~KernelModel();
  KernelModel(const KernelModel&) = delete;
  KernelModel& operator=(const KernelModel&) = delete;

  /// Names the manifest of all launches since the last expect(). Call it before they run.
  void expect(const Manifest& manifest);
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  using Arguments = std::vector<std::uint64_t>;
  struct Call {
    Manifest manifest;
    CanonicalView view;
    std::map<int, Arguments> arguments;   // by rank, of those that have begun
    std::map<int, int> streams, devices;  // by rank
    int done = 0;
  };

  void run(const fake_cuda::Launch& launch);
  void run_others(Call& call, int rank);
  void run_all(Call& call);
  void barrier(Call& call, int number);
  void check_arguments(const Call& call, const fake_cuda::Launch& launch);

  std::uint64_t argument(const Call& call, int rank, ArgumentKind kind) const;
  std::byte* bytes(std::uint64_t address, std::int64_t count);
  std::uint64_t entry(const Call& call, int rank, ArgumentKind table, int at);
  std::byte* element(std::uint64_t array, std::int64_t at, const Call& call);
  std::uint64_t staging(const Call& call, int rank, int owner);
  std::byte* staged(Call& call, int rank, int owner, int slice, std::int64_t element);

  void signal(Call& call, int rank, int number);
  void wait(Call& call, int rank, int number);
  void publish(Call& call, int rank);
  void consume(Call& call, int rank);
  void fold(Call& call, int rank, int slice, std::int64_t i, std::byte* to);
  void two_shot(Call& call);
  void push(Call& call);
  void packets(Call& call);
  void fault(std::string text);

  fake_cuda::Control& control_;
  std::size_t expected_ = 0;  // launches so far
  std::map<std::uint32_t, Call> calls_;
  std::vector<std::string> faults_;
  std::vector<std::byte> nowhere_;  // target of accesses outside of memory
};

}  // namespace tutti::kernels
