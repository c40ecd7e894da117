// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/tensor.hpp"

#include <fmt/core.h>

#include <cstring>
#include <new>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/scalar_fn.hpp"

namespace tutti {
namespace {

constexpr std::align_val_t alignment{64};  // a cache line, and the widest vector register

std::shared_ptr<std::byte[]> zeroed(DType dtype, const Shape& shape, std::size_t bytes) {
  auto* raw =
      static_cast<std::byte*>(::operator new[](std::max<std::size_t>(bytes, 1), alignment, std::nothrow));
  require(raw != nullptr, Code::memory, "no memory for {}[{}], {} bytes; compute it in parts", name(dtype),
          shape, bytes);
  std::memset(raw, 0, bytes);
  return {raw, [](std::byte* p) { ::operator delete[](p, alignment); }};
}

template <class V>
Tensor scalar_from(DType dtype, V value) {
  return with_element(dtype, [value]<class T>(std::type_identity<T>) {
    return Tensor::scalar(convert_element<T>(value));
  });
}

}  // namespace

void Tensor::fill_with_zeros(Where where) {
  try {
    shape_.check();
  } catch (const Error& error) {
    throw error.at(where, "tensor");
  }
  data_ = zeroed(dtype_, shape_, bytes());
}

Tensor Tensor::of_memory(Shape shape, DType dtype, const std::byte* data, std::size_t elements,
                         std::shared_ptr<const void> owner, Where where) {
  Tensor tensor(Shape{0}, dtype, where);
  tensor.shape_ = std::move(shape);
  try {
    tensor.shape_.check();
  } catch (const Error& error) {
    throw error.at(where, "tensor");
  }
  tensor.require_elements(elements, where);
  if (elements == 0) return tensor;  // `data` may be null, and nobody will use it
  tensor.data_ = {const_cast<std::byte*>(data), [owner = std::move(owner)](std::byte*) {}};
  tensor.is_lent_ = true;
  return tensor;
}

std::byte* Tensor::mutable_bytes() {
  if (data_.use_count() > 1 || is_lent_) {
    std::shared_ptr<std::byte[]> own = zeroed(dtype_, shape_, bytes());
    std::memcpy(own.get(), data_.get(), bytes());
    data_ = std::move(own);
    is_lent_ = false;
  }
  return data_.get();
}

Tensor Tensor::scalar_of(DType dtype, double value) { return scalar_from(dtype, value); }
Tensor Tensor::scalar_of(DType dtype, std::int64_t value) { return scalar_from(dtype, value); }
Tensor Tensor::scalar_of(DType dtype, std::uint64_t value) { return scalar_from(dtype, value); }

Tensor Tensor::full(Shape shape, const Tensor& scalar, Where where) {
  Tensor whole(std::move(shape), scalar.dtype(), where);
  with_element(scalar.dtype(), [&]<class T>(std::type_identity<T>) {
    std::fill_n(whole.mutable_data<T>(), whole.elements(), scalar.as<T>()[0]);
  });
  return whole;
}

double Tensor::at(std::int64_t i) const {
  auto k = static_cast<std::size_t>(i);
  ensure(!is_complex(dtype_), "an element of {} as a double", name(dtype_));
  return with_element(dtype_,
                      [&]<class T>(std::type_identity<T>) { return convert_element<double>(as<T>()[k]); });
}

Tensor Tensor::reshaped(Shape shape) const {
  Tensor same = *this;
  same.shape_ = std::move(shape);
  same.require_elements(static_cast<std::size_t>(elements()), {});
  return same;
}

bool Tensor::operator==(const Tensor& other) const {
  return dtype_ == other.dtype_ && shape_ == other.shape_ && std::memcmp(data(), other.data(), bytes()) == 0;
}

void Tensor::require_elements(std::size_t found, Where where) const {
  if (static_cast<std::size_t>(elements()) == found) return;
  throw_error(Code::shape, where,
              fmt::format("tensor: {} for shape [{}], which has {}; hand in {}",
                          counted(static_cast<std::int64_t>(found), "value"), to_string(shape_),
                          counted(elements(), "element"), elements()));
}

}  // namespace tutti
