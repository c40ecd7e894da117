// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/windows/onednn_convolution.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <dnnl.hpp>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/base/fork.hpp"
#include "tutti/base/in_lines.hpp"
#include "tutti/base/require.hpp"
#include "tutti/tensor/products/idle_slots.hpp"
#include "tutti/tensor/products/one_thread.hpp"
#include "tutti/tensor/products/onednn_use.hpp"
#include "tutti/tensor/windows/plain_convolution.hpp"

namespace tutti {
namespace {

using Form = OneDnnConvolution::Form;
using Sizes = dnnl::memory::dims;
using Forward = dnnl::convolution_forward;
using InputGradient = dnnl::convolution_backward_data;
using KernelGradient = dnnl::convolution_backward_weights;

dnnl::memory::data_type type_of(DType dtype) {
  return dtype == DType::bf16 ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32;
}

/// An array of images, {image, feature, spatial..}: the groups' features lie one after another. Its groups
/// are 1 for oneDNN.
dnnl::memory::desc images(DType dtype, std::int64_t count, std::int64_t features, const Sizes& spatial) {
  const ConvolutionDims strides = features_last({1, count, features, spatial});
  Sizes sizes{count, features}, steps{strides.outer, strides.feature};
  sizes.insert(sizes.end(), spatial.begin(), spatial.end());
  steps.insert(steps.end(), strides.spatial.begin(), strides.spatial.end());
  return {sizes, type_of(dtype), steps};
}

Sizes weight_sizes(std::int64_t groups, std::int64_t out, std::int64_t in, const Sizes& spatial) {
  Sizes sizes{out, in};
  if (groups > 1) sizes.insert(sizes.begin(), groups);
  sizes.insert(sizes.end(), spatial.begin(), spatial.end());
  return sizes;
}

/// The arrays of a primitive. `user_weights`: as the caller has them; the primitive has an order of its own.
struct Arrays {
  dnnl::memory::desc source, weights, user_weights, destination;
};

Arrays arrays_of(DType dtype, const ConvolutionShape& s, Form form) {
  const ConvolutionDims in = s.input_sizes(), kernel = s.kernel_sizes(), out = s.result_sizes();
  const auto any = dnnl::memory::format_tag::any;
  if (form == Form::forward || form == Form::input_gradient) {
    // The gradient by the input goes from the destination to the source.
    const bool is_forward = form == Form::forward;
    const std::int64_t to = is_forward ? s.out_features : s.in_features,
                       from = is_forward ? s.in_features : s.out_features;
    const Sizes sizes = weight_sizes(s.groups, to, from, kernel.spatial);
    Sizes strides = is_forward ? weight_sizes(1, s.kernel.outer, s.kernel.feature, s.kernel.spatial)
                               : weight_sizes(1, s.kernel.feature, s.kernel.outer, s.kernel.spatial);
    if (s.groups > 1) strides.insert(strides.begin(), s.kernel.group);
    const dnnl::memory::desc input = images(dtype, s.batch, s.groups * s.in_features, in.spatial),
                             result = images(dtype, s.batch, s.groups * s.out_features, out.spatial);
    return {is_forward ? input : result,
            {sizes, type_of(dtype), any},
            {sizes, type_of(dtype), strides},
            is_forward ? result : input};
  }
  const Sizes sizes = weight_sizes(s.groups, s.out_features, s.batch, out.spatial);
  Sizes strides = weight_sizes(1, s.result.feature, s.result.outer, s.result.spatial);
  if (s.groups > 1) strides.insert(strides.begin(), s.result.group);
  return {images(dtype, s.in_features, s.groups * s.batch, in.spatial),
          {sizes, type_of(dtype), any},
          {sizes, type_of(dtype), strides},
          images(dtype, s.in_features, s.groups * s.out_features, kernel.spatial)};
}

/// The padding of the source of a gradient by the input, which is the result.
struct PaddingOfSource {
  std::int64_t low, high;
};
PaddingOfSource padding_of_source(const ConvolutionShape::Window& w) {
  const std::int64_t kernel = (w.kernel - 1) * w.kernel_dilation, low = kernel - w.low;
  return {low, (w.in - 1) * w.in_dilation + kernel + 1 - w.out - low};
}

/// Windows of a primitive. oneDNN counts the elements that a dilation leaves out.
struct Windows {
  Windows(const ConvolutionShape& s, Form form) {
    for (const ConvolutionShape::Window& w : s.windows) {
      if (form == Form::input_gradient) {
        const PaddingOfSource padding = padding_of_source(w);
        add(w.in_dilation, w.kernel_dilation, padding.low, padding.high);
      } else if (form == Form::forward) {
        add(w.stride, w.kernel_dilation, w.low, w.reach() - w.in - w.low);
      } else {
        add(w.kernel_dilation, w.stride, w.low, w.reach() - w.in - w.low);
      }
    }
  }
  void add(std::int64_t step, std::int64_t spread, std::int64_t before, std::int64_t behind) {
    stride.push_back(step);
    dilation.push_back(spread - 1);
    low.push_back(before);
    high.push_back(behind);
  }
  Sizes stride, dilation, low, high;
};

dnnl::primitive_attr attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

constexpr auto direct = dnnl::algorithm::convolution_direct;

Forward::primitive_desc forward_of(const Arrays& a, const Windows& w, const dnnl::engine& engine,
                                   dnnl::prop_kind kind = dnnl::prop_kind::forward_inference) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine,   kind,       direct, a.source, a.weights,   a.destination,
          w.stride, w.dilation, w.low,  w.high,   attributes()};
#else
  return {{kind, direct, a.source, a.weights, a.destination, w.stride, w.dilation, w.low, w.high},
          attributes(),
          engine};
#endif
}

