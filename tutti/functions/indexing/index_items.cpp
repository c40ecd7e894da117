// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/indexing/index_items.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "tutti/base/counted.hpp"
#include "tutti/base/overloaded.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/elementwise.hpp"

namespace tutti {
namespace {

using Kind = IndexItem::Kind;

IndexItem number_item(std::int64_t number, Dim dim, Type x) {
  std::int64_t size = x.shape()[dim];
  require(-size <= number && number < size, Code::dim,
          "{} is out of range for dim {} of {}, which has size {}; {}", number, dim.index, x, size,
          size == 0 ? "it has no elements" : fmt::format("indices go from {} to {}", -size, size - 1));
  return {.kind = Kind::number, .dim = dim, .start = number < 0 ? number + size : number};
}

// As Python's slice.indices.
IndexItem range_item(const Range& range, Dim dim, Type x) {
  std::int64_t size = x.shape()[dim], step = range.step.value_or(1);
  require(step != 0, Code::shape,
          "the range along dim {} of {} has a step of 0; it is 1 or more, or negative", dim.index, x);
  step = std::clamp(step, -size - 1, size + 1);  // one as large leaves one element as well
  std::int64_t first = step > 0 ? 0 : -1, last = step > 0 ? size : size - 1;
  auto end = [&](const std::optional<std::int64_t>& given, std::int64_t absent) {
    if (!given) return absent;
    return std::clamp(*given < 0 ? *given + size : *given, first, last);
  };
  std::int64_t start = end(range.start, step > 0 ? first : last),
               stop = end(range.stop, step > 0 ? last : first);
  std::int64_t length = step > 0 ? stop - start : start - stop, stride = std::abs(step);
  std::int64_t count = length > 0 ? (length - 1) / stride + 1 : 0;
  return {.kind = Kind::range, .dim = dim, .start = count > 0 ? start : 0, .count = count, .step = step};
}

IndexItem lookup_item(const Array& rows, Dim dim) {
  Type type = rows.type();
  require(type.dtype() != DType::boolean, Code::dtype,
          "the index is the mask {}; how many elements it selects is not known while a program is traced. "
          "Use where(mask, x, y), which keeps the shape",
          type);
  require(is_integer(type.dtype()), Code::dtype, "the index is {}, not integers; convert it: {}", type,
          conversion_to(DType::i32));
  return {.kind = Kind::lookup, .dim = dim, .rows = rows};
}

IndexItem whole_dim(Dim dim, Type x) { return range_item({}, dim, x); }

bool is_ellipsis(const Index& index) { return std::holds_alternative<Ellipsis>(index.is()); }
bool takes_dim(const Index& index) {
  return !is_ellipsis(index) && !std::holds_alternative<NewAxis>(index.is());
}

class Reader {
 public:
  Reader(Type x, int named) : x_(x), named_(named) {}

  void read(const Index& index) {
    require(named_ <= x_.rank(), Code::dim, "{} for {}, which has {}; leave some out",
            counted(named_, "index", "indices"), x_, counted(x_.rank(), "dim"));
    std::visit(Overloaded{[&](std::int64_t number) { items_.push_back(number_item(number, next(), x_)); },
                          [&](const Array& rows) { items_.push_back(lookup_item(rows, next())); },
                          [&](const Range& range) { items_.push_back(range_item(range, next(), x_)); },
                          [&](NewAxis) { items_.push_back({.kind = Kind::new_dim}); },
                          [&](Ellipsis) { read_ellipsis(); },
                          [&](All) { items_.push_back(whole_dim(next(), x_)); }},
               index.is());
  }

  IndexItems finish() {
    while (next_ < x_.rank()) items_.push_back(whole_dim(next(), x_));
    return std::move(items_);
  }

 private:
  Dim next() { return Dim{next_++}; }

  void read_ellipsis() {
    require(!has_ellipsis_, Code::dim, "a second ellipsis; one stands for all dims that are left over");
    has_ellipsis_ = true;
    if (named_ == x_.rank()) items_.push_back({.kind = Kind::gap});
    for (int left = x_.rank() - named_; left > 0; --left) items_.push_back(whole_dim(next(), x_));
  }

  Type x_;
  int named_;  // dims that indices name
  int next_ = 0;
  bool has_ellipsis_ = false;
  IndexItems items_;
};

// The place of an index, if it is in the call that the user wrote; none inside of another front end.
Where place_of(const Index& index, const Index& first) {
  const auto& cause = Builder::current().cause();
  bool is_the_users =
      cause && cause->where.file == first.where().file && cause->where.line == first.where().line;
  return is_the_users ? index.where() : Where{};
}

}  // namespace

IndexItems index_items(const std::vector<Index>& indices, Type x) {
  Reader reader(x, static_cast<int>(std::ranges::count_if(indices, takes_dim)));
  for (const Index& index : indices) try {
      reader.read(index);
    } catch (const Error& error) {
      throw error.at(place_of(index, indices.front()));
    }
  return reader.finish();
}

bool looks_up(const IndexItems& items) {
  return std::ranges::any_of(items, [](const IndexItem& item) { return item.kind == Kind::lookup; });
}

}  // namespace tutti
