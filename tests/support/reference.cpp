// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference.hpp"

#include <algorithm>
#include <cstring>

#include "tutti/base/require.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

std::vector<std::int64_t> strides_of(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.sizes().size());
  std::int64_t stride = 1;
  for (std::size_t i = strides.size(); i-- > 0; stride *= shape.sizes()[i]) strides[i] = stride;
  return strides;
}

/// One equation on all devices.
class OneEquation {
 public:
  OneEquation(const Mesh& mesh, std::vector<PerDevice> operands, Types results, const Watch& watch)
      : mesh_(mesh), operands_(std::move(operands)), results_(std::move(results)), watch_(watch) {}

  std::vector<PerDevice> run(const Kernel& kernel) const {
    return std::visit([this](const auto& described) { return compute(described); }, kernel);
  }

 private:
  template <class F>
  PerDevice on_each_device(F&& f) const {
    PerDevice values;
    for (int device = 0; device < mesh_.devices(); ++device) values.push_back(f(device));
    return values;
  }
  const Tensor& operand(std::size_t i, int device) const {
    return operands_[i][static_cast<std::size_t>(device)];
  }
  Tensor result() const { return Tensor(results_[0].shape(), results_[0].dtype()); }

  std::vector<PerDevice> compute(const kernel::View& view) const {
    std::vector<PerDevice> results;
    for (std::size_t i = 0; i < operands_.size(); ++i)
      results.push_back(
          on_each_device([&](int device) { return viewed(view, operands_[i], device, results_[i]); }));
    return results;
  }

  std::vector<PerDevice> compute(const kernel::Literal& literal) const {
    PerDevice everywhere = on_each_device([&](int) { return literal.data; });
    return {on_each_device([&](int device) { return viewed(literal.view, everywhere, device); })};
  }

  std::vector<PerDevice> compute(const kernel::Pointwise& pointwise) const {
    ElementwiseKernel kernel = std::visit([this](auto fn) { return kernel_of(fn); }, pointwise.fn);
    return {on_each_device([&](int device) {
      Tensor out = result();
      std::vector<const std::byte*> in;
      for (std::size_t i = 0; i < operands_.size(); ++i) in.push_back(operand(i, device).data());
      kernel(out.mutable_bytes(), in.data(), out.elements());
      return out;
    })};
  }
  ElementwiseKernel kernel_of(UnaryFn fn) const { return unary_kernel(fn, operands_[0][0].dtype()); }
  ElementwiseKernel kernel_of(BinaryFn fn) const {
    return binary_kernel(fn, operands_[0][0].dtype(), Stride::dense, Stride::dense);
  }
  ElementwiseKernel kernel_of(CompareDirection direction) const {
    return compare_kernel(direction, operands_[0][0].dtype(), Stride::dense, Stride::dense);
  }
  ElementwiseKernel kernel_of(kernel::ClampFn) const {
    return clamp_kernel(results_[0].dtype(), Stride::dense, Stride::dense, Stride::dense);
  }
  ElementwiseKernel kernel_of(kernel::SelectFn) const {
    return select_kernel(results_[0].dtype(), Stride::dense, Stride::dense, Stride::dense);
  }
  ElementwiseKernel kernel_of(kernel::ConvertFn) const {
    return convert_kernel(operands_[0][0].dtype(), results_[0].dtype());
  }

  // The folded dims are brought to the end, then each row is folded.
  std::vector<PerDevice> compute(const kernel::ReduceDims& reduce) const {
    const Shape& shape = operands_[0][0].shape();
    kernel::View dims_last;
    std::vector<std::int64_t> sizes;
    auto put = [&](int dim) {
      dims_last.digits.push_back(
          {shape[dim], kernel::along(Dim{dim}), kernel::along(Dim{static_cast<int>(sizes.size())})});
      sizes.push_back(shape[dim]);
    };
    auto is_folded = [&](int dim) { return std::ranges::find(reduce.dims, Dim{dim}) != reduce.dims.end(); };
    for (int i = 0; i < shape.rank(); ++i)
      if (!is_folded(i)) put(i);
    for (Dim dim : reduce.dims) put(dim.index);
    std::int64_t columns = 1;
    for (Dim dim : reduce.dims) columns *= shape[dim];
    Type moved = results_[0].with(operands_[0][0].dtype()).with(Shape(sizes));
    return {on_each_device([&](int device) {
      Tensor rows = viewed(dims_last, operands_[0], device, moved), out = result();
      reduce_rows_kernel(reduce.kind,
                         rows.dtype())(out.mutable_bytes(), rows.data(), out.elements(), columns,
                                       columns * static_cast<std::int64_t>(bytes_per_element(rows.dtype())));
      return out;
    })};
  }

