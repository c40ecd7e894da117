// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/results.hpp"

#include <algorithm>
#include <utility>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/devices/block.hpp"

namespace tutti {
namespace {

constexpr std::size_t buffers_per_result = 2;

}  // namespace

void require_types(const GlobalArrays& inputs, const Types& types) {
  if (inputs.size() != types.size())
    fail(Code::argument, "{} for a program of {}", counted(std::ssize(inputs), "argument"), types.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i] || inputs[i]->type() != types[i])
      fail(Code::argument, "argument {} is {}, the program takes {}", i,
           inputs[i] ? to_string(inputs[i]->type()) : "empty", to_string(types[i]));
}

bool is_owned_by(int owners, const std::shared_ptr<const GlobalArray>& array) {
  if (array.use_count() != owners) return false;
  const auto is_its_own = [&](const auto& memory) {
    if (memory.use_count() != 1) return false;
    // Reading the counts orders nothing. Making and dropping copies does: both change the counts with
    // acquire-release operations.
    static_cast<void>(std::pair(array, memory));
    return true;
  };
  return array->remote() ? is_its_own(array->remote()) : is_its_own(array->buffer().base);
}

bool ResultRing::has(const std::shared_ptr<const GlobalArray>& array) const {
  return std::ranges::find(arrays_, array) != arrays_.end();
}

std::shared_ptr<const GlobalArray> ResultRing::take() {
  for (std::size_t tried = 0; tried < arrays_.size(); ++tried) {
    next_ = (next_ + 1) % arrays_.size();
    if (is_owned_by(1, arrays_[next_])) return arrays_[next_];
  }
  auto fresh =
      std::make_shared<const GlobalArray>(type_, sharding_,
                                          ShardedBuffer{allocate_block(bytes_), shard_stride_, drivers_});
  if (arrays_.size() < buffers_per_result) {
    arrays_.push_back(fresh);
  } else {
    next_ = (next_ + 1) % arrays_.size();
    arrays_[next_] = fresh;  // the caller keeps the old one
  }
  return fresh;
}

}  // namespace tutti
