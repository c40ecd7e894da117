// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/windows/patch_convolution.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <vector>

#include "tutti/base/in_lines.hpp"
#include "tutti/tensor/products/product.hpp"

namespace tutti {
namespace {

/// Some rows of some images of the result: one product.
struct Block {
  std::int64_t images, rows;  // rows: along the first spatial dim
};

/// The rows of the result that one product computes. Their patches stay in L2, unless these are so long that
/// the product would have few rows.
Block block_of(const ConvolutionShape& s, std::size_t element_bytes) {
  constexpr std::int64_t bytes_in_cache = 512 << 10, most_bytes = 8 << 20, enough_rows = 48;
  const ConvolutionDims kernel = s.kernel_sizes(), result = s.result_sizes();
  const std::int64_t row = kernel.elements() / s.out_features * static_cast<std::int64_t>(element_bytes);
  const std::int64_t rows = s.windows[0].out,
                     positions = result.elements() / (s.groups * s.batch * s.out_features);
  const std::int64_t fitting =
      std::max({std::int64_t{1}, bytes_in_cache / row, std::min(enough_rows, most_bytes / row)});
  if (positions <= fitting) return {std::clamp<std::int64_t>(fitting / positions, 1, s.batch), rows};
  return {1, std::clamp<std::int64_t>(fitting / (positions / rows), 1, rows)};
}

}  // namespace

struct PatchConvolution::Prepared {
  Prepared(DType d, const ConvolutionShape& given)
      : dtype(d), element_bytes(bytes_per_element(d)), shape(given), original(given) {
    block = block_of(given, element_bytes);
    shape.batch = block.images;
    input = packed_input(shape, features_last, element_bytes);
    kernel = packed_kernel(shape, matrices_by_group, element_bytes);
    rest_of_input = input;
    if (const std::int64_t rest = given.batch % block.images; rest != 0) {
      ConvolutionShape last = given;
      last.batch = rest;
      rest_of_input = packed_input(last, features_last, element_bytes);
    }
    const ConvolutionDims k = shape.kernel_sizes();
    columns = k.elements() / (k.group * k.outer);
    positions_per_row = 1;
    for (std::size_t i = 1; i < shape.windows.size(); ++i) positions_per_row *= shape.windows[i].out;
  }

  /// Positions of the result in a block.
  std::int64_t positions(const Block& some) const { return some.images * some.rows * positions_per_row; }
  const Product* product_of(std::int64_t positions) const {
    for (const auto& [size, product] : products)
      if (size == positions) return product.get();
    return nullptr;
  }
  void add_product(std::int64_t rows) {
    if (product_of(rows) != nullptr) return;
    products.emplace_back(rows, std::make_unique<const Product>(dtype, ProductShape{.batch = shape.groups,
                                                                                    .m = rows,
                                                                                    .n = shape.out_features,
                                                                                    .k = columns}));
  }

  /// Copies the patches of a block: [group, image, row.., kernel.., feature].
  void make_patches(std::byte* patches, const std::byte* packed, const Block& some,
                    std::int64_t first_row) const;
  /// Copies [group, image, row.., feature] to where the result has them.
  void put(std::byte* result, const std::byte* rows, const Block& some, std::int64_t image,
           std::int64_t first_row) const;

  DType dtype;
  std::size_t element_bytes;
  ConvolutionShape shape, original;  // shape: of a packed block of images
  Block block;
  PackedInput input, rest_of_input, kernel;
  std::int64_t columns, positions_per_row;
  std::vector<std::pair<std::int64_t, std::unique_ptr<const Product>>> products;  // by rows
  std::size_t patch_bytes = 0, row_bytes = 0, product_bytes = 0;
};

void PatchConvolution::Prepared::make_patches(std::byte* patches, const std::byte* packed, const Block& some,
                                              std::int64_t first_row) const {
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  std::vector<CopyLoop> loops{{shape.groups, 0, shape.input.group}, {some.images, 0, shape.input.outer}};
  for (std::size_t i = 0; i < shape.windows.size(); ++i)
    loops.push_back(
        {i == 0 ? some.rows : shape.windows[i].out, 0, shape.input.spatial[i] * shape.windows[i].stride});
  for (std::size_t i = 0; i < shape.windows.size(); ++i)
    loops.push_back({shape.windows[i].kernel, 0, shape.input.spatial[i] * shape.windows[i].kernel_dilation});
  loops.push_back({shape.in_features, 0, shape.input.feature});
  std::int64_t stride = bytes;
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    loop->to_stride = stride;
    loop->from_stride *= bytes;
    stride *= loop->size;
  }
  strided_copy(patches, packed + first_row * shape.windows[0].stride * shape.input.spatial[0] * bytes, loops,
               element_bytes);
}

