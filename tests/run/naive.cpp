// SPDX-License-Identifier: Apache-2.0
#include "tests/run/naive.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "tutti/base/error.hpp"
#include "tutti/devices/layout.hpp"
#include "tutti/tensor/kernels.hpp"

namespace tutti {
namespace {

using PerDevice = Tensors;
using Index = std::vector<std::int64_t>;

std::size_t offset(const Index& index, const Shape& shape) {
  std::int64_t at = 0;
  for (int i = 0; i < shape.rank(); ++i) at = at * shape[i] + index[static_cast<std::size_t>(i)];
  return static_cast<std::size_t>(at);
}

Index index_of(std::int64_t at, const Shape& shape) {
  Index index(static_cast<std::size_t>(shape.rank()));
  for (int i = shape.rank(); i-- > 0; at /= shape[i]) index[static_cast<std::size_t>(i)] = at % shape[i];
  return index;
}

class Evaluation {
 public:
  Evaluation(const Mesh& mesh, const Types& operands, const Types& results)
      : layout_(mesh, Storage::per_device, operands, results) {}

  PerDevice operator()(const Op& op, const std::vector<PerDevice>& operands, std::vector<PerDevice>& more) {
    return std::visit([&](const auto& kernel) { return evaluate(kernel, operands, more); },
                      op->kernel(layout_));
  }

 private:
  int devices() const { return layout_.devices(); }
  Tensor result(std::size_t i = 0) const {
    return Tensor(layout_.results()[i].dtype(), layout_.results()[i].shape());
  }

  PerDevice evaluate(const View& view, const std::vector<PerDevice>& operands, std::vector<PerDevice>&) {
    return viewed(view, operands[0], layout_.results()[0]);
  }

  PerDevice evaluate(const Sub&, const std::vector<PerDevice>&, std::vector<PerDevice>&) const {
    throw Error(Code::internal, {}, "the programs of these tests have no sub-programs");
  }

  PerDevice viewed(const View& view, const PerDevice& from, Type to) const {
    PerDevice results;
    for (int device = 0; device < devices(); ++device) {
      if (view.reshape) {
        results.push_back(from[static_cast<std::size_t>(device)].reshaped(to.shape()));
        continue;
      }
      Tensor made(to.dtype(), to.shape());
      std::vector<std::int64_t> digits(view.digits.size());
      copy_digits(view, from, device, made, digits, 0);
      results.push_back(made);
    }
    return results;
  }

  void copy_digits(const View& view, const PerDevice& from, int device, Tensor& to, Index& digits,
                   std::size_t next) const {
    if (next < digits.size()) {
      for (digits[next] = 0; digits[next] < view.digits[next].size; ++digits[next])
        copy_digits(view, from, device, to, digits, next + 1);
      return;
    }
    const Mesh& mesh = layout_.mesh();
    std::vector<std::int64_t> source, reached(mesh.axes().size(), -1), consumed(mesh.axes().size(), -1);
    Index to_index(static_cast<std::size_t>(to.shape().rank())),
        from_index(static_cast<std::size_t>(from[0].shape().rank()));
    if (!view.start.empty()) from_index = view.start;
    auto add = [](std::int64_t& sum, std::int64_t value) { sum = std::max<std::int64_t>(sum, 0) + value; };
    auto axis_number = [&](const Axis& axis) {
      return static_cast<std::size_t>(std::ranges::find(mesh.axes(), axis) - mesh.axes().begin());
    };
    for (std::size_t i = 0; i < digits.size(); ++i) {
      const Coordinate& t = view.digits[i].to;
      const Coordinate& f = view.digits[i].from;
      if (t.of == Coordinate::Of::dim)
        to_index[static_cast<std::size_t>(t.dim.index)] += digits[i] * t.weight;
      if (t.of == Coordinate::Of::axis) add(reached[axis_number(t.axis)], digits[i] * t.weight);
      if (f.of == Coordinate::Of::dim)
        from_index[static_cast<std::size_t>(f.dim.index)] += digits[i] * f.weight;
      if (f.of == Coordinate::Of::axis) add(consumed[axis_number(f.axis)], digits[i] * f.weight);
    }
    std::int64_t source_device = 0;
    for (std::size_t a = 0; a < mesh.axes().size(); ++a) {
      std::int64_t own = mesh.coordinate(device, mesh.axes()[a]);
      if (reached[a] >= 0 && reached[a] != own) return;  // another device's element
      source_device = source_device * mesh.axes()[a].size + (consumed[a] >= 0 ? consumed[a] : own);
    }
    const Tensor& source_tensor = from[static_cast<std::size_t>(source_device)];
    std::size_t bytes = bytes_per_element(to.dtype());
    std::memcpy(to.mutable_bytes() + offset(to_index, to.shape()) * bytes,
                source_tensor.data() + offset(from_index, source_tensor.shape()) * bytes, bytes);
  }

