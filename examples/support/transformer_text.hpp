// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "examples/support/random.hpp"
#include "tutti/tensor/tensor.hpp"

namespace transformer {

/// Characters as numbers: ' ' to '~' are 0 to 94, the end of a line is 95.
using Tokens = std::vector<std::int32_t>;
constexpr std::int64_t vocabulary = 96;

/// A tab becomes a space, a carriage return is left out, every other character becomes one '?', whatever its
/// bytes in UTF-8.
Tokens encoded(std::string_view text);
std::string decoded(std::span<const std::int32_t> tokens);

/// Throws R001 if the file cannot be read, or is too short to hold out a part of it.
Tokens read_tokens(const std::string& path);

/// Where runs of `length` characters start that lie in a stretch for training, or in one for testing: of
/// every ten stretches of 320 characters the last one is held out.
struct Split {
  std::vector<std::size_t> training, held_out;
};
Split split(const Tokens& text, std::size_t length);

/// `count` of these numbers: drawn, each perhaps several times, or evenly spaced.
std::vector<std::size_t> drawn_from(std::span<const std::size_t> starts, std::size_t count,
                                    examples::Random& random);
std::vector<std::size_t> evenly_spaced(std::span<const std::size_t> starts, std::size_t count);

/// The runs that start there. i32[starts, length].
tutti::Tensor runs_of(const Tokens& text, std::span<const std::size_t> starts, std::size_t length);

/// How well pairs of characters that were counted in the training part predict what follows each character of
/// those runs: the mean of -log p(next | character), each pair counted a tenth of a time more often than it
/// was seen.
double loss_by_pairs(const Tokens& text, std::span<const std::size_t> starts, std::size_t length);

}  // namespace transformer