/// For InputGradient and KernelGradient.
template <class Gradient>
typename Gradient::primitive_desc gradient_of(const Arrays& a, const Windows& w, const dnnl::engine& engine) {
  const auto forward = forward_of(a, w, engine, dnnl::prop_kind::forward_training);
#if DNNL_VERSION_MAJOR >= 3
  return {engine,     direct, a.source, a.weights, a.destination, w.stride,
          w.dilation, w.low,  w.high,   forward,   attributes()};
#else
  return {{direct, a.source, a.weights, a.destination, w.stride, w.dilation, w.low, w.high},
          attributes(),
          engine,
          forward};
#endif
}

/// A primitive of a call, and where its arrays are.
struct Step {
  enum Place { source, user_weights, weights, destination, scratch };
  struct Array {
    int argument;
    Place place;
    dnnl::memory::desc description;
  };
  dnnl::primitive primitive;
  std::vector<Array> arrays;
};

/// The oneDNN objects of one call at a time.
struct CallSlot {
  CallSlot(const std::vector<Step>& steps, const dnnl::engine& engine) : stream(engine) {
    for (const Step& step : steps) {
      std::vector<dnnl_exec_arg_t> of_step;
      for (const Step::Array& array : step.arrays) {
        memories.emplace_back(array.description, engine, nullptr);
        of_step.push_back({array.argument, memories.back().get()});
      }
      arguments.push_back(std::move(of_step));
    }
  }

  dnnl::stream stream;
  std::vector<dnnl::memory> memories;  // of all steps
  std::vector<std::vector<dnnl_exec_arg_t>> arguments;
};

std::string described(DType dtype, const ConvolutionShape& s) {
  std::string sizes, kernel;
  for (const ConvolutionShape::Window& window : s.windows) {
    sizes += fmt::format("{}x", window.in);
    kernel += fmt::format("{}x", window.kernel);
  }
  return fmt::format("a {} convolution of {}x{}{} with {}{}x{}", name(dtype), s.batch, sizes,
                     s.groups * s.in_features, kernel, s.in_features, s.groups * s.out_features);
}

bool has_fast_name(std::string_view implementation) {
  return implementation.find("ref") == std::string_view::npos;
}

enum class Static { engine };  // then one for each form, of f32 and of bf16
constexpr void (*close_before_statics_of[])() = {close_before_statics_made_until<Static{1}>,
                                                 close_before_statics_made_until<Static{2}>,
                                                 close_before_statics_made_until<Static{3}>,
                                                 close_before_statics_made_until<Static{4}>,
                                                 close_before_statics_made_until<Static{5}>,
                                                 close_before_statics_made_until<Static{6}>};

}  // namespace

