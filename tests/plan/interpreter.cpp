// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/interpreter.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "tutti/types/block.hpp"

namespace tutti {
namespace {

using Index = std::vector<std::int64_t>;

/// A buffer in row-major order.
struct Buffer {
  Index shape;
  std::vector<std::uint64_t> cells;

  explicit Buffer(Index its_shape) : shape(std::move(its_shape)) {
    std::size_t size = 1;
    for (std::int64_t extent : shape) size *= static_cast<std::size_t>(extent);
    cells.resize(size);
  }
  std::uint64_t& at(const Index& index) { return cells[offset(index)]; }
  std::uint64_t at(const Index& index) const { return cells[offset(index)]; }

 private:
  std::size_t offset(const Index& index) const {
    std::int64_t offset = 0;
    for (std::size_t dim = 0; dim < shape.size(); ++dim) offset = offset * shape[dim] + index[dim];
    return static_cast<std::size_t>(offset);
  }
};

void for_each_index(const Index& shape, const std::function<void(const Index&)>& visit) {
  Index index(shape.size());
  for (std::int64_t extent : shape)
    if (extent == 0) return;
  for (;;) {
    visit(index);
    std::size_t dim = shape.size();
    while (dim > 0 && ++index[dim - 1] == shape[dim - 1]) index[--dim] = 0;
    if (dim == 0) return;
  }
}

Index shape_of(const Type& whole, const Sharding& sharding) {
  return local_type(whole, sharding).shape().sizes();
}

/// The axes at the end of `more` that `less`, its beginning, does not have. None if it is no beginning.
std::optional<Axes> suffix(const Axes& more, const Axes& less) {
  if (less.size() > more.size() || !std::equal(less.begin(), less.end(), more.begin())) return std::nullopt;
  return Axes(more.begin() + static_cast<std::ptrdiff_t>(less.size()), more.end());
}

/// A device's position along `axes`, by its place in a group whose members are in row-major order of `all`.
std::int64_t position_in(int place, const Axes& all, const Axes& axes) {
  std::int64_t position = 0;
  for (const Axis& axis : axes) {
    int rest = place;
    for (auto it = all.rbegin(); *it != axis; ++it) rest /= it->size;
    position = position * axis.size + rest % axis.size;
  }
  return position;
}

class Run {
 public:
  Run(const ReshardPlan& plan, Unpack unpack) : whole_(plan.request.whole), unpack_(unpack) {
    const Sharding& from = plan.request.from;
    for (int device = 0; device < from.mesh.devices(); ++device) {
      Buffer buffer(shape_of(whole_, from));
      const Box box = block(device, from, whole_.shape());
      for_each_index(buffer.shape, [&](const Index& index) {
        buffer.at(index) = value(moved(index, box.begin), term_of(device, from));
      });
      buffers_.push_back(std::move(buffer));
    }
    for (const PlanStep& each : plan.steps) {
      step(each);
      if (!wrong_.empty()) return;
    }
    check(plan.request);
  }
  std::string wrong() && { return std::move(wrong_); }

 private:
  static Index moved(Index index, const Index& by) {
    for (std::size_t dim = 0; dim < index.size(); ++dim) index[dim] += by[dim];
    return index;
  }
  static std::uint64_t term_of(int device, const Sharding& sharding) {
    std::uint64_t term = 0;
    for (const Axis& axis : sharding.mesh.axes())
      if (contains(sharding.unreduced, axis))
        term = term * static_cast<std::uint64_t>(axis.size) +
               static_cast<std::uint64_t>(sharding.mesh.coordinate(device, axis));
    return term;
  }

  void step(const PlanStep& step) {
    const std::vector<Buffer> before = buffers_;
    for (Buffer& buffer : buffers_) buffer = Buffer(shape_of(whole_, step.after));
    switch (step.kind) {
      case StepKind::slice: return slice(step, before);
      case StepKind::mask: return mask(step, before);
      case StepKind::move: wrong_ = "this interpreter knows one mesh"; return;
      case StepKind::permute: return permute(step, before);
      case StepKind::gather:
      case StepKind::exchange:
      case StepKind::all_reduce:
      case StepKind::reduce_scatter:
        for (const std::vector<int>& group : step.groups) communicate(step, group, before);
    }
  }

