// SPDX-License-Identifier: Apache-2.0
#include "tutti/api/jacobians.hpp"

#include "tutti/api/vmap.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti {
namespace {

/// For every element of the leaves, one leaf after another, a row: 1 there, 0 elsewhere. Per leaf: [rows, its
/// dims..].
Arrays basis_of(const Types& leaves) {
  std::int64_t rows = 0, first = 0;
  for (Type leaf : leaves) rows += leaf.shape().elements();
  Arrays basis;
  for (Type leaf : leaves) {
    const std::int64_t size = leaf.shape().elements();
    Array row = iota({rows, size}, DType::i64, 0);
    Array element = iota({rows, size}, DType::i64, 1) + first;
    Array ones = convert(equal(row, element), leaf.dtype());
    basis.push_back(reshape(ones, leaf.inserted(Dim{0}, rows).shape()));
    first += size;
  }
  return basis;
}

/// `rule` of every row of the basis, in lanes; their results along dimension `out`.
Arrays in_lanes(const FlatCalled& call, const Arrays& basis, int out,
                const std::function<Arrays(const Arrays&)>& rule) {
  std::vector<MappedDim> mapped(basis.size(), MappedDim(0));
  return vmap_flat({rule, basis, std::move(mapped)}, {.out = out}, call.where);
}

/// The part of dimension `dim`, 0 or the last one, that belongs to the elements of a leaf from `first` on, in
/// its shape.
Array part_of(const Array& lanes, int dim, std::int64_t first, const Shape& leaf, const Shape& to) {
  Array part = lanes;
  if (lanes.dim(dim) != leaf.elements()) part = slice_in_dim(lanes, first, first + leaf.elements(), 1, dim);
  return part.shape() == to ? part : reshape(part, to);
}

Shape joined_shape(const Shape& front, const Shape& back) {
  std::vector<std::int64_t> sizes(front.begin(), front.end());
  sizes.insert(sizes.end(), back.begin(), back.end());
  return Shape(std::move(sizes));
}

Types types_of(const Arrays& arrays, const std::vector<bool>& marked) {
  Types types;
  for (std::size_t i = 0; i < marked.size(); ++i)
    if (marked[i]) types.push_back(Builder::current().own(arrays[i]).type());
  return types;
}

enum class Complex { refused, taken };

/// Throws T007 for a leaf without a derivative, or whose derivative is not one number per element.
void require_numbers(std::string_view what, const Types& types, Complex complex) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    require(
        complex == Complex::taken || !is_complex(types[i].dtype()), Code::dtype,
        "{} leaf {} is {}: its derivative is not one number per element; take its parts by real and imag, "
        "or use jvp and vjp",
        what, i, types[i]);
    require(is_inexact(types[i].dtype()), Code::dtype, "{} leaf {} is {}, which has no derivative; {}", what,
            i, types[i], what == "result" ? "return a float" : "close over it, or name another argument");
  }
}

Arrays forward(const FlatCalled& call) {
  Linearized map = linearize_flat(call);
  return front_end(call.name, call.where, [&] {
    Types arguments = types_of(call.arguments, call.by),
          results = types_of(map.at.results, std::vector<bool>(map.at.results.size(), true));
    require_numbers("argument", arguments, Complex::refused);
    require_numbers("result", results, Complex::taken);
    if (arguments.empty()) return Arrays();
    Arrays columns = in_lanes(call, basis_of(arguments), -1, [&](const Arrays& lanes) {
      Arrays tangents = call.arguments;
      std::size_t next = 0;
      for (std::size_t i = 0; i < tangents.size(); ++i) {
        if (!map.at.moving[i]) continue;
        Type own = Builder::current().own(call.arguments[i]).type();
        tangents[i] = in_states(lanes[next++], own.states());
      }
      return push_forward(map, call.arguments, tangents, call.where);
    });
    Arrays blocks;
    for (std::size_t r = 0; r < results.size(); ++r) {
      std::int64_t first = 0;
      for (Type leaf : arguments) {
        Shape to = joined_shape(results[r].shape(), leaf.shape());
        blocks.push_back(part_of(columns[r], -1, first, leaf.shape(), to));
        first += leaf.shape().elements();
      }
    }
    return blocks;
  });
}

Arrays reverse(const FlatCalled& call) {
  FlatVjp vjp = vjp_flat(call);
  return front_end(call.name, call.where, [&] {
    Types arguments = types_of(call.arguments, call.by),
          results = types_of(vjp.at.results, std::vector<bool>(vjp.at.results.size(), true));
    require_numbers("argument", arguments, Complex::taken);
    require_numbers("result", results, Complex::refused);
    if (results.empty()) return Arrays();
    Arrays rows = in_lanes(call, basis_of(results), 0, [&](const Arrays& lanes) {
      Arrays cotangents;
      for (std::size_t r = 0; r < lanes.size(); ++r) {
        Type own = Builder::current().own(vjp.at.results[r]).type();
        cotangents.push_back(in_states(lanes[r], dual(own).states()));
      }
      Arrays all = pull_back(vjp, call.arguments, cotangents, call.where), found;
      for (std::size_t i = 0; i < all.size(); ++i)
        if (vjp.at.moving[i]) found.push_back(all[i]);
      return found;
    });
    Arrays blocks;
    std::int64_t first = 0;
    for (Type result : results) {
      for (std::size_t a = 0; a < arguments.size(); ++a) {
        Shape to = joined_shape(result.shape(), arguments[a].shape());
        blocks.push_back(part_of(rows[a], 0, first, result.shape(), to));
      }
      first += result.shape().elements();
    }
    return blocks;
  });
}

}  // namespace

Arrays internal::jacobian_flat(JacobianMode mode, const FlatCalled& call) {
  return mode == JacobianMode::forward ? forward(call) : reverse(call);
}

}  // namespace tutti
