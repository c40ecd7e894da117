// SPDX-License-Identifier: Apache-2.0
#include "tutti/api/dlpack.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "tutti/base/require.hpp"
#include "tutti/devices/shards.hpp"
#include "tutti/tensor/mdspan.hpp"

namespace tutti {
namespace {

constexpr std::uint32_t version = 1;
constexpr std::int32_t cpu = 1;

enum Kind : std::uint8_t {
  of_int = 0,
  of_uint = 1,
  of_float = 2,
  of_bfloat = 4,
  of_complex = 5,
  of_bool = 6
};

std::uint8_t kind_of(DType dtype) {
  if (dtype == DType::boolean) return of_bool;
  if (dtype == DType::bf16) return of_bfloat;
  if (is_complex(dtype)) return of_complex;
  if (is_float(dtype)) return of_float;
  return is_unsigned(dtype) ? of_uint : of_int;
}

std::size_t bits_of(DType dtype) { return 8 * bytes_per_element(dtype); }

DType dtype_of_view(const dlpack::DataType& type) {
  const auto is_it = [&](DType dtype) { return kind_of(dtype) == type.code && bits_of(dtype) == type.bits; };
  const auto found = std::ranges::find_if(all_dtypes(), is_it);
  require(found != all_dtypes().end() && type.lanes == 1, Code::dtype,
          "the elements have code {}, {} bits and {} lanes, which no dtype here has; convert them first",
          static_cast<unsigned>(type.code), static_cast<unsigned>(type.bits),
          static_cast<unsigned>(type.lanes));
  return *found;
}

std::vector<std::int64_t> row_major_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(static_cast<std::size_t>(shape.rank()));
  std::int64_t next = 1;
  for (std::size_t i = strides.size(); i-- > 0; next *= shape.sizes()[i]) strides[i] = next;
  return strides;
}

void require_aligned(const std::byte* data, DType dtype) {
  const std::size_t alignment = bytes_per_element(dtype) / (is_complex(dtype) ? 2 : 1);
  require(reinterpret_cast<std::uintptr_t>(data) % alignment == 0, Code::shape,
          "the elements of {} begin at an address that {} does not divide; copy them first", name(dtype),
          alignment);
}

/// An array that was handed out, and its owner.
struct Exported {
  dlpack::Managed managed;
  std::shared_ptr<const GlobalArray> owner;
  std::vector<std::int64_t> shape, strides;
};

/// An array of another library. Given back when the last tensor of it is gone.
struct Imported {
  Imported() = default;
  Imported(const Imported&) = delete;
  Imported& operator=(const Imported&) = delete;
  ~Imported() {
    if (managed) give_back(managed);
  }
  dlpack::Managed* managed = nullptr;
  void (*give_back)(void* managed) = nullptr;
};

/// True if host memory holds all elements once, in row-major order.
bool is_in_one_piece(const GlobalArray& array) {
  if (array.remote()) return false;
  if (!array.sharding()) return true;
  if (!array.sharding()->unreduced.empty()) return false;
  const Shards shards(array.type(), *array.sharding(), array.drivers().get());
  return shards.count() == 1 && shards.holders().size() == 1;
}

}  // namespace

Tensor internal::tensor_of_dlpack(dlpack::Managed* managed, void (*give_back)(void* managed),
                                  const Where& where) try {
  require(managed != nullptr, Code::argument, "the pointer is null; hand in a DLManagedTensorVersioned");
  require(managed->version.major == version, Code::argument,
          "the array is of DLPack {}.{}, expected {}; ask its library for that version",
          managed->version.major, managed->version.minor, version);
  const dlpack::View& view = managed->dl_tensor;
  require(view.device.device_type == cpu, Code::device,
          "the array is on a device of type {}, expected {}, the CPU; copy it to the host first",
          view.device.device_type, cpu);
  require(view.ndim >= 0, Code::shape, "the array has {} dims; the struct is damaged", view.ndim);
  require(view.ndim == 0 || view.shape != nullptr, Code::shape,
          "the array has no shape; the struct is damaged");
  const auto rank = static_cast<std::size_t>(view.ndim);
  const DType dtype = dtype_of_view(view.dtype);
  Shape shape(std::vector<std::int64_t>(view.shape, view.shape + rank));
  shape.check();
  const std::vector<std::int64_t> strides =
      view.strides ? std::vector<std::int64_t>(view.strides, view.strides + rank) : row_major_strides(shape);
  const std::size_t elements = row_major_elements(shape, strides, where, "from_dlpack");
  const std::byte* const data = static_cast<const std::byte*>(view.data) + view.byte_offset;
  require(elements == 0 || view.data != nullptr, Code::argument,
          "the array has no data; the struct is damaged");
  require_aligned(data, dtype);
  // The array is the caller's until nothing can throw any more.
  const auto owner = std::make_shared<Imported>();
  Tensor tensor = Tensor::of_memory(std::move(shape), dtype, data, elements, owner, where);
  owner->give_back = give_back;
  owner->managed = managed;
  return tensor;
} catch (const Error& error) {
  throw error.at(where, "from_dlpack");
}

dlpack::Managed* internal::dlpack_of(const Array& array, const Where& where) try {
  auto made = std::make_unique<Exported>();
  made->owner = array.finished();
  const bool is_shared = is_in_one_piece(*made->owner);
  if (!is_shared) made->owner = std::make_shared<const GlobalArray>(made->owner->whole());
  const Type type = made->owner->type();
  made->shape = type.shape().sizes();
  made->strides = row_major_strides(type.shape());
  made->managed = {.version = {.major = version, .minor = 0},
                   .manager_ctx = made.get(),
                   .deleter = nullptr,
                   .flags = is_shared ? dlpack::read_only : dlpack::is_copied,
                   .dl_tensor = {.data = const_cast<std::byte*>(made->owner->buffer().base.get()),
                                 .device = {.device_type = cpu, .device_id = 0},
                                 .ndim = static_cast<std::int32_t>(made->shape.size()),
                                 .dtype = {.code = kind_of(type.dtype()),
                                           .bits = static_cast<std::uint8_t>(bits_of(type.dtype())),
                                           .lanes = 1},
                                 .shape = made->shape.data(),
                                 .strides = made->strides.data(),
                                 .byte_offset = 0}};
  return &made.release()->managed;
} catch (const Error& error) {
  throw error.at(where, "to_dlpack");
}

void internal::free_of_dlpack(void* manager_ctx) { delete static_cast<Exported*>(manager_ctx); }

}  // namespace tutti
