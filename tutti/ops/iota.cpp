// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/iota.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/tensor/loops/scalar_fn.hpp"

namespace tutti {
namespace {

Tensor counted(DType dtype, std::int64_t n) {
  Tensor values(Shape{n}, dtype);
  with_element(dtype, [&]<class T>(std::type_identity<T>) {
    T* elements = values.mutable_data<T>();
    for (std::int64_t i = 0; i < n; ++i) elements[i] = convert_element<T>(i);
  });
  return values;
}

}  // namespace

Parameters Iota::parameters() const { return {{"dim", std::to_string(dim.index)}}; }

Types Iota::infer(const Types&) const {
  require(dtype != DType::boolean, Code::dtype, "bool does not count; use DType::i32");
  require(0 <= dim.index && dim.index < shape.rank(), Code::dim,
          "dim {} is out of range for the shape [{}] (iota_c1)", dim.index, shape);
  return {Type(dtype, shape)};
}

Kernel Iota::kernel(const Layout&) const {
  kernel::View view;
  for (int i = 0; i < shape.rank(); ++i)
    view.digits.push_back(
        {shape[i], Dim{i} == dim ? kernel::along(Dim{0}) : kernel::nowhere, kernel::along(Dim{i})});
  return kernel::Literal{counted(dtype, shape[dim]), view};
}

Jvp Iota::jvp(const Arrays& operands, const Tangents&) const { return constant_jvp(*this, operands); }

BatchedArrays Iota::batch(const Axis&, const BatchedArrays&, const Types&) const {
  return {{apply_one(*this, {}), false}};
}

Lowered Iota::lower(Emitter& emitter, const Lowered&) const {
  return {emitter.emit("stablehlo.iota", {}, emitter.result_types()[0],
                       {{"iota_dimension", stablehlo::integer(dim.index)}})};
}

std::vector<Example> Iota::examples() {
  std::vector<Example> examples{{Iota{DType::i32, {5}, Dim{0}}, {}},
                                {Iota{DType::f32, {2, 3}, Dim{1}}, {}},
                                {Iota{DType::i64, {3, 1, 2}, Dim{0}}, {}},
                                {Iota{DType::f64, {0}, Dim{0}}, {}}};
  for (DType dtype : more_dtypes()) examples.push_back({Iota{dtype, {70}, Dim{0}}, {}});
  return examples;
}

Array iota(DType dtype, const Shape& shape, int dim, Where where) { return iota(shape, dtype, dim, where); }

Array iota(const Shape& shape, DType dtype, int dim, Where where) {
  return front_end("iota", where,
                   [&] { return apply_one(Iota{dtype, shape, as_dim(dim, Type(dtype, shape))}, {}); });
}

Array arange(std::int64_t n, DType dtype, Where where) {
  auto require_size = [n] { require(n >= 0, Code::shape, "{} elements; a size is at least 0", n); };
  auto traced = [&] {
    require_size();
    return iota(Shape{n}, dtype, 0);
  };
  auto on_host = [&] {
    require_size();
    static_cast<void>(Iota{dtype, Shape{n}, Dim{0}}.infer({}));  // refuses bool
    return Array(counted(dtype, n));
  };
  return front_end_or_host("arange", where, traced, on_host);
}

}  // namespace tutti