  // Device numbers ascend in mesh order, last axis innermost: the order of folding.
  std::vector<PerDevice> compute(const kernel::Fold& fold) const {
    PerDevice folded = on_each_device([&](int device) {
      std::vector<const std::byte*> terms;
      for (int other = 0; other < mesh_.devices(); ++other)
        if (differ_only_along(fold.axes, device, other)) terms.push_back(operand(0, other).data());
      Tensor out(operand(0, device).shape(), operand(0, device).dtype());
      fold_kernel(fold.kind, out.dtype())(out.mutable_bytes(), terms.data(), static_cast<int>(terms.size()),
                                          out.elements(), Load::plain, Store::plain);
      return out;
    });
    if (fold.then.empty()) return {folded};
    return {on_each_device([&](int device) { return viewed(fold.then[0], folded, device); })};
  }
  bool differ_only_along(const Axes& axes, int device, int other) const {
    for (const Axis& axis : mesh_.axes())
      if (!contains(axes, axis) && mesh_.coordinate(device, axis) != mesh_.coordinate(other, axis))
        return false;
    return true;
  }

  // Element by element: its place in a piece, from there its places in the operand and in the result.
  std::vector<PerDevice> compute(const kernel::Shuffle& shuffle) const {
    std::size_t pieces = shuffle.pieces.size() / static_cast<std::size_t>(mesh_.devices());
    std::vector<std::int64_t> from = strides_of(operands_[0][0].shape()),
                              to = strides_of(results_[0].shape());
    auto stride = [](const kernel::Coordinate& coordinate, const std::vector<std::int64_t>& strides) {
      if (coordinate.of != kernel::Coordinate::Source::dim) return std::int64_t{0};
      return coordinate.weight * strides[static_cast<std::size_t>(coordinate.dim.index)];
    };
    std::int64_t elements = 1;
    for (const kernel::Digit& digit : shuffle.digits) elements *= digit.size;
    return {on_each_device([&](int device) {
      Tensor out = result();
      ensure(static_cast<std::int64_t>(pieces) * elements == out.elements(),
             "{} pieces of {} elements for {}", pieces, elements, to_string(results_[0]));
      for (std::size_t k = 0; k < pieces; ++k) {
        const kernel::Shuffle::Piece& piece = shuffle.pieces[static_cast<std::size_t>(device) * pieces + k];
        for (std::int64_t i = 0; i < elements && !piece.devices.empty(); ++i) {
          std::int64_t read = piece.block * stride(shuffle.block, from),
                       write = static_cast<std::int64_t>(k) * stride(shuffle.piece, to), rest = i;
          for (const kernel::Digit& digit : shuffle.digits) {
            read += rest % digit.size * stride(digit.from, from);
            write += rest % digit.size * stride(digit.to, to);
            rest /= digit.size;
          }
          fold_element(shuffle, piece, read, out, write);
        }
      }
      return out;
    })};
  }
  void fold_element(const kernel::Shuffle& shuffle, const kernel::Shuffle::Piece& piece, std::int64_t read,
                    Tensor& out, std::int64_t write) const {
    auto bytes = static_cast<std::int64_t>(bytes_per_element(out.dtype()));
    ensure(std::ranges::is_sorted(piece.devices), "the devices of a piece are not in mesh order");
    std::vector<const std::byte*> terms;
    for (int device : piece.devices) terms.push_back(operand(0, device).data() + read * bytes);
    if (terms.size() == 1)
      std::memcpy(out.mutable_bytes() + write * bytes, terms[0], static_cast<std::size_t>(bytes));
    else
      fold_kernel(shuffle.kind, out.dtype())(out.mutable_bytes() + write * bytes, terms.data(),
                                             static_cast<int>(terms.size()), 1, Load::plain, Store::plain);
  }

