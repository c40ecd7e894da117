// SPDX-License-Identifier: Apache-2.0
// DLPack 1: arrays of NumPy, JAX, PyTorch and others in host memory, without a copy.
#pragma once

#include <cstdint>

#include "tutti/ir/array.hpp"

namespace tutti::dlpack {

// The structs of DLPack 1.0, in a namespace of ours: a program may include dlpack.h, too.

struct Version {
  std::uint32_t major, minor;
};
struct Device {
  std::int32_t device_type, device_id;
};
struct DataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct View {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: row-major
  std::uint64_t byte_offset;
};
/// DLManagedTensorVersioned of dlpack.h.
struct Managed {
  Version version;
  void* manager_ctx;
  void (*deleter)(Managed* self);
  std::uint64_t flags;
  View dl_tensor;
};
inline constexpr std::uint64_t read_only = 1, is_copied = 2;  // flags

}  // namespace tutti::dlpack

namespace tutti::internal {

/// `give_back` is called once with `managed`, when nobody uses the memory any more.
Tensor tensor_of_dlpack(dlpack::Managed* managed, void (*give_back)(void* managed), const Where& where);
/// Without a deleter: the caller sets one that calls free_of_dlpack(manager_ctx).
dlpack::Managed* dlpack_of(const Array& array, const Where& where);
void free_of_dlpack(void* manager_ctx);

/// DLManagedTensorVersioned of any dlpack.h of version 1. DLManagedTensor, the older struct, has no version.
template <class M>
concept ManagedByDlpack = sizeof(M) == sizeof(dlpack::Managed) && requires(M& managed) {
  managed.version.major;
  managed.manager_ctx;
  managed.deleter;
  managed.flags;
  managed.dl_tensor.byte_offset;
};

}  // namespace tutti::internal

namespace tutti {

/// A tensor of the memory of `managed`, a DLManagedTensorVersioned, without a copy. Takes `managed` over: its
/// deleter is called once, on the thread that drops the last array of the memory. Memory that is read-only is
/// never written; see Tensor::borrow. If this throws, `managed` stays the caller's.
/// Throws T015 for another version than 1, R004 for memory that is not the CPU's, T007 for a dtype that
/// Tensor has not, T005 for another layout than row-major without gaps, and for elements that are not
/// aligned.
/// Source: dlpack.h 1.0.
template <internal::ManagedByDlpack M>
Tensor from_dlpack(M* managed, Where where = Where::here()) {
  const auto give_back = [](void* taken) {
    M* const own = static_cast<M*>(taken);
    if (own->deleter) own->deleter(own);
  };
  return internal::tensor_of_dlpack(reinterpret_cast<dlpack::Managed*>(managed), give_back, where);
}

/// A finished array for other libraries: auto* x = to_dlpack<DLManagedTensorVersioned>(array). The receiver
/// calls its deleter once. An array that lies on the host in one piece is not copied. Its memory is then
/// read-only, and calls do not reuse it before the deleter was called. Any other array is gathered, and the
/// receiver may write the copy; flags say which.
/// Throws T011 for an array without a value, R004 if this process does not hold all of it.
template <internal::ManagedByDlpack M = dlpack::Managed>
M* to_dlpack(const Array& array, Where where = Where::here()) {
  M* const managed = reinterpret_cast<M*>(internal::dlpack_of(array, where));
  managed->deleter = [](M* self) { internal::free_of_dlpack(self->manager_ctx); };
  return managed;
}

}  // namespace tutti
