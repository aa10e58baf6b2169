// A batch of samples on its way through the ops of a graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "batch/batch.h"

namespace tidemill::transform {

// A sample that cannot be turned into numbers, and why.
struct BadSample {
  // Its row in the batch that went in.
  int64_t row = 0;
  std::string reason;

  friend bool operator==(const BadSample&, const BadSample&) = default;
};

// How a graph is run. Ops whose results are random are so in training only; otherwise they do what
// is closest to the middle of what they might have done, or nothing.
struct RunContext {
  bool training = false;
  // In training, what an op draws for a sample is a function of these, of the op's place in the
  // graph, and of the sample's ordinal.
  int64_t seed = 0;
  int64_t trigger = 0;
  int64_t epoch = 0;
  // Whether a target that the graph standardises is handed over like that, as a model is trained on
  // it; else it stays in its own units, in which a model is measured (target_scale.h).
  bool standardize_target = false;
};

// The samples as they came, the columns that ops have made so far, and the rows found bad. A bad
// row stays in place, with any values, until the graph ends: columns never change their length.
// Thread-compatible; `samples` must outlive it.
class Frame {
 public:
  // `num_slots`: columns that the ops of the graph make, each in a slot fixed when it was built.
  Frame(const batch::Batch& samples, int num_slots, const RunContext& context = {});

  int64_t num_rows() const { return samples_.num_rows(); }
  const batch::Batch& samples() const { return samples_; }
  const RunContext& context() const { return context_; }

  const batch::Column& Get(int slot) const { return columns_[slot]; }
  void Set(int slot, batch::Column column) { columns_[slot] = std::move(column); }

  // Marks a row as bad. The first reason given for a row stays.
  void Reject(int64_t row, std::string reason);
  bool IsBad(int64_t row) const { return is_bad_[row] != 0; }

  // By row.
  std::vector<BadSample> TakeBad();
  // The rows that are not bad, ascending.
  std::vector<int64_t> GoodRows() const;
  int64_t num_bad() const { return static_cast<int64_t>(bad_.size()); }

 private:
  const batch::Batch& samples_;
  const RunContext context_;
  std::vector<batch::Column> columns_;
  std::vector<uint8_t> is_bad_;
  std::vector<BadSample> bad_;
};

// A value as it is shown in a reason: quoted, shortened, control characters escaped.
std::string Quoted(std::string_view text);

}  // namespace tidemill::transform