  std::vector<PerDevice> compute(const kernel::Opaque& units) const {
    std::vector<PerDevice> all(results_.size());
    Tensor scratch(Shape{static_cast<std::int64_t>(units.scratch_bytes)}, DType::boolean);
    for (int device = 0; device < mesh_.devices(); ++device) {
      std::vector<const std::byte*> in;
      std::vector<std::byte*> out;
      for (std::size_t i = 0; i < operands_.size(); ++i) in.push_back(operand(i, device).data());
      for (std::size_t i = 0; i < results_.size(); ++i) {
        all[i].emplace_back(results_[i].shape(), results_[i].dtype());
        out.push_back(all[i].back().mutable_bytes());
      }
      units.run({in, out, scratch.mutable_bytes(), device, nullptr, {0, units.shared.lines}});
    }
    return all;
  }

  // Every device goes every way, together with the others; it takes what it finds on its own.
  std::vector<PerDevice> compute(const kernel::Sub& sub) const {
    switch (sub.how) {
      case kernel::Sub::Control::choose: return chosen(sub);
      case kernel::Sub::Control::repeat: return repeated(sub);
      case kernel::Sub::Control::call: return evaluate(*sub.programs[0], mesh_, operands_, watch_);
      case kernel::Sub::Control::loop: return looped(sub);
    }
    return {};
  }

  std::vector<PerDevice> chosen(const kernel::Sub& sub) const {
    std::vector<PerDevice> rest(operands_.begin() + 1, operands_.end()), results(results_.size());
    for (PerDevice& result : results) result.resize(static_cast<std::size_t>(mesh_.devices()));
    int last = static_cast<int>(sub.programs.size()) - 1;
    for (int branch = 0; branch <= last; ++branch) {
      auto is_taken = [&](int device) {
        return std::clamp(static_cast<int>(operand(0, device).at(0)), 0, last) == branch;
      };
      take(results, evaluate(*sub.programs[static_cast<std::size_t>(branch)], mesh_, rest, watch_), is_taken);
    }
    return results;
  }

  std::vector<PerDevice> repeated(const kernel::Sub& sub) const {
    auto consts = sub.consts, carries = sub.carries;
    std::vector<PerDevice> carried(operands_.begin() + consts, operands_.begin() + consts + carries);
    std::vector<PerDevice> ys;
    for (std::size_t i = carried.size(); i < results_.size(); ++i)
      ys.push_back(on_each_device([&](int) { return Tensor(results_[i].shape(), results_[i].dtype()); }));
    for (std::int64_t trip = 0; trip < sub.length; ++trip) {
      std::int64_t at = sub.reverse ? sub.length - 1 - trip : trip;
      std::vector<PerDevice> given(operands_.begin(), operands_.begin() + consts);
      given.insert(given.end(), carried.begin(), carried.end());
      for (std::size_t i = given.size(); i < operands_.size(); ++i)
        given.push_back(on_each_device([&](int device) { return slice_of(operand(i, device), at); }));
      std::vector<PerDevice> found = evaluate(*sub.programs[0], mesh_, given, watch_);
      carried.assign(found.begin(), found.begin() + carries);
      for (std::size_t i = 0; i < ys.size(); ++i)
        for (std::size_t device = 0; device < ys[i].size(); ++device) {
          const Tensor& y = found[carried.size() + i][device];
          std::memcpy(ys[i][device].mutable_bytes() + static_cast<std::size_t>(at) * y.bytes(), y.data(),
                      y.bytes());
        }
    }
    carried.insert(carried.end(), ys.begin(), ys.end());
    return carried;
  }
  static Tensor slice_of(const Tensor& stack, std::int64_t at) {
    Tensor slice(stack.shape().erased(Dim{0}), stack.dtype());
    std::memcpy(slice.mutable_bytes(), stack.data() + static_cast<std::size_t>(at) * slice.bytes(),
                slice.bytes());
    return slice;
  }