  Buffer& at(int device) { return buffers_[static_cast<std::size_t>(device)]; }

  void slice(const PlanStep& step, const std::vector<Buffer>& before) {
    for (int device = 0; device < step.before.mesh.devices(); ++device) {
      const Buffer& source = before[static_cast<std::size_t>(device)];
      const Index begin = begin_in(step, device, at(device).shape);
      for_each_index(at(device).shape,
                     [&](const Index& index) { at(device).at(index) = source.at(moved(index, begin)); });
    }
  }
  /// Where the block after a slice begins in that before.
  Index begin_in(const PlanStep& step, int device, const Index& shape) {
    Index begin(shape.size());
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      const std::optional<Axes> gained = suffix(step.after.dims[dim], step.before.dims[dim]);
      if (!gained) wrong_ = "a slice moves axes";
      std::int64_t position = 0;
      for (const Axis& axis : gained.value_or(Axes{}))
        position = position * axis.size + step.before.mesh.coordinate(device, axis);
      begin[dim] = position * shape[dim];
    }
    return begin;
  }

  void mask(const PlanStep& step, const std::vector<Buffer>& before) {
    const Mesh& mesh = step.before.mesh;
    for (int device = 0; device < mesh.devices(); ++device) {
      const Buffer& source = before[static_cast<std::size_t>(device)];
      bool is_first = true;  // along the axes that were free
      Index begin(source.shape.size());
      for (const Axis& axis : step.after.unreduced) {
        if (contains(step.before.unreduced, axis)) continue;
        bool was_in_a_dim = false;
        for (std::size_t dim = 0; dim < begin.size(); ++dim)
          if (contains(step.before.dims[dim], axis)) {
            begin[dim] = mesh.coordinate(device, axis) * source.shape[dim];
            was_in_a_dim = true;
          }
        if (!was_in_a_dim && mesh.coordinate(device, axis) != 0) is_first = false;
      }
      if (!is_first) continue;
      for_each_index(source.shape,
                     [&](const Index& index) { at(device).at(moved(index, begin)) = source.at(index); });
    }
  }

  void permute(const PlanStep& step, const std::vector<Buffer>& before) {
    buffers_ = before;
    std::vector<int> sent(before.size()), received(before.size());
    for (const std::vector<int>& pair : step.groups) {
      if (pair.size() != 2 || sent[static_cast<std::size_t>(pair[0])]++ > 0 ||
          received[static_cast<std::size_t>(pair[1])]++ > 0)
        wrong_ = "a device sends or receives twice";
      at(pair[1]) = before[static_cast<std::size_t>(pair[0])];
    }
    if (sent != received) wrong_ = "a block is lost";
  }

  /// Every member sends to every other: of what it has the part at the receiver's position along the axes
  /// that dims gain. The receiver puts it at the sender's position along the axes that dims lose, and adds up
  /// terms.
  void communicate(const PlanStep& step, const std::vector<int>& group, const std::vector<Buffer>& before) {
    if (!is_structured(step)) return boxes(step, group, before);
    const std::size_t rank = step.before.dims.size();
    for (std::size_t to = 0; to < group.size(); ++to)
      for (std::size_t from = 0; from < group.size(); ++from) {
        const Buffer& source = before[static_cast<std::size_t>(group[from])];
        Buffer& target = at(group[to]);
        Index part(rank), read(rank), write(rank);
        for (std::size_t dim = 0; dim < rank; ++dim) {
          const Axes gained = suffix(step.after.dims[dim], step.before.dims[dim]).value_or(Axes{});
          const Axes lost = suffix(step.before.dims[dim], step.after.dims[dim]).value_or(Axes{});
          part[dim] = std::min(source.shape[dim], target.shape[dim]);
          read[dim] = position_in(static_cast<int>(to), step.axes, gained) * part[dim];
          write[dim] = position_in(static_cast<int>(from), step.axes, lost) * part[dim];
        }
        std::size_t flat = from * target.cells.size() / group.size();
        for_each_index(part, [&](const Index& index) {
          const bool unpacks = unpack_ == Unpack::yes || step.kind != StepKind::exchange;
          (unpacks ? target.at(moved(index, write)) : target.cells[flat++]) += source.at(moved(index, read));
        });
      }
  }

