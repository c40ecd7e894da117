// SPDX-License-Identifier: Apache-2.0
// The messages of a group about waits that kernels gave up, from the error words of its ranks.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/kernels/gpu/group.hpp"

namespace tutti::kernels {
namespace {

constexpr std::size_t most_listed = 4;  // waits in a message
constexpr double copy_timeout_s = 1;    // for at most 66 KB per rank
constexpr std::string_view advice = "see whether these ranks were launched at all and whether other work "
                                    "keeps their GPU; then make another group";

}  // namespace

std::string Group::given_up_text(bool have_finished) const {
  std::string text;
  if (!have_finished)
    text = fmt::format("the work of ranks {} is not done after {} s", fmt::join(unfinished(streams_), ", "),
                       2 * options_.timeout_s);
  if (is_filled_ && !read_errors())
    return text + "; their error words cannot be read; " + std::string(advice);
  std::vector<GivenUp> waits;
  if (is_filled_) waits = given_up();
  const std::size_t listed = std::min(waits.size(), most_listed);
  for (std::size_t i = 0; i < listed; ++i) text += (text.empty() ? "" : "; ") + text_of(waits[i]);
  if (waits.size() > listed)
    text += fmt::format("; and {}",
                        counted(static_cast<std::int64_t>(waits.size() - listed), "wait more", "waits more"));
  if (text.empty()) text = "a kernel gave up a wait";
  return fmt::format("{}; {}", text, advice);
}

// Copies on the observers' streams, because the ranks' own streams may hang.
bool Group::read_errors() const {
  for (std::size_t rank = 0; rank < errors_.size(); ++rank) {
    const OnDevice current(*devices_[rank]);
    const auto bytes = static_cast<std::size_t>(memory_->error_bytes());
    driver().copy_to_host(errors_[rank].get(), memory_->error_words(static_cast<int>(rank)), bytes,
                          observers_[rank].get());
  }
  return finish_within(observers_, copy_timeout_s);
}

std::vector<Group::GivenUp> Group::given_up() const {
  std::vector<GivenUp> waits;
  const int pairs = most_blocks * world();
  for (int rank = 0; rank < world(); ++rank)
    for (int i = 0; i < pairs; ++i) {
      std::uint32_t pair[2];
      const auto* words = static_cast<const std::byte*>(errors_[static_cast<std::size_t>(rank)].get());
      std::memcpy(pair, words + std::ptrdiff_t{1 + i} * error_pair_bytes, sizeof pair);
      if (pair[0] != 0) waits.push_back({rank, i / world(), i % world(), pair[1]});
    }
  return waits;
}

std::string Group::text_of(const GivenUp& wait) const {
  const auto call = std::ranges::find_if(calls_, [&](const NamedCall& c) {
    return wait.sequence - c.sequence < static_cast<std::uint32_t>(c.signals);
  });
  const std::string name = call == calls_.end() ? "" : call->name + ": ";
  return fmt::format("{}rank {}, block {} waited {} s in vain for number {} of rank {}", name, wait.rank,
                     wait.block, options_.timeout_s, wait.sequence, wait.peer);
}

}  // namespace tutti::kernels