  std::vector<PerDevice> looped(const kernel::Sub& sub) const {
    std::vector<PerDevice> given = operands_;
    std::vector<bool> wants(static_cast<std::size_t>(mesh_.devices()), true);
    auto goes_on = [&](int device) { return wants[static_cast<std::size_t>(device)]; };
    for (;;) {
      PerDevice tested = evaluate(*sub.programs[0], mesh_, given, watch_)[0];
      for (std::size_t device = 0; device < wants.size(); ++device)
        wants[device] = wants[device] && tested[device].at(0) != 0;
      std::vector<PerDevice> carried(given.begin() + sub.consts, given.end());
      if (std::ranges::find(wants, true) == wants.end()) return carried;
      take(carried, evaluate(*sub.programs[1], mesh_, given, watch_), goes_on);
      std::ranges::copy(carried, given.begin() + sub.consts);
    }
  }

  template <class F>
  void take(std::vector<PerDevice>& to, const std::vector<PerDevice>& from, F&& takes) const {
    for (std::size_t i = 0; i < to.size(); ++i)
      for (int device = 0; device < mesh_.devices(); ++device)
        if (takes(device))
          to[i][static_cast<std::size_t>(device)] = from[i][static_cast<std::size_t>(device)];
  }

  Tensor viewed(const kernel::View& view, const PerDevice& from, int device) const {
    return viewed(view, from, device, results_[0]);
  }

  Tensor viewed(const kernel::View& view, const PerDevice& from, int device, Type to) const {
    if (view.reshape) return from[static_cast<std::size_t>(device)].reshaped(to.shape());
    Tensor out(to.shape(), to.dtype());
    std::vector<bool> written(static_cast<std::size_t>(out.elements()));
    Walk walk = walk_of(view, from[0].shape(), to.shape(), device);
    ensure(walk.indices == out.elements(), "a view of {} indices for {}", walk.indices, to_string(to));
    std::size_t bytes = bytes_per_element(to.dtype());
    for (std::int64_t index = 0; index < walk.indices; ++index) {
      auto [source, read, write] = walk.at(index);
      ensure(!written[write], "a view writes element {} of {} twice", write, to_string(to));
      written[write] = true;
      std::memcpy(out.mutable_bytes() + write * bytes, from[source].data() + read * bytes, bytes);
    }
    return out;
  }

  // The elements of one device's result: where each comes from. All places are linear in the digits.
  struct Walk {
    struct Place {
      std::size_t source, read, write;  // device and element it is read from, element it goes to
    };
    struct Loop {
      std::int64_t size;
      Place step;
    };
    Place start{0, 0, 0};
    std::vector<Loop> loops = {};
    std::int64_t indices = 1;

    Place at(std::int64_t index) const {
      Place place = start;
      for (const Loop& loop : loops) {
        auto value = static_cast<std::size_t>(index % loop.size);
        index /= loop.size;
        place.source += value * loop.step.source;
        place.read += value * loop.step.read;
        place.write += value * loop.step.write;
      }
      return place;
    }
  };

  // Digits that go to an axis stand at this device's coordinate, all others run through their sizes. Axes
  // that no digit reads stay as they are.
  Walk walk_of(const kernel::View& view, const Shape& from, const Shape& to, int device) const {
    std::vector<std::int64_t> from_strides = strides_of(from), to_strides = strides_of(to);
    auto step = [](const kernel::Coordinate& coordinate, const std::vector<std::int64_t>& strides) {
      bool moves = coordinate.of == kernel::Coordinate::Source::dim;
      std::int64_t stride =
          moves ? coordinate.weight * strides[static_cast<std::size_t>(coordinate.dim.index)] : 0;
      return static_cast<std::size_t>(stride);
    };
    Walk walk;
    for (std::size_t i = 0; i < view.start.size(); ++i)
      walk.start.read += static_cast<std::size_t>(view.start[i] * from_strides[i]);
    Axes consumed;
    for (const kernel::Digit& digit : view.digits) {
      bool reads_axis = digit.from.of == kernel::Coordinate::Source::axis;
      if (reads_axis) consumed.push_back(digit.from.axis);
      std::size_t hop =
          reads_axis ? hop_along(digit.from.axis) * static_cast<std::size_t>(digit.from.weight) : 0;
      Walk::Place place{hop, step(digit.from, from_strides), step(digit.to, to_strides)};
      if (digit.to.of != kernel::Coordinate::Source::axis) {
        walk.loops.push_back({digit.size, place});
        walk.indices *= digit.size;
        continue;
      }
      auto value =
          static_cast<std::size_t>(mesh_.coordinate(device, digit.to.axis) / digit.to.weight % digit.size);
      walk.start.source += value * place.source;
      walk.start.read += value * place.read;
    }
    for (const Axis& axis : mesh_.axes())
      if (!contains(consumed, axis))
        walk.start.source += hop_along(axis) * static_cast<std::size_t>(mesh_.coordinate(device, axis));
    return walk;
  }

