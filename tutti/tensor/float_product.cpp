// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/float_product.hpp"

#include <array>
#include <atomic>
#include <dnnl.hpp>
#include <utility>

#include "tutti/base/require.hpp"
#include "tutti/tensor/one_thread.hpp"

namespace tutti {
namespace {

constexpr std::size_t scratch_alignment = 64;

void* aligned(std::byte* scratch) {
  const auto address = reinterpret_cast<std::uintptr_t>(scratch);
  return scratch + (scratch_alignment - address % scratch_alignment) % scratch_alignment;
}

// Strides of a dim of size 1 mean nothing, and oneDNN's fast kernels want them as in a dense row-major
// matrix.
dnnl::memory::desc matrices(DType dtype, std::int64_t batch, std::int64_t rows, std::int64_t columns,
                            bool transposed) {
  const bool by_columns = transposed && rows != 1 && columns != 1;
  const std::int64_t row_stride = by_columns ? 1 : columns, column_stride = by_columns ? rows : 1;
  const auto type = dtype == DType::bf16 ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32;
  if (batch == 1) return {{rows, columns}, type, dnnl::memory::dims{row_stride, column_stride}};
  return {{batch, rows, columns}, type, dnnl::memory::dims{rows * columns, row_stride, column_stride}};
}

// A matrix by a vector is computed as the vector by the matrix transposed, which oneDNN does 2.5 times as
// fast.
bool is_by_vector(const ProductShape& s) { return s.n == 1 && s.m > 1; }

ProductShape turned(const ProductShape& s) {
  return {
      .batch = s.batch, .m = 1, .n = s.m, .k = s.k, .a_transposed = false, .b_transposed = !s.a_transposed};
}

dnnl::matmul::primitive_desc described(DType dtype, const ProductShape& s, const dnnl::engine& engine) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::matmul::desc product(matrices(dtype, s.batch, s.m, s.k, s.a_transposed),
                                   matrices(dtype, s.batch, s.k, s.n, s.b_transposed),
                                   matrices(dtype, s.batch, s.m, s.n, false));
  return {product, attributes, engine};
}

/// What one call at a time needs. Making one costs 1.2 us, setting its four pointers 0.05 us.
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
  std::array<dnnl_exec_arg_t, 4> arguments;  // the C call takes them as they are; the C++ one builds a map
};

/// Slots that no call is using, one for each thread. Threads do not hand them on, so that tools that look for races
/// (make race) see two threads in one slot only if there are two.
class IdleSlots {
 public:
  ~IdleSlots() {
    for (auto& place : places_) delete place.load();
  }
  /// Null if there is none.
  std::unique_ptr<CallSlot> take() {
    return std::unique_ptr<CallSlot>(own_place().exchange(nullptr, std::memory_order_acq_rel));
  }
  void put(std::unique_ptr<CallSlot> slot) {
    CallSlot* empty = nullptr;
    if (own_place().compare_exchange_strong(empty, slot.get(), std::memory_order_acq_rel)) [[maybe_unused]]
      CallSlot* kept = slot.release();
  }

 private:
  static constexpr std::size_t places = 16;  // threads with the same place make more slots

  std::atomic<CallSlot*>& own_place() {
    static std::atomic<std::size_t> threads{0};
    thread_local const std::size_t thread = threads.fetch_add(1, std::memory_order_relaxed);
    return places_[thread % places];
  }

  std::array<std::atomic<CallSlot*>, places> places_{};
};

}  // namespace

// oneDNN asks OpenMP for its number of threads when a primitive is made and again when it runs; scratch made for one
// and used by two gives wrong numbers. So both happen under OneThread.
struct FloatProduct::Primitive {
  Primitive(DType dtype, const ProductShape& shape)
      : is_turned(is_by_vector(shape)),
        engine(dnnl::engine::kind::cpu, 0),
        description(described(dtype, is_turned ? turned(shape) : shape, engine)),
        product(description) {}

  bool is_turned;
  dnnl::engine engine;
  dnnl::matmul::primitive_desc description;
  dnnl::matmul product;
  IdleSlots idle;
};

bool FloatProduct::takes(DType dtype) {
  if (dtype == DType::f32) return true;
  constexpr auto avx512 = static_cast<unsigned>(dnnl::cpu_isa::avx512_core);
  const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  return dtype == DType::bf16 && (isa & avx512) == avx512;
}

FloatProduct::FloatProduct(DType dtype, const ProductShape& shape) {
  const OneThread one_thread;
  try {
    primitive_ = std::make_unique<Primitive>(dtype, shape);
  } catch (const dnnl::error& error) {
    fail(Code::internal, "oneDNN has no {} product of {}x{} and {}x{}: {}", name(dtype), shape.m, shape.k,
         shape.k, shape.n, error.what());
  }
}

FloatProduct::~FloatProduct() = default;

std::size_t FloatProduct::scratch_bytes() const {
  const std::size_t bytes = primitive_->description.scratchpad_desc().get_size();
  return bytes == 0 ? 0 : bytes + scratch_alignment;
}

void FloatProduct::run(std::byte* c, const std::byte* a, const std::byte* b, std::byte* scratch) const {
  const OneThread one_thread;
  if (primitive_->is_turned) std::swap(a, b);
  std::unique_ptr<CallSlot> slot = primitive_->idle.take();
  if (slot == nullptr) slot = std::make_unique<CallSlot>(primitive_->description, primitive_->engine);
  slot->a.set_data_handle(const_cast<std::byte*>(a));  // oneDNN only reads it
  slot->b.set_data_handle(const_cast<std::byte*>(b));
  slot->c.set_data_handle(c);
  slot->scratch.set_data_handle(aligned(scratch));
  const dnnl_status_t status =
      dnnl_primitive_execute(primitive_->product.get(), slot->stream.get(),
                             static_cast<int>(slot->arguments.size()), slot->arguments.data());
  ensure(status == dnnl_success, "oneDNN product failed with status {}", static_cast<int>(status));
  primitive_->idle.put(std::move(slot));
}

}  // namespace tutti