  PerDevice evaluate(const Pointwise& fn, const std::vector<PerDevice>& operands,
                     std::vector<PerDevice>&) const {
    DType from = layout_.operands()[0].dtype(), to = layout_.results()[0].dtype();
    ElementwiseKernel kernel = nullptr;
    if (auto* unary = std::get_if<UnaryFn>(&fn.fn)) kernel = unary_kernel(*unary, from);
    if (auto* binary = std::get_if<BinaryFn>(&fn.fn))
      kernel = binary_kernel(*binary, to, Step::dense, Step::dense);
    if (auto* compare = std::get_if<CompareDirection>(&fn.fn))
      kernel = compare_kernel(*compare, from, Step::dense, Step::dense);
    if (std::holds_alternative<ClampFn>(fn.fn))
      kernel = clamp_kernel(to, Step::dense, Step::dense, Step::dense);
    if (std::holds_alternative<SelectFn>(fn.fn))
      kernel = select_kernel(to, Step::dense, Step::dense, Step::dense);
    if (std::holds_alternative<ConvertFn>(fn.fn)) kernel = convert_kernel(from, to);
    PerDevice results;
    for (int device = 0; device < devices(); ++device) {
      std::vector<const std::byte*> in;
      for (const PerDevice& operand : operands)
        in.push_back(operand[static_cast<std::size_t>(device)].data());
      results.push_back(result());
      kernel(results.back().mutable_bytes(), in.data(), results.back().elements());
    }
    return results;
  }

  /// b into a.
  static void fold_into(ReduceKind kind, Tensor& a, std::size_t at, const Tensor& b, std::size_t from) {
    std::size_t bytes = bytes_per_element(a.dtype());
    const std::byte* terms[] = {a.data() + at * bytes, b.data() + from * bytes};
    fold_kernel(kind, a.dtype())(a.mutable_bytes() + at * bytes, terms, 2, 1);
  }

  PerDevice evaluate(const ReduceDims& reduce, const std::vector<PerDevice>& operands,
                     std::vector<PerDevice>&) const {
    PerDevice results;
    for (const Tensor& operand : operands[0]) {
      Tensor made = result();
      std::size_t bytes = bytes_per_element(made.dtype());
      for (std::int64_t i = 0; i < made.elements(); ++i)
        write_neutral_element(reduce.kind, made.dtype(),
                              made.mutable_bytes() + static_cast<std::size_t>(i) * bytes);
      for (std::int64_t i = 0; i < operand.elements(); ++i) {
        Index index = index_of(i, operand.shape()), kept;
        for (int dim = 0; dim < operand.shape().rank(); ++dim)
          if (std::ranges::find(reduce.dims, Dim{dim}) == reduce.dims.end())
            kept.push_back(index[static_cast<std::size_t>(dim)]);
        fold_into(reduce.kind, made, offset(kept, made.shape()), operand, static_cast<std::size_t>(i));
      }
      results.push_back(made);
    }
    return results;
  }

  PerDevice evaluate(const Fold& fold, const std::vector<PerDevice>& operands,
                     std::vector<PerDevice>&) const {
    PerDevice results;
    Axes in_mesh_order;
    for (const Axis& axis : layout_.mesh().axes())
      if (contains(fold.axes, axis)) in_mesh_order.push_back(axis);
    for (int device = 0; device < devices(); ++device) {
      std::vector<const std::byte*> terms;
      for (int i = 0; i < joint_size(in_mesh_order); ++i)
        terms.push_back(operands[0][static_cast<std::size_t>(layout_.peer(in_mesh_order, device, i))].data());
      Tensor made(operands[0][0].dtype(), operands[0][0].shape());
      fold_kernel(fold.kind, made.dtype())(made.mutable_bytes(), terms.data(), static_cast<int>(terms.size()),
                                           made.elements());
      results.push_back(made);
    }
    return fold.then.empty() ? results : viewed(fold.then[0], results, layout_.results()[0]);
  }