  static bool is_structured(const PlanStep& step) {
    if (step.kind != StepKind::exchange) return true;
    Axes gained, lost;
    for (std::size_t dim = 0; dim < step.before.dims.size(); ++dim) {
      const Axes &a = step.before.dims[dim], &b = step.after.dims[dim];
      if (!suffix(a, b) && !suffix(b, a)) return false;
      for (const Axis& axis : suffix(b, a).value_or(Axes{})) gained.push_back(axis);
      for (const Axis& axis : suffix(a, b).value_or(Axes{})) lost.push_back(axis);
    }
    return std::ranges::is_permutation(gained, lost);
  }

  /// Each member takes what it lacks from any member that has it.
  void boxes(const PlanStep& step, const std::vector<int>& group, const std::vector<Buffer>& before) {
    for (int receiver : group) {
      const Box want = block(receiver, step.after, whole_.shape());
      for_each_index(at(receiver).shape, [&](const Index& index) {
        const Index element = moved(index, want.begin);
        for (int sender : group) {
          const Box have = block(sender, step.before, whole_.shape());
          Index local = element;
          bool is_there = true;
          for (std::size_t dim = 0; dim < local.size(); ++dim) {
            is_there = is_there && have.begin[dim] <= element[dim] && element[dim] < have.end[dim];
            local[dim] -= have.begin[dim];
          }
          if (!is_there) continue;
          const Buffer& source = before[static_cast<std::size_t>(sender)];
          at(receiver).at(index) = source.at(local);
          return;
        }
        wrong_ = "nobody in the group has an element that a device lacks";
      });
    }
  }

  void check(const PlanRequest& request) {
    const Mesh& mesh = request.to.mesh;
    std::vector<Buffer> expected(buffers_.size(), Buffer(shape_of(whole_, request.to))), sums = expected;
    for (int device = 0; device < mesh.devices(); ++device) {
      if (at(device).shape != expected[0].shape) {
        wrong_ = fmt::format("device {} has a block of another shape", device);
        return;
      }
      const Box box = block(device, request.to, whole_.shape());
      for_each_index(at(device).shape, [&](const Index& index) {
        for (int term = 0; term < joint_size(request.from.unreduced); ++term)
          expected[static_cast<std::size_t>(device)].at(index) +=
              value(moved(index, box.begin), static_cast<std::uint64_t>(term));
      });
      for (int other = 0; other < mesh.devices(); ++other)
        if (differ_only_along(request.to.unreduced, mesh, device, other))
          for (std::size_t i = 0; i < at(device).cells.size(); ++i)
            sums[static_cast<std::size_t>(device)].cells[i] += at(other).cells[i];
      if (sums[static_cast<std::size_t>(device)].cells != expected[static_cast<std::size_t>(device)].cells)
        wrong_ = fmt::format("device {} does not hold its block", device);
    }
  }
  static bool differ_only_along(const Axes& axes, const Mesh& mesh, int a, int b) {
    for (const Axis& axis : mesh.axes())
      if (!contains(axes, axis) && mesh.coordinate(a, axis) != mesh.coordinate(b, axis)) return false;
    return true;
  }

  const Type whole_;
  const Unpack unpack_;
  std::vector<Buffer> buffers_;
  std::string wrong_;
};

}  // namespace

std::uint64_t value(const std::vector<std::int64_t>& element, std::uint64_t term) {
  std::uint64_t bits = term + 1;
  for (std::int64_t i : element) bits = bits * 1'000'003 + static_cast<std::uint64_t>(i);
  bits = (bits ^ bits >> 31) * 0x9E3779B97F4A7C15U;  // of splitmix64
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9U;
  return bits ^ bits >> 27;
}

std::string wrong_data(const ReshardPlan& plan, Unpack unpack) { return Run(plan, unpack).wrong(); }

}  // namespace tutti
