// SPDX-License-Identifier: Apache-2.0
#include "tutti/dlpack.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/support/refusal.hpp"
#include "tutti/tutti.hpp"

// As dlpack.h 1.0 has them, in the global namespace, where a user's dlpack.h has them.
extern "C" {
typedef struct {
  uint32_t major, minor;
} DLPackVersion;
typedef enum : int32_t { kDLCPU = 1, kDLCUDA = 2 } DLDeviceType;
typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;
typedef enum {
  kDLInt = 0U,
  kDLUInt = 1U,
  kDLFloat = 2U,
  kDLBfloat = 4U,
  kDLComplex = 5U,
  kDLBool = 6U
} DLDataTypeCode;
typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;
typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;
}

namespace tutti {
namespace {

constexpr std::uint64_t DLPACK_FLAG_BITMASK_READ_ONLY = 1, DLPACK_FLAG_BITMASK_IS_COPIED = 2;

/// An array of another library, f32[2,3], that counts the calls of its deleter.
struct Foreign {
  std::vector<float> elements{1, 2, 3, 4, 5, 6};
  std::int64_t shape[2] = {2, 3}, strides[2] = {3, 1};
  int deleted = 0;
  DLManagedTensorVersioned managed{{1, 1},
                                   this,
                                   [](DLManagedTensorVersioned* self) {
                                     ++static_cast<Foreign*>(self->manager_ctx)->deleted;
                                   },
                                   0,
                                   {elements.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, strides, 0}};
};

TEST(from_dlpack, shares_the_memory_and_deletes_once) {
  Foreign foreign;
  {
    Array x = from_dlpack(&foreign.managed);
    const Array same = x;
    EXPECT_EQ(x.data()->buffer().base.get(), reinterpret_cast<std::byte*>(foreign.elements.data()));
    EXPECT_EQ(x.tensor(), Tensor({2, 3}, foreign.elements));
    x = Array();
    EXPECT_EQ(foreign.deleted, 0);
  }
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(from_dlpack, keeps_whether_the_memory_may_be_written) {
  Foreign foreign;
  EXPECT_TRUE(from_dlpack(&foreign.managed).is_lent());
  foreign.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  EXPECT_TRUE(from_dlpack(&foreign.managed).is_lent());
}

TEST(from_dlpack, takes_an_offset_and_no_strides_and_no_deleter) {
  Foreign foreign;
  foreign.managed.dl_tensor.strides = nullptr;
  foreign.managed.dl_tensor.byte_offset = 4;
  foreign.managed.deleter = nullptr;
  foreign.shape[0] = 1;
  EXPECT_EQ(from_dlpack(&foreign.managed), Tensor({1, 3}, {2.0f, 3.0f, 4.0f}));
}

TEST(from_dlpack, deletes_an_array_without_elements) {
  Foreign foreign;
  foreign.shape[0] = 0;
  foreign.managed.dl_tensor.data = nullptr;
  EXPECT_EQ(from_dlpack(&foreign.managed).shape(), (Shape{0, 3}));
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(from_dlpack, refuses_what_it_cannot_read_in_place_and_leaves_it_to_the_caller) {
  const auto expect = [](void (*change)(Foreign&), const char* text) {
    Foreign foreign;
    change(foreign);
    expect_refused([&] { from_dlpack(&foreign.managed, {}); }, text);
    EXPECT_EQ(foreign.deleted, 0) << text;
  };
  expect([](Foreign& f) { f.managed.version.major = 2; },
         "T015 from_dlpack: the array is of DLPack 2.1, expected 1; ask its library for that version");
  expect(
      [](Foreign& f) { f.managed.dl_tensor.device.device_type = kDLCUDA; },
      "R004 from_dlpack: the array is on a device of type 2, expected 1, the CPU; copy it to the host first");
  expect([](Foreign& f) { f.strides[0] = 1, f.strides[1] = 2; },
         "T005 from_dlpack: dim 1 of [2,3] has stride 2 where row-major order without gaps has 1; copy "
         "the elements into a row-major array first");
  expect([](Foreign& f) { f.managed.dl_tensor.dtype.lanes = 4; },
         "T007 from_dlpack: the elements have code 2, 32 bits and 4 lanes, which no dtype here has; convert "
         "them "
         "first");
  expect([](Foreign& f) { f.managed.dl_tensor.dtype = {3, 64, 1}; },
         "T007 from_dlpack: the elements have code 3, 64 bits and 1 lanes, which no dtype here has; convert "
         "them "
         "first");
  expect([](Foreign& f) { f.managed.dl_tensor.byte_offset = 2; },
         "T005 from_dlpack: the elements of f32 begin at an address that 4 does not divide; copy them first");
}

struct Delete {
  void operator()(DLManagedTensorVersioned* managed) const { managed->deleter(managed); }
};
using Handed = std::unique_ptr<DLManagedTensorVersioned, Delete>;
Handed handed(const Array& array) { return Handed(to_dlpack<DLManagedTensorVersioned>(array)); }

TEST(to_dlpack, shares_an_array_in_one_piece_as_read_only) {
  const Array x = Tensor({2, 3}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f});
  const Handed there = handed(x);
  const DLTensor& view = there->dl_tensor;
  EXPECT_EQ(there->version.major, 1U);
  EXPECT_EQ(there->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
  EXPECT_EQ(view.data, x.data()->buffer().base.get());
  EXPECT_EQ(view.device.device_type, kDLCPU);
  EXPECT_EQ(std::vector(view.shape, view.shape + view.ndim), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(std::vector(view.strides, view.strides + view.ndim), (std::vector<std::int64_t>{3, 1}));
}

TEST(to_dlpack, gathers_an_array_in_several_pieces) {
  const Machine machine = open_local(Mesh({{"i", 2}}));
  const Tensor whole({4}, {1.0f, 2.0f, 3.0f, 4.0f});
  const Handed split = handed(machine.place(whole, P("i"))), equal = handed(machine.place(whole, P()));
  EXPECT_EQ(split->flags, DLPACK_FLAG_BITMASK_IS_COPIED);
  EXPECT_EQ(equal->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
  for (const Handed* each : {&split, &equal}) {
    const auto* const data = static_cast<const float*>((*each)->dl_tensor.data);
    EXPECT_EQ(std::vector(data, data + 4), (std::vector<float>{1, 2, 3, 4}));
  }
}

TEST(to_dlpack, keeps_the_memory_when_the_array_is_given_away) {
  const Machine machine = open_local(Mesh({{"i", 1}}));
  Array x = machine.place(Tensor({4}, {1.0f, 2.0f, 3.0f, 4.0f}), P());
  const auto step = machine.compile([](const Array& a) { return a + 1.0; }, x);
  x = step(std::move(x));
  const Handed there = handed(x);
  for (int i = 0; i < 4; ++i) x = step(std::move(x));
  const auto* const data = static_cast<const float*>(there->dl_tensor.data);
  EXPECT_EQ(std::vector(data, data + 4), (std::vector<float>{2, 3, 4, 5}));
  EXPECT_EQ(x.values<float>()[0], 6.0f);
}

TEST(to_dlpack, comes_back_as_the_same_array_of_every_dtype) {
  for (const DType dtype : all_dtypes()) {
    Tensor tensor({2, 2}, dtype);
    std::fill_n(tensor.mutable_bytes(), tensor.bytes(), std::byte{1});
    const Array x = tensor;
    const Tensor back = from_dlpack(to_dlpack(x));
    EXPECT_EQ(back, tensor) << name(dtype);
    EXPECT_EQ(back.data(), tensor.data()) << name(dtype);
    EXPECT_TRUE(back.is_lent());
  }
  EXPECT_EQ(from_dlpack(to_dlpack(Tensor::scalar(2.5))), Tensor::scalar(2.5));
}

TEST(to_dlpack, names_dtypes_as_dlpack_does) {
  const auto said = [](DType dtype) {
    const DLDataType type = handed(Tensor({1}, dtype))->dl_tensor.dtype;
    return std::vector<int>{type.code, type.bits, type.lanes};
  };
  EXPECT_EQ(said(DType::boolean), (std::vector<int>{kDLBool, 8, 1}));
  EXPECT_EQ(said(DType::u16), (std::vector<int>{kDLUInt, 16, 1}));
  EXPECT_EQ(said(DType::i64), (std::vector<int>{kDLInt, 64, 1}));
  EXPECT_EQ(said(DType::f16), (std::vector<int>{kDLFloat, 16, 1}));
  EXPECT_EQ(said(DType::bf16), (std::vector<int>{kDLBfloat, 16, 1}));
  EXPECT_EQ(said(DType::complex64), (std::vector<int>{kDLComplex, 64, 1}));
}

}  // namespace
}  // namespace tutti