  // How far apart in device numbers neighbours along `axis` are.
  std::size_t hop_along(const Axis& axis) const {
    std::size_t hop = 1;
    for (auto other = mesh_.axes().rbegin(); *other != axis; ++other)
      hop *= static_cast<std::size_t>(other->size);
    return hop;
  }

  Mesh mesh_;
  std::vector<PerDevice> operands_;
  Types results_;
  const Watch& watch_;
};

}  // namespace

std::vector<PerDevice> evaluate_all(const Program& program, const Mesh& mesh,
                                    const std::vector<PerDevice>& inputs, const Watch& watch) {
  std::vector<PerDevice> values(program.types.size());
  auto value = [&](Var var) -> PerDevice& { return values[static_cast<std::size_t>(var)]; };
  ensure(inputs.size() == program.inputs.size(), "{} values for {} inputs", inputs.size(),
         program.inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Type type = program.type(program.inputs[i]);
    for (const Tensor& given : inputs[i]) {
      const Type found(given.dtype(), given.shape());
      ensure(given.shape() == type.shape() && given.dtype() == type.dtype(), "input {}, {}, is {}", i, type,
             found);
    }
    value(program.inputs[i]) = inputs[i];
  }
  for (const Equation& equation : program.equations) {
    Types operand_types = program.types_of(equation.operands),
          result_types = program.types_of(equation.results);
    std::vector<PerDevice> operands;
    for (Var var : equation.operands) operands.push_back(value(var));
    Kernel kernel = equation.op->kernel(Layout(mesh, Storage::per_device, operand_types, result_types));
    std::vector<PerDevice> results = OneEquation(mesh, std::move(operands), result_types, watch).run(kernel);
    for (std::size_t i = 0; i < results.size(); ++i) value(equation.results[i]) = std::move(results[i]);
  }
  if (watch) watch(program, values);
  return values;
}

Program without_unreduced_borders(const Program& program) {
  auto stays = [](const Equation& equation) {
    const Enter* enter = equation.op.as<Enter>();
    const Leave* leave = equation.op.as<Leave>();
    return (!enter || enter->sharding.unreduced.empty()) && (!leave || leave->sharding.unreduced.empty());
  };
  return std::ranges::all_of(program.equations, stays) ? program : with_borders_as_moves(program, stays);
}

std::vector<PerDevice> evaluate(const Program& program, const Mesh& mesh,
                                const std::vector<PerDevice>& inputs, const Watch& watch) {
  Program moves = without_unreduced_borders(program);
  std::vector<PerDevice> values = evaluate_all(moves, mesh, inputs, watch), outputs;
  for (Var var : moves.outputs) outputs.push_back(values[static_cast<std::size_t>(var)]);
  return outputs;
}

Types types_of(const Tensors& tensors) {
  Types types;
  for (const Tensor& tensor : tensors) types.emplace_back(tensor.dtype(), tensor.shape());
  return types;
}

Tensors computed(const Op& op, const Tensors& operands) {
  Program program = trace(types_of(operands), [&](const Arrays& x) { return tutti::apply(op, x); }).program;
  return evaluate_whole(program, Mesh({{"a", 1}}), operands);
}

Tensor computed_by(const std::function<Array(const Arrays&)>& function, const Tensors& inputs) {
  Program program = trace(types_of(inputs), [&](const Arrays& x) { return Arrays{function(x)}; }).program;
  return evaluate_whole(program, Mesh({{"a", 1}}), inputs)[0];
}

Tensors evaluate_whole(const Program& program, const Mesh& mesh, const Tensors& inputs) {
  std::vector<PerDevice> everywhere;
  for (const Tensor& input : inputs) everywhere.emplace_back(static_cast<std::size_t>(mesh.devices()), input);
  Tensors outputs;
  for (const PerDevice& output : evaluate(program, mesh, everywhere)) outputs.push_back(output[0]);
  return outputs;
}

}  // namespace tutti
