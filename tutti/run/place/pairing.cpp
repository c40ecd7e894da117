// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/place/pairing.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <numeric>

namespace tutti {
namespace {

constexpr int most_tries = 64;

/// The numbers below n, by key.
template <class Key>
std::vector<std::size_t> sorted_by(std::size_t n, const Key& key) {
  std::vector<std::size_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::ranges::stable_sort(numbers, {}, key);
  return numbers;
}

class PairSearch {
 public:
  explicit PairSearch(const Pairing& pairing)
      : pairing_(pairing), chosen_(pairing.outputs.size()), is_taken_(pairing.inputs.size()) {}

  std::vector<std::optional<std::size_t>> chosen() && {
    choose_near_inputs();
    choose_free_inputs();
    return std::move(chosen_);
  }

 private:
  bool may(std::size_t input, std::size_t output) const {
    return pairing_.inputs[input].kind == pairing_.outputs[output].kind && pairing_.may(input, output);
  }

  void choose_near_inputs() {
    const std::vector<Pairing::Output>& outputs = pairing_.outputs;
    std::vector<std::vector<std::size_t>> near(outputs.size());
    for (std::size_t output = 0; output < outputs.size(); ++output)
      std::ranges::copy_if(outputs[output].near, std::back_inserter(near[output]),
                           [&](std::size_t input) { return may(input, output); });
    for (std::size_t output : sorted_by(outputs.size(), [&](std::size_t i) { return near[i].size(); })) {
      const auto first = std::ranges::find_if(near[output], [&](std::size_t i) { return !is_taken_[i]; });
      if (first == near[output].end()) continue;
      chosen_[output] = *first;
      is_taken_[*first] = true;
    }
  }

  /// An input that is free for an output is free for all later ones, too, so the first is taken first.
  void choose_free_inputs() {
    const auto last = [&](std::size_t i) { return pairing_.inputs[i].last; };
    const auto made = [&](std::size_t i) { return pairing_.outputs[i].made; };
    std::map<std::size_t, std::list<std::size_t>> free;  // per kind
    for (std::size_t input : sorted_by(pairing_.inputs.size(), last))
      if (!is_taken_[input]) free[pairing_.inputs[input].kind].push_back(input);
    for (std::size_t output : sorted_by(pairing_.outputs.size(), made)) {
      std::list<std::size_t>& left = free[pairing_.outputs[output].kind];
      auto input = left.begin();
      for (int tries = 0; !chosen_[output] && tries < most_tries && input != left.end(); ++tries, ++input)
        if (may(*input, output)) {
          chosen_[output] = *input;
          left.erase(input);
          break;
        }
    }
  }

  const Pairing& pairing_;
  std::vector<std::optional<std::size_t>> chosen_;
  std::vector<bool> is_taken_;
};

}  // namespace

std::vector<std::optional<std::size_t>> paired(const Pairing& pairing) {
  return PairSearch(pairing).chosen();
}

}  // namespace tutti