void PatchConvolution::Prepared::put(std::byte* result, const std::byte* rows, const Block& some,
                                     std::int64_t image, std::int64_t first_row) const {
  ConvolutionDims sizes = original.result_sizes();
  sizes.outer = some.images;
  sizes.spatial[0] = some.rows;
  // The rows are dense: group, image, spatial.., feature.
  ConvolutionDims from = features_last({1, sizes.outer, sizes.feature, sizes.spatial});
  from.group = sizes.elements() / sizes.group;
  const std::int64_t at = image * original.result.outer + first_row * original.result.spatial[0];
  strided_copy(result + at * static_cast<std::int64_t>(element_bytes), rows,
               copy_loops(sizes, original.result, from, element_bytes), element_bytes);
}

PatchConvolution::PatchConvolution(DType dtype, const ConvolutionShape& shape) {
  auto made = std::make_unique<Prepared>(dtype, shape);
  const Block& block = made->block;
  const std::int64_t rows = shape.windows[0].out;
  made->add_product(made->positions(block));
  if (shape.batch % block.images != 0)
    made->add_product(made->positions({shape.batch % block.images, block.rows}));
  if (rows % block.rows != 0) made->add_product(made->positions({1, rows % block.rows}));
  const auto positions = static_cast<std::size_t>(shape.groups * made->positions(block));
  made->patch_bytes = in_lines(positions * static_cast<std::size_t>(made->columns) * made->element_bytes);
  made->row_bytes = in_lines(positions * static_cast<std::size_t>(shape.out_features) * made->element_bytes);
  for (const auto& [size, product] : made->products)
    made->product_bytes = std::max(made->product_bytes, product->scratch_bytes());
  prepared_ = std::move(made);
}

PatchConvolution::~PatchConvolution() = default;

std::size_t PatchConvolution::scratch_bytes() const {
  const Prepared& p = *prepared_;
  return in_lines(p.kernel.bytes) + in_lines(p.input.bytes) + p.patch_bytes + p.row_bytes + p.product_bytes;
}

double PatchConvolution::nanoseconds() const {
  const Prepared& p = *prepared_;
  const auto blocks = static_cast<double>(p.original.result_sizes().elements()) /
                      static_cast<double>(p.positions(p.block) * p.shape.groups * p.shape.out_features);
  constexpr double copied_ns_per_byte = 0.1;
  return blocks * (p.products.front().second->nanoseconds() +
                   copied_ns_per_byte * static_cast<double>(p.patch_bytes + p.row_bytes));
}

void PatchConvolution::run(std::byte* result, const std::byte* input, const std::byte* kernel,
                           std::byte* scratch) const {
  const Prepared& p = *prepared_;
  std::byte *const matrices = scratch, *const images = matrices + in_lines(p.kernel.bytes),
                   *const patches = images + in_lines(p.input.bytes), *const rows = patches + p.patch_bytes,
                   *const for_product = rows + p.row_bytes;
  p.kernel.pack(matrices, kernel, p.element_bytes);
  const std::int64_t image_bytes = p.original.input.outer * static_cast<std::int64_t>(p.element_bytes);
  for (std::int64_t image = 0; image < p.original.batch; image += p.block.images) {
    Block block{std::min(p.block.images, p.original.batch - image), 0};
    const PackedInput& packed = block.images == p.block.images ? p.input : p.rest_of_input;
    packed.pack(images, input + image * image_bytes, p.element_bytes);
    for (std::int64_t row = 0; row < p.original.windows[0].out; row += p.block.rows) {
      block.rows = std::min(p.block.rows, p.original.windows[0].out - row);
      p.make_patches(patches, images, block, row);
      p.product_of(p.positions(block))->run(rows, patches, matrices, for_product);
      p.put(result, rows, block, image, row);
    }
  }
}

}  // namespace tutti
