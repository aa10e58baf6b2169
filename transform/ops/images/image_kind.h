// Names the kinds of images that are not decoded.
#pragma once

#include <optional>
#include <string_view>

namespace tidemill::transform {

// Returns the name of the kind of image or document that a file is by its first bytes, with its
// article: "a WebP image". std::nullopt when it is unknown.
std::optional<std::string_view> KindOfImage(std::string_view file);

}  // namespace tidemill::transform
