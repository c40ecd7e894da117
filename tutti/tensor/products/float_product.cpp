// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/products/float_product.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include <array>
#include <dnnl.hpp>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/base/fork.hpp"
#include "tutti/base/require.hpp"
#include "tutti/tensor/products/idle_slots.hpp"
#include "tutti/tensor/products/one_thread.hpp"
#include "tutti/tensor/products/onednn_use.hpp"

namespace tutti {
namespace {

// A transposed matrix has `stored_rows` rows where it is stored. The stride of a dim of size 1 is arbitrary.
// oneDNN's fast kernels want the stride of a dense row-major matrix.
dnnl::memory::desc matrices(DType dtype, std::int64_t batch, std::int64_t rows, std::int64_t columns,
                            bool transposed, std::int64_t stored_rows) {
  const bool by_columns = transposed && stored_rows != 1 && columns != 1;
  const std::int64_t row_stride = by_columns ? 1 : columns, column_stride = by_columns ? stored_rows : 1;
  const auto type = dtype == DType::bf16 ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32;
  if (batch == 1) return {{rows, columns}, type, dnnl::memory::dims{row_stride, column_stride}};
  return {{batch, rows, columns}, type, dnnl::memory::dims{rows * columns, row_stride, column_stride}};
}

// oneDNN multiplies a vector by the transposed matrix 2.5 times as fast as the matrix by the vector.
bool is_by_vector(const ProductShape& s) { return s.n == 1 && s.m > 1; }

ProductShape turned(const ProductShape& s) {
  return {
      .batch = s.batch, .m = 1, .n = s.m, .k = s.k, .a_transposed = false, .b_transposed = !s.a_transposed};
}

dnnl::matmul::primitive_desc description_of(DType dtype, const ProductShape& s, const dnnl::engine& engine) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::memory::desc a =
      matrices(dtype, s.batch, s.m, s.k, s.a_transposed, s.columns_of_transposed_a());
  const dnnl::memory::desc b = matrices(dtype, s.batch, s.k, s.n, s.b_transposed, s.k);
  const dnnl::memory::desc c = matrices(dtype, s.batch, s.m, s.n, false, s.m);
#if DNNL_VERSION_MAJOR >= 3
  return {engine, a, b, c, attributes};
#else
  return {{a, b, c}, attributes, engine};
#endif
}

/// The oneDNN objects of one call at a time. Making a slot costs 1.2 us, setting its four pointers 0.05 us.
struct CallSlot {
  CallSlot(const dnnl::matmul::primitive_desc& description, const dnnl::engine& engine)
      : stream(engine),
        a(description.src_desc(), engine, nullptr),
        b(description.weights_desc(), engine, nullptr),
        c(description.dst_desc(), engine, nullptr),
        scratch(description.scratchpad_desc(), engine, nullptr),
        arguments{{{DNNL_ARG_SRC, a.get()},
                   {DNNL_ARG_WEIGHTS, b.get()},
                   {DNNL_ARG_DST, c.get()},
                   {DNNL_ARG_SCRATCHPAD, scratch.get()}}} {}

  dnnl::stream stream;
  dnnl::memory a, b, c, scratch;
  std::array<dnnl_exec_arg_t, 4> arguments;  // for the C function; the C++ one builds a map
};

/// "a f32 product of 2x3 and 3x4".
std::string described(DType dtype, const ProductShape& s) {
  return fmt::format("a {} product of {}x{} and {}x{}", name(dtype), s.m, s.k, s.k, s.n);
}

/// c = a * b without oneDNN, which has ended: destructors of statics still call programs.
template <class T>
void multiply_plainly(const ProductShape& s, T* c, const T* a, const T* b) {
  const std::int64_t a_row = s.a_transposed ? 1 : s.k,
                     a_column = s.a_transposed ? s.columns_of_transposed_a() : 1;
  const std::int64_t b_row = s.b_transposed ? 1 : s.n, b_column = s.b_transposed ? s.k : 1;
  for (std::int64_t batch = 0; batch < s.batch; ++batch, c += s.m * s.n, a += s.m * s.k, b += s.k * s.n)
    for (std::int64_t i = 0; i < s.m; ++i)
      for (std::int64_t j = 0; j < s.n; ++j) {
        float sum = 0;
        for (std::int64_t k = 0; k < s.k; ++k)
          sum += static_cast<float>(a[i * a_row + k * a_column]) *
                 static_cast<float>(b[k * b_row + j * b_column]);
        c[i * s.n + j] = static_cast<T>(sum);
      }
}

void multiply_plainly(DType dtype, const ProductShape& shape, std::byte* c, const std::byte* a,
                      const std::byte* b) {
  const auto multiply = [&]<class T>(std::type_identity<T>) {
    multiply_plainly(shape, reinterpret_cast<T*>(c), reinterpret_cast<const T*>(a),
                     reinterpret_cast<const T*>(b));
  };
  if (dtype == DType::f32) multiply(std::type_identity<float>());
  else multiply(std::type_identity<bf16>());
}

enum class Step { engine, description, f32_call, bf16_call };

/// Makes oneDNN's other statics, which the first product, which takes long, would make.
void make_statics() {
  static std::once_flag are_made;
  std::call_once(are_made, [] {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    close_before_statics_made_until<Step::engine>();
    (void)description_of(DType::f32, {.m = 4, .n = 4, .k = 4}, engine);
    close_before_statics_made_until<Step::description>();
  });
}

}  // namespace

