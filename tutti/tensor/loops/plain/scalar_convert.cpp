// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/half_loops.hpp"
#include "tutti/tensor/loops/plain/plain_loop.hpp"
#include "tutti/tensor/loops/plain/scalar_loops.hpp"
#include "tutti/tensor/loops/scalar_fn.hpp"

namespace tutti {
namespace {

template <class To>
struct ConvertTo {
  template <class From>
  To operator()(From x) const {
    return convert_element<To>(x);
  }
};

}  // namespace

ElementwiseKernel scalar_convert_kernel(DType from, DType to) {
  if (ElementwiseKernel kernel = half_convert_kernel(from, to)) return kernel;
  return with_element(from, [to]<class From>(std::type_identity<From>) {
    return with_element(to, []<class To>(std::type_identity<To>) -> ElementwiseKernel {
      return plain_kernel<ConvertTo<To>, To, From>(Stride::dense);
    });
  });
}

}  // namespace tutti
