// SPDX-License-Identifier: Apache-2.0
#include "tutti/page/picture.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include "tutti/base/require.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/page/svg_picture.hpp"
#include "tutti/page/text_picture.hpp"

namespace tutti {
namespace {

LaidArray laid(const Array& array) {
  if (array.traced()) Builder::type_of(*array.traced());  // throws if its trace has ended
  require(
      !array.traced(), Code::trace,
      "where it lies is not known while its program is traced; draw what the compiled function returns, or "
      "a shape on a mesh");
  const std::shared_ptr<const GlobalArray> data = array.finished();
  return {to_string(data->type()), data->type().shape(), data->sharding()};
}

LaidArray laid(const Shape& shape, const Mesh& mesh, const P& spec) {
  shape.check();
  return {fmt::format("[{}]", to_string(shape)), shape, spec.on(mesh, Type(DType::f32, shape))};
}

void check(const PictureOptions& options) {
  require(options.line_length >= 40, Code::argument,
          "line_length is {}; a picture needs at least 40 characters", options.line_length);
  require(options.most_rows >= 2, Code::argument,
          "most_rows is {}; a picture that is cut needs at least 2, the first and the last",
          options.most_rows);
}

}  // namespace

std::string picture(const Array& array, const PictureOptions& options, Where where) try {
  check(options);
  return text_picture(laid(array), options);
} catch (const Error& error) {
  throw error.at(where, "picture");
}

std::string picture(const Shape& shape, const Mesh& mesh, const P& spec, const PictureOptions& options,
                    Where where) try {
  check(options);
  return text_picture(laid(shape, mesh, spec), options);
} catch (const Error& error) {
  throw error.at(where, "picture");
}

std::string picture_svg(const Array& array, Where where) try {
  return svg_picture(laid(array));
} catch (const Error& error) {
  throw error.at(where, "picture_svg");
}

std::string picture_svg(const Shape& shape, const Mesh& mesh, const P& spec, Where where) try {
  return svg_picture(laid(shape, mesh, spec));
} catch (const Error& error) {
  throw error.at(where, "picture_svg");
}

}  // namespace tutti