// oneDNN asks OpenMP for the number of threads when a primitive is made, and again when the primitive runs.
// Scratch made for one thread and used by two gives wrong numbers. So both happen under OneThread.
struct FloatProduct::Primitive {
  Primitive(DType d, const ProductShape& s)
      : dtype(d),
        shape(s),
        is_turned(is_by_vector(shape)),
        engine(dnnl::engine::kind::cpu, 0),
        description(description_of(dtype, is_turned ? turned(shape) : shape, engine)),
        has_own_code(std::string_view(description.impl_info_str()).starts_with("brg")),
        product(description) {
    idle.fill([this] { return new_slot(); });
  }

  std::size_t scratch_bytes() const {
    const std::size_t bytes = description.scratchpad_desc().get_size();
    return bytes == 0 ? 0 : bytes + onednn_scratch_alignment;
  }
  std::unique_ptr<CallSlot> new_slot() const { return std::make_unique<CallSlot>(description, engine); }

  void call(std::byte* c, const std::byte* a, const std::byte* b, std::byte* scratch) {
    if (is_turned) std::swap(a, b);
    std::unique_ptr<CallSlot> slot = idle.take();
    if (slot == nullptr) slot = new_slot();
    slot->a.set_data_handle(const_cast<std::byte*>(a));  // oneDNN only reads it
    slot->b.set_data_handle(const_cast<std::byte*>(b));
    slot->c.set_data_handle(c);
    slot->scratch.set_data_handle(aligned_for_onednn(scratch));
    const dnnl_status_t status =
        dnnl_primitive_execute(product.get(), slot->stream.get(), static_cast<int>(slot->arguments.size()),
                               slot->arguments.data());
    if (status != dnnl_success) say_why(status);
    idle.put(std::move(slot));
  }

  [[noreturn]] void say_why(int status) const { fail_in_onednn(described(dtype, shape), status); }

  DType dtype;
  ProductShape shape;
  bool is_turned;
  dnnl::engine engine;
  dnnl::matmul::primitive_desc description;
  bool has_own_code;  // else statics of oneDNN hold its code (gemm:jit, without AVX-512), and exit() frees it
  dnnl::matmul product;
  IdleSlots<CallSlot> idle;
};

bool FloatProduct::takes(DType dtype) {
  if (dtype == DType::f32) return true;
#if defined(__x86_64__)
  constexpr auto avx512 = static_cast<unsigned>(dnnl::cpu_isa::avx512_core);
  const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  return dtype == DType::bf16 && (isa & avx512) == avx512;
#else
  return false;  // on other processors oneDNN's bits of the instruction set have other meanings
#endif
}

FloatProduct::FloatProduct(DType dtype, const ProductShape& shape) {
  const auto inside = onednn_gate().enter("oneDNN");
  free_at_fork<onednn_maker>();
  const std::scoped_lock alone(onednn_maker);
  make_with_room(described(dtype, shape), [&] {
    const OneThread one_thread;
    make_statics();
    static std::once_flag f32_was_called, bf16_was_called;
    std::call_once(dtype == DType::f32 ? f32_was_called : bf16_was_called, [&] { call_small_one(dtype); });
    primitive_ = std::make_unique<Primitive>(dtype, shape);
  });
}

/// Calls a 4 x 4 product: some of oneDNN's products generate their code at the first call of a dtype.
void FloatProduct::call_small_one(DType dtype) {
  constexpr std::size_t side = 4, elements = side * side;
  Primitive product(dtype, {.m = side, .n = side, .k = side});
  const std::array<float, elements> operand{};
  std::array<float, elements> result;
  std::vector<std::byte> scratch(product.scratch_bytes());
  product.call(reinterpret_cast<std::byte*>(result.data()),
               reinterpret_cast<const std::byte*>(operand.data()),
               reinterpret_cast<const std::byte*>(operand.data()), scratch.data());
  if (dtype == DType::f32) close_before_statics_made_until<Step::f32_call>();
  else close_before_statics_made_until<Step::bf16_call>();
}

FloatProduct::~FloatProduct() = default;

std::size_t FloatProduct::scratch_bytes() const { return primitive_->scratch_bytes(); }

void FloatProduct::run(std::byte* c, const std::byte* a, const std::byte* b, std::byte* scratch) const try {
  std::shared_lock<std::shared_mutex> inside;
  if (!primitive_->has_own_code) {
    inside = onednn_gate().enter_if_open();
    if (!inside) return multiply_plainly(primitive_->dtype, primitive_->shape, c, a, b);
  }
  const OneThread one_thread;
  primitive_->call(c, a, b, scratch);
} catch (const dnnl::error& error) {  // from new_slot: more calls at once than places
  primitive_->say_why(error.status);
}

}  // namespace tutti
