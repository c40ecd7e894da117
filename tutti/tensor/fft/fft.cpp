// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/fft/fft.hpp"

namespace tutti {

#ifdef TUTTI_HAS_DUCC
namespace ducc_portable {
std::shared_ptr<const FftPlan> make_plan(FftKind kind, DType dtype, const FftShape& shape);
}
#ifdef TUTTI_HAS_DUCC_AVX2
namespace ducc_avx2 {
std::shared_ptr<const FftPlan> make_plan(FftKind kind, DType dtype, const FftShape& shape);
}
#endif

bool has_fft() { return true; }

std::shared_ptr<const FftPlan> make_fft_plan(FftKind kind, DType dtype, const FftShape& shape) {
#ifdef TUTTI_HAS_DUCC_AVX2
  if (__builtin_cpu_supports("avx2")) return ducc_avx2::make_plan(kind, dtype, shape);
#endif
  return ducc_portable::make_plan(kind, dtype, shape);
}
#else
bool has_fft() { return false; }

std::shared_ptr<const FftPlan> make_fft_plan(FftKind, DType, const FftShape&) { return nullptr; }
#endif

}  // namespace tutti

namespace tutti::ops {

std::string_view name_of(FftKind kind) {
  switch (kind) {
    case FftKind::fft: return "fft";
    case FftKind::ifft: return "ifft";
    case FftKind::rfft: return "rfft";
    case FftKind::irfft: return "irfft";
  }
  return {};
}

FftKind inverse_of(FftKind kind) {
  switch (kind) {
    case FftKind::fft: return FftKind::ifft;
    case FftKind::ifft: return FftKind::fft;
    case FftKind::rfft: return FftKind::irfft;
    case FftKind::irfft: return FftKind::rfft;
  }
  return {};
}

}  // namespace tutti::ops