  PerDevice evaluate(const Shuffle& shuffle, const std::vector<PerDevice>& operands,
                     std::vector<PerDevice>&) const {
    PerDevice results(static_cast<std::size_t>(devices()), result());
    for (Tensor& made : results) made = result();
    std::size_t pieces = shuffle.pieces.size() / results.size();
    for (std::size_t i = 0; i < shuffle.pieces.size(); ++i) {
      Index digits(shuffle.digits.size());
      if (!shuffle.pieces[i].devices.empty())
        put_piece(shuffle, i % pieces, shuffle.pieces[i], operands[0], results[i / pieces], digits, 0);
    }
    return results;
  }

  void put_piece(const Shuffle& shuffle, std::size_t number, const Shuffle::Piece& piece,
                 const PerDevice& from, Tensor& to, Index& digits, std::size_t next) const {
    if (next < digits.size()) {
      for (digits[next] = 0; digits[next] < shuffle.digits[next].size; ++digits[next])
        put_piece(shuffle, number, piece, from, to, digits, next + 1);
      return;
    }
    Index to_index(static_cast<std::size_t>(to.shape().rank())),
        from_index(static_cast<std::size_t>(from[0].shape().rank()));
    auto add = [](Index& index, const Coordinate& coordinate, std::int64_t value) {
      if (coordinate.of == Coordinate::Of::dim)
        index[static_cast<std::size_t>(coordinate.dim.index)] += coordinate.weight * value;
    };
    add(to_index, shuffle.piece, static_cast<std::int64_t>(number));
    add(from_index, shuffle.block, piece.block);
    for (std::size_t i = 0; i < digits.size(); ++i) {
      add(to_index, shuffle.digits[i].to, digits[i]);
      add(from_index, shuffle.digits[i].from, digits[i]);
    }
    std::size_t bytes = bytes_per_element(to.dtype());
    std::vector<const std::byte*> terms;
    for (int device : piece.devices) {
      const Tensor& source = from[static_cast<std::size_t>(device)];
      terms.push_back(source.data() + offset(from_index, source.shape()) * bytes);
    }
    std::byte* at = to.mutable_bytes() + offset(to_index, to.shape()) * bytes;
    if (terms.size() == 1) std::memcpy(at, terms[0], bytes);
    else fold_kernel(shuffle.kind, to.dtype())(at, terms.data(), static_cast<int>(terms.size()), 1);
  }

  PerDevice evaluate(const Literal& literal, const std::vector<PerDevice>&, std::vector<PerDevice>&) const {
    return viewed(literal.view, PerDevice(static_cast<std::size_t>(devices()), literal.data),
                  layout_.results()[0]);
  }

  PerDevice evaluate(const Units& units, const std::vector<PerDevice>& operands,
                     std::vector<PerDevice>& more) const {
    std::vector<PerDevice> all(layout_.results().size());
    for (int device = 0; device < devices(); ++device) {
      std::vector<const std::byte*> in;
      std::vector<std::byte*> out;
      for (const PerDevice& operand : operands)
        in.push_back(operand[static_cast<std::size_t>(device)].data());
      for (std::size_t i = 0; i < all.size(); ++i)
        out.push_back(all[i].emplace_back(result(i)).mutable_bytes());
      Tensor scratch(DType::i64, Shape{static_cast<std::int64_t>(units.scratch_bytes / 8 + 1)});
      units.run({in, out, scratch.mutable_bytes()});
    }
    more.assign(all.begin() + 1, all.end());
    return all[0];
  }

  Layout layout_;
};

}  // namespace

Tensors evaluated(const Program& program, const Mesh& mesh, const Tensors& inputs) {
  std::vector<PerDevice> values(program.types.size());
  auto value = [&](Var var) -> PerDevice& { return values[static_cast<std::size_t>(var)]; };
  for (std::size_t i = 0; i < inputs.size(); ++i)
    value(program.inputs[i]).assign(static_cast<std::size_t>(mesh.devices()), inputs[i]);
  for (const Equation& equation : program.equations) {
    std::vector<PerDevice> operands, more;
    for (Var var : equation.operands) operands.push_back(value(var));
    Evaluation evaluate(mesh, program.types_of(equation.operands), program.types_of(equation.results));
    value(equation.results[0]) = evaluate(equation.op, operands, more);
    for (std::size_t i = 0; i < more.size(); ++i) value(equation.results[i + 1]) = more[i];
  }
  Tensors outputs;
  for (Var var : program.outputs) outputs.push_back(value(var)[0]);
  return outputs;
}

}  // namespace tutti