// oneDNN asks OpenMP for the number of threads when a primitive is made, and again when the primitive runs.
// Both happen under OneThread.
struct OneDnnConvolution::Primitive {
  Primitive(DType d, const ConvolutionShape& s, Form f)
      : dtype(d), shape(s), form(f), engine(dnnl::engine::kind::cpu, 0), arrays(arrays_of(d, s, f)) {
    const Windows windows(shape, form);
    switch (form) {
      case Form::forward: {
        const auto made = forward_of(arrays, windows, engine);
        add_reorder(arrays.user_weights, arrays.weights = made.weights_desc());
        add(Forward(made), made, DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST);
        break;
      }
      case Form::input_gradient: {
        const auto made = gradient_of<InputGradient>(arrays, windows, engine);
        add_reorder(arrays.user_weights, arrays.weights = made.weights_desc());
        add(InputGradient(made), made, DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST);
        break;
      }
      case Form::kernel_gradient: {
        const auto made = gradient_of<KernelGradient>(arrays, windows, engine);
        arrays.weights = made.diff_weights_desc();
        add(KernelGradient(made), made, DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST);
        add_reorder(arrays.weights, arrays.user_weights);
        break;
      }
    }
    idle.fill([this] { return new_slot(); });
  }

  template <class Description>
  void add(const dnnl::primitive& primitive, const Description& made, int source, int weights,
           int destination) {
    const std::string_view implementation = made.impl_info_str();
    // The others round to bf16 by code in statics.
    has_own_code =
        implementation.starts_with("brg") || (dtype == DType::f32 && implementation.starts_with("jit"));
    const bool has_own_order = arrays.weights != arrays.user_weights;
    steps.push_back({primitive,
                     {{source, Step::source, arrays.source},
                      {weights, has_own_order ? Step::weights : Step::user_weights, arrays.weights},
                      {destination, Step::destination, arrays.destination},
                      {DNNL_ARG_SCRATCHPAD, Step::scratch, made.scratchpad_desc()}}});
    scratchpad_bytes = std::max(scratchpad_bytes, made.scratchpad_desc().get_size());
  }
  void add_reorder(const dnnl::memory::desc& from, const dnnl::memory::desc& to) {
    if (from == to) return;
    weights_bytes = in_lines(arrays.weights.get_size());
    const dnnl::reorder::primitive_desc made(engine, from, engine, to, attributes());
    const bool is_before = from == arrays.user_weights;
    steps.push_back({dnnl::reorder(made),
                     {{DNNL_ARG_FROM, is_before ? Step::user_weights : Step::weights, from},
                      {DNNL_ARG_TO, is_before ? Step::weights : Step::user_weights, to},
                      {DNNL_ARG_SCRATCHPAD, Step::scratch, made.scratchpad_desc()}}});
    scratchpad_bytes = std::max(scratchpad_bytes, made.scratchpad_desc().get_size());
  }

  std::unique_ptr<CallSlot> new_slot() const { return std::make_unique<CallSlot>(steps, engine); }
  std::size_t scratch_bytes() const { return weights_bytes + scratchpad_bytes + onednn_scratch_alignment; }

  void call(std::byte* result, const std::byte* input, const std::byte* kernel, std::byte* scratch) {
    // oneDNN only reads the operands.
    std::byte *const source = const_cast<std::byte*>(input), *const other = const_cast<std::byte*>(kernel);
    std::byte* const start = aligned_for_onednn(scratch);
    std::array<std::byte*, 5> places{};
    places[Step::source] = form == Form::input_gradient ? result : source;
    places[Step::user_weights] = form == Form::kernel_gradient ? result : other;
    places[Step::weights] = start;
    places[Step::destination] = form == Form::forward          ? result
                                : form == Form::input_gradient ? source
                                                               : other;
    places[Step::scratch] = start + weights_bytes;
    std::unique_ptr<CallSlot> slot = idle.take();
    if (slot == nullptr) slot = new_slot();
    auto memory = slot->memories.begin();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (const Step::Array& array : steps[i].arrays) (memory++)->set_data_handle(places[array.place]);
      const auto& arguments = slot->arguments[i];
      const dnnl_status_t status =
          dnnl_primitive_execute(steps[i].primitive.get(), slot->stream.get(),
                                 static_cast<int>(arguments.size()), arguments.data());
      if (status != dnnl_success) say_why(status);
    }
    idle.put(std::move(slot));
  }

  [[noreturn]] void say_why(int status) const { fail_in_onednn(described(dtype, shape), status); }

  DType dtype;
  ConvolutionShape shape;
  Form form;
  dnnl::engine engine;
  Arrays arrays;
  bool has_own_code = false;  // else statics of oneDNN hold its code, and exit() frees it
  std::size_t weights_bytes = 0, scratchpad_bytes = 0;
  std::vector<Step> steps;
  IdleSlots<CallSlot> idle;
};

