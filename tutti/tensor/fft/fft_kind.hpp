// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tutti::ops {

/// fft and ifft: complex to complex; rfft: real to half of a complex spectrum; irfft: its inverse.
enum class FftKind { fft, ifft, rfft, irfft };
/// "fft", "ifft", "rfft", "irfft".
std::string_view name_of(FftKind kind);
/// The other direction: fft and ifft, rfft and irfft.
FftKind inverse_of(FftKind kind);

}  // namespace tutti::ops
