// Turns and mirrors the pixels of an image.
#pragma once

#include <cstdint>
#include <span>

#include "transform/ops/images/image_decoder.h"

namespace tidemill::transform {

// Whether an Exif orientation, 1 to 8, exchanges height and width.
constexpr bool ExchangesSides(int orientation) { return orientation >= 5; }

// Writes the image that `from` holds upright into `to`, of shape `turned`, channel after channel.
// `orientation` is defined by Exif, 2 to 8. Both have turned.Size() bytes.
void Turn(std::span<const uint8_t> from, int orientation, const ImageShape& turned,
          std::span<uint8_t> to);

}  // namespace tidemill::transform
