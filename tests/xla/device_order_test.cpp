// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/device_order.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "tests/xla/fake_xla.hpp"

namespace tutti::xla {
namespace {

using fake_pjrt::MadeUpDevice;

/// The TPUs of a box of chips. Their ids are in no order.
std::vector<MadeUpDevice> tpus(std::vector<std::int64_t> box, int cores = 1, int slices = 1) {
  std::vector<MadeUpDevice> devices;
  for (int slice = 0; slice < slices; ++slice)
    for (std::int64_t x = 0; x < box[0]; ++x)
      for (std::int64_t y = 0; y < box[1]; ++y)
        for (std::int64_t z = 0; z < box[2]; ++z)
          for (int core = 0; core < cores; ++core)
            devices.push_back({.kind = "TPU v4",
                               .coords = {x, y, z},
                               .numbers = {{"core_on_chip", core}, {"slice_index", 3 * slice + 2}}});
  std::vector<int> ids = first(static_cast<int>(devices.size()));
  std::ranges::shuffle(ids, std::mt19937(7));
  for (std::size_t i = 0; i < devices.size(); ++i) devices[i].id = 100 + ids[i];
  return devices;
}

using Sizes = std::vector<int>;

class xla_device_order : public FakeXla {
 protected:
  void open(const std::vector<MadeUpDevice>& devices, const std::string& platform = "tpu") {
    opened.reset();
    machine({.platform = platform, .devices = devices});
    opened = client();
  }
  void TearDown() override {
    opened.reset();
    FakeXla::TearDown();
  }
  static Mesh mesh(const Sizes& sizes) {
    std::vector<std::pair<std::string, int>> axes;
    for (const int size : sizes) axes.emplace_back("a" + std::to_string(axes.size()), size);
    return Mesh(axes);
  }
  /// Returns the default order. Fails if an id occurs twice or is unknown.
  std::vector<int> order(const Sizes& sizes) const {
    std::vector<int> ids = default_order(opened->devices(), mesh(sizes));
    EXPECT_EQ(ids.size(), static_cast<std::size_t>(mesh(sizes).devices()));
    opened->choose(ids);
    return ids;
  }
  /// A TPU's coordinates and core. Different slices are far apart.
  std::vector<std::int64_t> place(int id) const {
    const auto device = std::ranges::find(opened->devices(), id, &DeviceInfo::id);
    std::map<std::string, Value> attributes(device->attributes.begin(), device->attributes.end());
    auto numbers = std::get<std::vector<std::int64_t>>(attributes.at("coords"));
    numbers.push_back(std::get<std::int64_t>(attributes.at("core_on_chip")));
    numbers.push_back(1000 * std::get<std::int64_t>(attributes.at("slice_index")));
    return numbers;
  }
  /// The number of links between two TPUs. Cores of one chip have a link, too.
  std::int64_t distance(int a, int b) const {
    std::int64_t links = 0;
    for (std::size_t i = 0; i < place(a).size(); ++i) links += std::abs(place(a)[i] - place(b)[i]);
    return links;
  }
  /// The largest distance between neighbours along one axis of the mesh.
  std::int64_t distance_along(std::size_t axis, const Sizes& sizes) const {
    const std::vector<int> ids = order(sizes);
    const Mesh m = mesh(sizes);
    const int stride = m.stride(m.axes()[axis]);
    std::int64_t most = 0;
    for (int i = 0; i + stride < m.devices(); ++i)
      if (m.coordinate(i, m.axes()[axis]) + 1 < sizes[axis])
        most = std::max(most, distance(ids[static_cast<std::size_t>(i)],
                                       ids[static_cast<std::size_t>(i + stride)]));
    return most;
  }
  /// The largest distance between consecutive devices of the order.
  std::int64_t largest_step(const Sizes& sizes) const {
    const std::vector<int> ids = order(sizes);
    std::int64_t most = 0;
    for (std::size_t i = 1; i < ids.size(); ++i) most = std::max(most, distance(ids[i - 1], ids[i]));
    return most;
  }
  std::shared_ptr<const Client> opened;
};

TEST_F(xla_device_order, of_gpus_is_by_process_then_id) {
  open({{.id = 9, .process = 1}, {.id = 7}, {.id = 2, .process = 1}, {.id = 8}}, "cuda");
  EXPECT_EQ(order({4}), (std::vector{7, 8, 2, 9}));
  EXPECT_EQ(order({2, 2}), (std::vector{7, 8, 2, 9}));
  EXPECT_EQ(order({3}), (std::vector{7, 8, 2}));
  EXPECT_EQ(order({}), std::vector{7});
}

// XLA gives a GPU the coordinates {its number within the process}.
TEST_F(xla_device_order, of_gpus_does_not_look_at_their_coordinates) {
  open({{.id = 1, .kind = "NVIDIA H100", .coords = {0}}, {.id = 0, .kind = "NVIDIA H100", .coords = {1}}},
       "cuda");
  EXPECT_EQ(order({2}), (std::vector{0, 1}));
}

TEST_F(xla_device_order, of_a_mesh_with_too_many_devices_is_refused_with_both_numbers) {
  open({{.id = 0, .kind = "cpu"}, {.id = 1, .kind = "cpu"}}, "cpu");
  expect_refusal([&] { default_order(opened->devices(), Mesh({{"data", 2}, {"model", 4}})); }, Code::device,
                 {"the mesh data=2,model=4 has 8 devices, and the plugin has 2 (cpu)", "use a smaller mesh"});
  expect_refusal([&] { default_order({}, Mesh({{"data", 2}})); }, Code::device,
                 {"the mesh data=2 has 2 devices, and the plugin has 0; use a smaller mesh"});
}

TEST_F(xla_device_order, of_one_axis_is_a_path_of_links_that_ends_beside_its_start) {
  for (const auto& box :
       {std::vector<std::int64_t>{2, 4, 1}, {4, 4, 1}, {4, 4, 4}, {3, 4, 1}, {3, 3, 2}, {1, 2, 2}})
    for (const int cores : {1, 2}) {
      open(tpus(box, cores));
      const Sizes all{static_cast<int>(box[0] * box[1] * box[2]) * cores};
      EXPECT_EQ(largest_step(all), 1);
      const std::vector<int> ids = order(all);
      EXPECT_EQ(distance(ids.back(), ids.front()), 1) << box[0] << box[1] << box[2] << " " << cores;
    }
}

TEST_F(xla_device_order, of_an_odd_box_is_a_path_of_links) {
  open(tpus({3, 5, 1}));
  EXPECT_EQ(largest_step({15}), 1);
  EXPECT_EQ(distance_along(0, {5, 3}), 1);
  EXPECT_EQ(distance_along(1, {5, 3}), 1);
}

TEST_F(xla_device_order, has_neighbours_along_every_axis_if_the_axes_are_made_of_dims_of_the_box) {
  struct Case {
    std::vector<std::int64_t> box;
    Sizes sizes;
  };
  for (const Case& c : {Case{{4, 4, 4}, {4, 16}}, Case{{4, 4, 4}, {16, 4}}, Case{{4, 4, 4}, {4, 4, 4}},
                        Case{{2, 4, 1}, {4, 2}}, Case{{2, 4, 1}, {2, 4}}, Case{{2, 3, 4}, {12, 2}},
                        Case{{2, 3, 4}, {6, 4}}, Case{{2, 3, 4}, {1, 8, 1, 3}}, Case{{2, 2, 2}, {2, 2, 2}}}) {
    open(tpus(c.box));
    for (std::size_t axis = 0; axis < c.sizes.size(); ++axis)
      EXPECT_LE(distance_along(axis, c.sizes), 1) << mesh(c.sizes).devices() << " along " << axis;
  }
}

TEST_F(xla_device_order, puts_the_cores_of_a_chip_beside_each_other_on_the_last_axis) {
  open(tpus({2, 2, 1}, 2));
  for (const Sizes& sizes : {Sizes{8}, Sizes{4, 2}, Sizes{2, 4}, Sizes{2, 2, 2}}) {
    const std::vector<int> ids = order(sizes);
    for (std::size_t i = 0; i < ids.size(); i += 2) {
      auto a = place(ids[i]), b = place(ids[i + 1]);
      a[3] = b[3] = 0;  // the cores
      EXPECT_EQ(a, b);
    }
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) EXPECT_EQ(distance_along(axis, sizes), 1);
  }
}

TEST_F(xla_device_order, has_neighbours_along_the_last_axes_if_not_along_all) {
  open(tpus({4, 4, 4}));
  EXPECT_EQ(distance_along(2, {2, 8, 4}), 1);
  EXPECT_EQ(distance_along(1, {2, 8, 4}), 1);
  EXPECT_GT(distance_along(0, {2, 8, 4}), 1);
}

TEST_F(xla_device_order, is_one_path_of_links_if_no_axis_is_made_of_dims_of_the_box) {
  open(tpus({4, 4, 1}));
  EXPECT_EQ(largest_step({2, 8}), 1);
  open(tpus({3, 4, 1}));
  EXPECT_EQ(largest_step({2, 6}), 1);
}

TEST_F(xla_device_order, of_a_smaller_mesh_is_a_compact_box) {
  open(tpus({4, 4, 4}));
  for (const Sizes& sizes : {Sizes{8}, Sizes{2, 4}, Sizes{2, 2, 2}}) {
    for (const int id : order(sizes))
      for (int dim = 0; dim < 3; ++dim) EXPECT_LT(place(id)[static_cast<std::size_t>(dim)], 2);
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) EXPECT_EQ(distance_along(axis, sizes), 1);
  }
  for (const int id : order({4})) EXPECT_EQ(place(id)[2], 0);  // the chips of one host
  EXPECT_EQ(distance_along(0, {2, 8}), 1);                     // 2 x 8 fits the box 2 x 2 x 4, not 4 x 4
  EXPECT_EQ(distance_along(1, {2, 8}), 1);
  open(tpus({8, 8, 8}));  // 4 x 4 x 4 is more compact, but has no dims for 8
  EXPECT_EQ(distance_along(0, {8, 8}), 1);
  EXPECT_EQ(distance_along(1, {8, 8}), 1);
}

