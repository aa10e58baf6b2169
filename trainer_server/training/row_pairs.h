// Which rows of a batch are mixed with which others, for a training that augments
// (models::Augment).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/numbers/random.h"
#include "models/training/augment_spec.h"

namespace tidemill::trainer_server {

// One row's part in the mixture.
struct RowPair {
  int64_t partner = 0;  // Another row of the batch; in a batch of one row, the row itself.
  double share = 1;     // The row's own share. 1: it is not mixed.
  // Where the middle of a rectangle is, as shares of the height and the width.
  double down = 0;
  double across = 0;

  friend bool operator==(const RowPair&, const RowPair&) = default;
};

// Draws the part of each row of a batch. Share and place are functions of the key without its
// purpose and of the row's ordinal. A partner depends on the ordinals of the batch, but not on the
// order of rows; a row that is left out changes the partner of one other row.
std::vector<RowPair> DrawPairs(const models::Augment& augment, RandomKey key,
                               std::span<const int64_t> ordinals);

// A part of an image: the rows [top, bottom) and the columns [left, right).
struct Rectangle {
  int64_t top = 0;
  int64_t bottom = 0;
  int64_t left = 0;
  int64_t right = 0;

  int64_t Area() const { return (bottom - top) * (right - left); }
  friend bool operator==(const Rectangle&, const Rectangle&) = default;
};

// Returns the rectangle whose sides are the square root of 1 - share of the image's, around the
// place of the pair. The rectangle is cut off at the edges, as in torchvision's CutMix.
Rectangle RectangleOf(const RowPair& pair, int64_t height, int64_t width);

}  // namespace tidemill::trainer_server
