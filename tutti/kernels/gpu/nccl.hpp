// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/kernels/gpu/driver_types.hpp"
#include "tutti/kernels/gpu/library.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti::kernels {

inline constexpr std::string_view default_nccl = "libnccl.so.2";

using Communicator = struct CommunicatorOfNccl*;  // ncclComm_t

/// The functions of NCCL that we call, found by name in a shared library. nccl.name(..) throws R004 with the
/// function and NCCL's text if the function fails.
class Nccl {
 public:
  /// Throws R004 if the library or a function is missing.
  explicit Nccl(const std::string& path) : library_(path, "reductions without a kernel") {}
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  /// One function of NCCL.
  template <class... A>
  class Call {
   public:
    Call(const Nccl& nccl, const char* symbol)
        : nccl_(&nccl),
          symbol_(symbol),
          function_(reinterpret_cast<int (*)(A...)>(nccl.library_.symbol(symbol))) {}
    /// Calls the function, and throws if it fails.
    void operator()(A... arguments) const { nccl_->check(function_(arguments...), symbol_); }
    /// Calls the function, and returns the ncclResult_t.
    int result(A... arguments) const { return function_(arguments...); }

   private:
    const Nccl* nccl_;
    const char* symbol_;
    int (*function_)(A...);
  };

  int version() const;  // 22809 is 2.28.9

 private:
  void check(int result, std::string_view function) const;
  Library library_;
  using Reduction =
      Call<const void*, void*, std::size_t, int, int, Communicator, StreamHandle>;  // count, dtype, op

 public:
  Call<int*> get_version{*this, "ncclGetVersion"};
  Call<Communicator*, int, const int*> init_all{*this, "ncclCommInitAll"};
  Call<Communicator> destroy{*this, "ncclCommDestroy"};
  Call<> group_start{*this, "ncclGroupStart"}, group_end{*this, "ncclGroupEnd"};
  Reduction all_reduce{*this, "ncclAllReduce"}, reduce_scatter{*this, "ncclReduceScatter"};
};

/// A reduction in the numbers of nccl.h. One element of ours has `parts` elements of NCCL's dtype.
struct NcclReduction {
  int dtype = 0, op = 0;
  int parts = 1;
};
/// NCCL's numbers for a reduction. None if NCCL lacks it: 16-bit integers, the max of complex numbers, a sum
/// of bool.
std::optional<NcclReduction> nccl_reduction(DType dtype, ops::ReduceKind reduction);

}  // namespace tutti::kernels