TEST_F(xla_device_order, of_a_smaller_mesh_has_whole_chips) {
  open(tpus({2, 2, 1}, 2));
  std::set<std::vector<std::int64_t>> chips;
  for (const int id : order({4})) {
    auto chip = place(id);
    chip[3] = 0;
    chips.insert(chip);
  }
  EXPECT_EQ(chips.size(), 2U);
  EXPECT_EQ(order({3}).size(), 3U);
}

TEST_F(xla_device_order, of_a_smaller_mesh_avoids_a_missing_chip) {
  std::vector<MadeUpDevice> devices = tpus({2, 3, 1});
  devices.erase(devices.begin());  // the chip at 0, 0, 0
  open(devices);
  EXPECT_EQ(distance_along(0, {2, 2}), 1);
  EXPECT_EQ(distance_along(1, {2, 2}), 1);
}

TEST_F(xla_device_order, of_chips_that_fill_no_box_goes_row_by_row) {
  std::vector<MadeUpDevice> devices = tpus({3, 3, 1});
  devices.erase(devices.begin() + 2);  // the chip at 0, 2, 0
  open(devices);
  std::vector<std::vector<std::int64_t>> rows;
  for (const int id : order({8})) rows.push_back({place(id)[0], place(id)[1]});
  EXPECT_EQ(rows, (std::vector<std::vector<std::int64_t>>{
                      {0, 0}, {0, 1}, {1, 2}, {1, 1}, {1, 0}, {2, 0}, {2, 1}, {2, 2}}));
  EXPECT_EQ(order({7}).size(), 7U);
}

