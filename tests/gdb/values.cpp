// SPDX-License-Identifier: Apache-2.0
// Values for tests/gdb/printers_test. It stops this program in look_here, and prints variables of the caller.
#include <complex>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tutti/tutti.hpp"

using namespace tutti;

namespace {

[[gnu::noinline]] void look_here() { asm volatile("" ::: "memory"); }

/// Memory of a T that no constructor has touched.
template <class T>
struct Untouched {
  explicit Untouched(int byte) { std::memset(bytes, byte, sizeof bytes); }
  const T& value() const { return *reinterpret_cast<const T*>(bytes); }
  alignas(T) unsigned char bytes[sizeof(T)];
};

void look_at_tensors() {
  Shape shape{8, 4}, scalar_shape;
  Tensor matrix({2, 3}, {1.f, 2.5f, -3.f, 4.f, 5.f, 6.f}), empty({3, 0}, DType::f32);
  Tensor scalar = Tensor::scalar(std::int64_t{-7}), truth({2}, DType::boolean);
  truth.mutable_data<bool>()[1] = true;
  Tensor complex({1}, std::vector<std::complex<float>>{{1.f, -2.5f}});
  Tensor f16s({2}, std::vector<f16>{f16(0.5f), f16(-2.f)}),
      bf16s({2}, std::vector<bf16>{bf16(0.5f), bf16(-2.f)});
  look_here();
}

void look_at_arrays() {
  Mesh mesh({{"data", 2}, {"model", 2}}), no_axes, turned({{"x", 2}}, MeshOptions{.devices = {1, 0}});
  Axis data = mesh.axes()[0], model = mesh.axes()[1];
  ops::Type type(DType::bf16, {8, 4}, {{data, varying}, {model, unreduced}});
  Sharding sharding{.mesh = mesh, .dims = {{}, {data}, {}}, .unreduced = {model}, .reduced = {}};
  Machine machine = open_local(mesh);
  Array none, finished = Tensor({3}, {1.f, 2.f, 3.f}), abstract_one = abstract({5}, DType::i32);
  Array placed = machine.place(finished, P("data"));
  look_here();
}

Array traced_function(const Array& x) {
  Array y = x + 1.f;
  look_here();
  return y;
}

void look_at_untouched_memory(int byte) {
  Untouched<Tensor> tensor_bytes(byte);
  Untouched<Shape> shape_bytes(byte);
  Untouched<Mesh> mesh_bytes(byte);
  Untouched<ops::Type> type_bytes(byte);
  Untouched<Array> array_bytes(byte);
  const Tensor& wild_tensor = tensor_bytes.value();
  const Shape& wild_shape = shape_bytes.value();
  const Mesh& wild_mesh = mesh_bytes.value();
  const ops::Type& wild_type = type_bytes.value();
  const Array& wild_array = array_bytes.value();
  look_here();
}

}  // namespace

int main() {
  look_at_tensors();
  look_at_arrays();
  Machine machine = open_local(Mesh({{"i", 2}}));
  Array x = Tensor({4}, DType::f32);
  machine.compile(shard_map(traced_function, {.mesh = machine.mesh(), .in = P("i"), .out = P("i")}), x);
  for (int byte : {0x00, 0x7f, 0xff}) look_at_untouched_memory(byte);
}
