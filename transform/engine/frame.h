// A batch of samples while it passes through the ops of a graph.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "batch/batch.h"

namespace tidemill::transform {

// The bytes of the texts that ops make of the rows of a frame, and of one row.
inline constexpr size_t kMaxTextBytes = 16 << 20;

// A sample that cannot be turned into numbers, and the reason.
struct BadSample {
  // Its row in the input batch.
  int64_t row = 0;
  std::string reason;

  friend bool operator==(const BadSample&, const BadSample&) = default;
};

// The settings for one run of a graph. Random ops are random in training only. Otherwise they do
// nothing, or return the middle of their possible results.
struct RunContext {
  bool training = false;
  // In training, the random numbers of an op for a sample are a function of these fields, of the
  // op's place in the graph, and of the sample's ordinal.
  int64_t seed = 0;
  int64_t trigger = 0;
  int64_t epoch = 0;
  // Whether a target that the graph standardises is returned standardised. Models are trained on
  // standardised targets. They are measured on targets in their own units (target_scale.h).
  bool standardize_target = false;
};

// Holds the input samples, the columns that ops have made so far, and the rows found bad or
// filtered. Such a row stays in place, with any values, while ops run, so that columns never change
// their length. Thread-compatible. `samples` must outlive this object.
class Frame {
 public:
  // `num_slots` is the number of columns that the ops of the graph make. The slot of each column
  // was fixed when the graph was built.
  Frame(const batch::Batch& samples, int num_slots, const RunContext& context = {});

  int64_t num_rows() const { return samples_.num_rows(); }
  const batch::Batch& samples() const { return samples_; }
  const RunContext& context() const { return context_; }
  int num_slots() const { return static_cast<int>(columns_.size()); }

  // Counts bytes of a text that an op makes of a row, for a column. Returns whether there is room
  // for it (kMaxTextBytes). Otherwise a row that is alone is rejected, and several rows have too
  // many texts: ops may stop, and the graph runs again for fewer rows.
  bool AddText(int64_t row, std::string_view column, size_t num_bytes);
  bool has_too_many_texts() const { return has_too_many_texts_; }
  // Counts the texts that an earlier frame had of rows: of the `rows`, which are this one's.
  void TakeTexts(const Frame& earlier, std::span<const int64_t> rows);

  const batch::Column& Get(int slot) const { return columns_[slot]; }
  void Set(int slot, batch::Column column) { columns_[slot] = std::move(column); }

  // Marks a row as bad. The first of several reasons for a row is kept.
  void Reject(int64_t row, std::string reason);
  // Marks a row as filtered, unless it is bad.
  void Filter(int64_t row);
  // Counts a row in which an op met a value that it does not know: a key without a row in its
  // table, a text that is none of its categories.
  void CountUnknown() { ++num_unknown_; }
  // Whether the row is bad or filtered.
  bool IsBad(int64_t row) const { return is_bad_[row] != 0; }

  // Returns the bad samples in the order of their rows.
  std::vector<BadSample> TakeBad();
  // Returns the rows that are neither bad nor filtered, ascending.
  std::vector<int64_t> GoodRows() const;
  int64_t num_bad() const { return static_cast<int64_t>(bad_.size()); }
  int64_t num_filtered() const { return num_filtered_; }
  int64_t num_unknown() const { return num_unknown_; }

 private:
  const batch::Batch& samples_;
  const RunContext context_;
  std::vector<batch::Column> columns_;
  std::vector<uint8_t> is_bad_;
  std::vector<BadSample> bad_;
  int64_t num_filtered_ = 0;
  int64_t num_unknown_ = 0;
  std::vector<size_t> text_bytes_;  // By row; empty before there are any.
  size_t num_text_bytes_ = 0;
  bool has_too_many_texts_ = false;
};

// Formats a value for a reason: quoted, shortened, with control characters escaped.
std::string Quoted(std::string_view text);

}  // namespace tidemill::transform