bool OneDnnConvolution::is_input_gradient(const ConvolutionShape& shape) {
  return std::ranges::all_of(shape.windows, [](const ConvolutionShape::Window& w) {
    const PaddingOfSource padding = padding_of_source(w);
    return w.stride == 1 && padding.low >= 0 && padding.high > -w.in_dilation;
  });
}

bool OneDnnConvolution::has_bf16(const ConvolutionShape& shape, Form form) {
  const auto inside = onednn_gate().enter("oneDNN");
  free_at_fork<onednn_maker>();
  const std::scoped_lock alone(onednn_maker);
  const OneThread one_thread;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  close_before_statics_made_until<Static::engine>();
  const Arrays arrays = arrays_of(DType::bf16, shape, form);
  try {
    const Windows windows(shape, form);
    switch (form) {
      case Form::forward: return has_fast_name(forward_of(arrays, windows, engine).impl_info_str());
      case Form::input_gradient:
        return has_fast_name(gradient_of<InputGradient>(arrays, windows, engine).impl_info_str());
      case Form::kernel_gradient:
        return has_fast_name(gradient_of<KernelGradient>(arrays, windows, engine).impl_info_str());
    }
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_unimplemented || error.status == dnnl_invalid_arguments) return false;
    fail_in_onednn(described(DType::bf16, shape), error.status);
  }
  return false;
}

OneDnnConvolution::OneDnnConvolution(DType dtype, const ConvolutionShape& shape, Form form) {
  const auto inside = onednn_gate().enter("oneDNN");
  free_at_fork<onednn_maker>();
  const std::scoped_lock alone(onednn_maker);
  make_with_room(described(dtype, shape), [&] {
    const OneThread one_thread;
    call_small_one(dtype, form);
    primitive_ = std::make_unique<Primitive>(dtype, shape, form);
  });
}

/// Once for each dtype and form, makes and calls a 4 x 4 convolution, so that oneDNN makes its statics.
void OneDnnConvolution::call_small_one(DType dtype, Form form) {
  static std::array<std::once_flag, std::size(close_before_statics_of)> were_called;
  const std::size_t which = (dtype == DType::f32 ? 0U : 3U) + static_cast<std::size_t>(form);
  std::call_once(were_called[which], [&] {
    constexpr std::int64_t side = 4;
    ConvolutionShape shape{1, 1, 1, 1, {{side, 1, side}}, {}, {}, {}};
    if (form == Form::kernel_gradient) std::swap(shape.windows[0].kernel, shape.windows[0].out);
    const auto strides = form == Form::kernel_gradient ? outer_last : features_last;
    shape.input = strides(shape.input_sizes());
    shape.kernel = strides(shape.kernel_sizes());
    shape.result = strides(shape.result_sizes());
    Primitive small(dtype, shape, form);
    const std::array<float, side> operand{};
    std::array<float, side> result;
    std::vector<std::byte> scratch(small.scratch_bytes());
    const auto* const bytes = reinterpret_cast<const std::byte*>(operand.data());
    small.call(reinterpret_cast<std::byte*>(result.data()), bytes, bytes, scratch.data());
    close_before_statics_of[which]();
  });
}

OneDnnConvolution::~OneDnnConvolution() = default;

std::size_t OneDnnConvolution::scratch_bytes() const { return primitive_->scratch_bytes(); }

void OneDnnConvolution::run(std::byte* result, const std::byte* input, const std::byte* kernel,
                            std::byte* scratch) const try {
  std::shared_lock<std::shared_mutex> inside;
  if (!primitive_->has_own_code) {
    inside = onednn_gate().enter_if_open();
    if (!inside) return convolve_plainly(primitive_->dtype, primitive_->shape, result, input, kernel);
  }
  const OneThread one_thread;
  primitive_->call(result, input, kernel, scratch);
} catch (const dnnl::error& error) {  // from new_slot: more calls at once than places
  primitive_->say_why(error.status);
}

}  // namespace tutti
