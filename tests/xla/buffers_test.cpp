// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/buffers.hpp"

#include <algorithm>
#include <array>

#include "tests/support/print.hpp"
#include "tests/xla/fake_xla.hpp"

namespace tutti::xla {
namespace {

class xla_buffers : public FakeXla {
 protected:
  void open(int devices) {
    opened = client(devices);
    list = opened->choose(first(devices));
  }
  Buffers upload() const {
    return upload_parts(opened, list, parts_of_four(static_cast<int>(list->ids.size())));
  }
  void TearDown() override {
    list.reset();
    opened.reset();
    FakeXla::TearDown();
  }
  std::shared_ptr<const Client> opened;
  std::shared_ptr<const DeviceList> list;
};

TEST_F(xla_buffers, bring_back_what_each_device_got) {
  open(3);
  const Buffers x = upload();
  EXPECT_EQ(x.type(), Type(DType::f32, {4}));
  EXPECT_EQ(x.download(first(3)), parts_of_four(3));
  EXPECT_EQ(x.download(std::array{2, 0}), (Tensors{parts_of_four(3)[2], parts_of_four(3)[0]}));
}

TEST_F(xla_buffers, are_filled_before_the_parts_may_change) {
  open(2);
  Tensors parts = parts_of_four(2);
  const Buffers x = upload_parts(opened, list, parts);
  for (Tensor& part : parts) std::fill_n(part.mutable_data<float>(), 4, -1.0F);
  EXPECT_EQ(x.download(1), parts_of_four(2)[1]);
}

TEST_F(xla_buffers, may_be_scalars_or_have_no_elements) {
  open(1);
  for (const Tensor& part :
       {Tensor(Shape{0, 3}, DType::f32), Tensor::scalar(7), Tensor(Shape{0}, DType::boolean)})
    EXPECT_EQ(upload_parts(opened, list, {part}).download(0), part);
}

TEST_F(xla_buffers, keep_their_client_alive) {
  open(2);
  std::optional<Buffers> x = upload();
  opened.reset();
  EXPECT_EQ(control.live("client"), 1);
  x.reset();
  EXPECT_EQ(control.live("client"), 0);
}

TEST_F(xla_buffers, are_destroyed_once_also_after_moves) {
  open(2);
  Buffers x = upload();
  Buffers y = std::move(x);
  x = upload();
  y = std::move(x);
  EXPECT_EQ(control.live("buffer"), 2);
}

TEST_F(xla_buffers, too_large_for_a_device_are_refused_with_the_bytes_and_leave_none_behind) {
  machine({.memory_bytes = 20});
  open(2);
  const Buffers x = upload_parts(opened, opened->choose({1}), parts_of_four(1));
  expect_refusal([&] { upload(); }, Code::memory,
                 {"xla: upload", "allocating 16 bytes", "use smaller blocks"});
  EXPECT_EQ(control.live("buffer"), 1);
}

TEST_F(xla_buffers, that_fail_to_fill_later_are_refused_then) {
  open(2);
  control.fail_late("PJRT_Client_BufferFromHostBuffer", 2, error_code::resource_exhausted, "no room later");
  expect_refusal([&] { upload(); }, Code::memory, {"xla: upload: no room later"});
}

TEST_F(xla_buffers, have_one_part_per_device) {
  open(2);
  expect_refusal([&] { upload_parts(opened, list, parts_of_four(3)); }, Code::internal,
                 {"3 parts for 2 local devices"});
}

TEST_F(xla_buffers, are_downloaded_from_known_places_only) {
  open(2);
  const Buffers x = upload();
  expect_refusal([&] { x.download(2); }, Code::internal, {"place 2 of 2 local devices"});
  expect_refusal([&] { x.download(-1); }, Code::internal, {"place -1"});
}

TEST_F(xla_buffers, report_errors_of_a_download_wherever_they_come_from) {
  open(2);
  const Buffers x = upload();
  control.fail("PJRT_Buffer_ToHostBuffer", 2, error_code::internal, "at once");
  expect_refusal([&] { x.download(first(2)); }, Code::device, {"xla: download: at once"});
  control.fail_late("PJRT_Buffer_ToHostBuffer", 1, error_code::internal, "later");
  expect_refusal([&] { x.download(first(2)); }, Code::device, {"xla: download: later"});
  control.fail("PJRT_Buffer_ReadyEvent", 1, error_code::internal, "no event");
  expect_refusal([&] { x.wait(); }, Code::device, {"wait for an array: no event"});
  EXPECT_EQ(x.download(1), parts_of_four(2)[1]);  // an internal error on CPUs loses no device
}

TEST_F(xla_buffers, tell_where_they_are_and_whether) {
  open(2);
  const Buffers x = upload();
  EXPECT_FALSE(x.is_deleted());
  EXPECT_NE(x.address(0), x.address(1));
  x.wait();
}

TEST_F(xla_buffers, that_were_moved_away_have_no_place) {
  open(2);
  Buffers x = upload();
  expect_refusal([&] { x.address(2); }, Code::internal, {"look at a buffer: place 2 of 2 local devices"});
  expect_refusal([&] { x.address(-1); }, Code::internal, {"place -1"});
  const Buffers taken = std::move(x);
  expect_refusal([&] { x.is_deleted(); }, Code::internal, {"look at a buffer: the array was moved away"});
  expect_refusal([&] { x.address(0); }, Code::internal, {"look at a buffer"});
}

TEST_F(xla_buffers, of_a_lost_device_say_so_at_every_later_call) {
  open(2);
  const Buffers x = upload();
  control.fail("PJRT_Buffer_ToHostBuffer", 1, error_code::unavailable, "the GPU fell off the bus\nmore");
  expect_refusal([&] { x.download(0); }, Code::device, {"download: the GPU fell off the bus"});
  const auto refused = {"a device was lost before: the GPU fell off the bus;"};
  for (const std::function<void()>& use :
       std::initializer_list<std::function<void()>>{[&] { x.download(1); }, [&] { x.wait(); },
                                                    [&] { upload(); },
                                                    [&] { Executable::compile(opened, list, doubled()); }})
    expect_refusal(use, Code::device, {*refused.begin(), "in a new process"});
}

}  // namespace
}  // namespace tutti::xla