TEST_F(xla_device_order, has_slices_on_the_first_axes_only) {
  open(tpus({2, 4, 1}, 1, 2));
  for (const Sizes& sizes : {Sizes{2, 8}, Sizes{8, 2}, Sizes{4, 4}, Sizes{2, 4, 2}})
    for (std::size_t axis = 1; axis < sizes.size(); ++axis)
      EXPECT_EQ(distance_along(axis, sizes), 1) << sizes[0] << " " << axis;
  const std::vector<int> ids = order({16});
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(place(ids[i]).back() > 2000, i >= 8) << i;
}

TEST_F(xla_device_order, of_a_smaller_mesh_stays_in_one_slice) {
  open(tpus({2, 2, 1}, 1, 2));
  for (const Sizes& sizes : {Sizes{4}, Sizes{2, 2}, Sizes{3}})
    for (const int id : order(sizes)) EXPECT_EQ(place(id).back(), 2000);
  open(tpus({4, 4, 1}, 1, 2));
  for (const int id : order({2, 8})) EXPECT_EQ(place(id).back(), 2000);
}

TEST_F(xla_device_order, of_tpus_without_usable_coordinates_is_by_process_then_id) {
  const auto expect_by_id = [&](const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    open({{.id = 5, .kind = "TPU v4", .coords = a}, {.id = 3, .kind = "TPU v4", .coords = b}});
    EXPECT_EQ(order({2}), (std::vector{3, 5}));
  };
  expect_by_id({}, {});
  expect_by_id({0, 0, 0}, {0, 0, 0});
  expect_by_id({0, 0, 0}, {0, 1});
  expect_by_id({-1, 0, 0}, {0, 0, 0});
  expect_by_id({0, 0, 0}, {0, 0, std::int64_t{1} << 40});
  expect_by_id(std::vector<std::int64_t>(40, 0), std::vector<std::int64_t>(40, 1));
  open({{.id = 5, .kind = "TPU v4", .coords = {0, 0, 0}}, {.id = 3, .kind = "TPU v4", .coords = {0, 1, 0}}});
  EXPECT_EQ(order({2}), (std::vector{5, 3}));
}

TEST_F(xla_device_order, of_a_large_pod_is_found_quickly) {
  open(tpus({16, 16, 16}));
  EXPECT_EQ(default_order(opened->devices(), mesh({16, 4, 64})).size(), 4096U);
}

}  // namespace
}  // namespace tutti::xla
