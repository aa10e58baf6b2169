// The `buckets` of a `training` section: batches of samples of similar length, which need little
// padding.
//
//   buckets: {boundaries: [8, 16, 32], window: 64}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"

namespace tidemill::models {

enum class RowLayout { kPadded, kRagged };

struct Buckets {
  static constexpr std::string_view kDoc =
      "Puts samples of similar length into a batch. The samples of `window` batches are sorted by "
      "their length and cut into batches, which come in a random order. A sample's length is that "
      "of its row of `column` up to the last number that is not `padding`. All consumers that "
      "share a batch get rows of the same width.";
  std::string column = "input";
  double padding = 0;
  std::vector<int64_t> boundaries = {};
  int64_t window = 64;
  RowLayout layout = RowLayout::kPadded;

  void Fields(auto&& field) {
    field("column", column, "The column whose rows have a length: `input` or one of `input_...`.");
    field("padding", padding, "The number that fills the end of short rows.");
    field("boundaries", boundaries,
          "Widths of batches, ascending. A batch has the least of these widths that holds its "
          "longest row, or else the width of the column. Default: powers of two.",
          {.min = 1, .max = 1e6, .example = "[8, 16, 32]"});
    field("window", window,
          "Number of batches that are sorted together. With more of them, the rows of a batch are "
          "more alike.",
          {.min = 1, .max = 4096});
    field(
        "layout", layout,
        "`padded`: rows have the width of their batch. `ragged`: rows follow one another without "
        "padding, and an extra column, whose name ends in `_offsets`, says where each row begins.");
  }
  void Check(config::Problems& problems) const {
    for (size_t i = 1; i < boundaries.size(); ++i) {
      if (boundaries[i] > boundaries[i - 1]) continue;
      problems.Add("boundaries", "must ascend", "");
      return;
    }
  }
  friend bool operator==(const Buckets&, const Buckets&) = default;
};

}  // namespace tidemill::models

template <>
struct tidemill::config::EnumNames<tidemill::models::RowLayout> {
  static constexpr std::pair<tidemill::models::RowLayout, std::string_view> kNames[] = {
      {tidemill::models::RowLayout::kPadded, "padded"},
      {tidemill::models::RowLayout::kRagged, "ragged"}};
};
