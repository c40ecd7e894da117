// SPDX-License-Identifier: Apache-2.0
// Parts of pictures.
#pragma once

#include <string>
#include <string_view>

namespace tutti::internal {

/// A rectangle of a picture.
struct Area {
  double left, top, width, height;
};

/// The text for an element of XML. Escapes marks; control characters and bytes that are not UTF-8 become '?'.
std::string escaped(std::string_view text);
/// `more` are further attributes: " font-size=\"14\"".
std::string text_at(double x, double y, std::string_view text, std::string_view more = "");
/// A text that would be wider than `width` is squeezed to it; what lies under the pointer is shown in full.
std::string text_within(double width, double x, double y, std::string_view text, std::string_view more = "");
std::string rectangle(const Area& area, std::string_view look);
/// A colour for each device. Neighbours in number are neighbours in hue; every other one is darker.
std::string colour_of(int device, int devices);

/// Writes a picture to a file, whole or not at all. Throws R001 if it cannot be written.
void write_svg(const std::string& path, const std::string& svg);

}  // namespace tutti::internal
