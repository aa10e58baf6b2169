// One step of a graph. It is bound to the columns that it reads and makes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "transform/engine/frame.h"
#include "transform/engine/op_effect.h"

namespace tidemill::transform {

class BlockOp;
class PortableGraph;

// A statistic that an op learned about a column: numbers or words.
struct Learned {
  std::string column;
  // The name of the statistic: "mean", "std", "categories" ...
  std::string statistic;
  std::vector<double> numbers = {};
  std::vector<std::string> words = {};

  friend bool operator==(const Learned&, const Learned&) = default;
};

struct FitResult {
  std::vector<Learned> learned;
  std::vector<std::string> warnings = {};
};

// Learns the state of one op from samples in order. The result depends only on the sequence of good
// rows, not on how it is cut into batches. Thread-compatible.
class OpFitter {
 public:
  virtual ~OpFitter() = default;
  virtual absl::Status Add(const Frame& frame) = 0;
  // FAILED_PRECONDITION when there was no good row.
  virtual absl::StatusOr<FitResult> Finish() = 0;
};

// Works on whole columns and treats each row on its own. The result therefore does not depend on
// how samples are cut into batches. An op rejects a row that it cannot process, with a reason that
// names the column and the value. Thread-safe: an op never changes after it is built.
class Op {
 public:
  virtual ~Op() = default;

  // `learned` is the result of the op's fitter. It is empty for an op that learns nothing. Fails
  // only when the whole batch does not fit the graph.
  virtual absl::Status Run(std::span<const Learned> learned, Frame& frame) const = 0;

  // Returns this op if it can run on some rows at a time (block_op.h), else nullptr.
  virtual const BlockOp* block_op() const { return nullptr; }

  // Returns what other ops may rely on when the graph is rewritten, for inputs for which this is
  // known.
  virtual OpEffect EffectOn(const KnownNumbers& numbers) const;

  // Returns the op that makes images at this many eighths of their height and width (images.h), for
  // an op whose effect says `may_reduce`. Returns nullptr for others.
  virtual std::unique_ptr<Op> Reduced(int /*eighths*/) const { return nullptr; }
  // Returns the pixels that the op needs of its only input, which holds images. std::nullopt when
  // it needs all of them, or reads something else.
  virtual std::optional<ImagePart> PartRead() const { return std::nullopt; }
  // Returns an op that makes only these pixels of its only output, equal to those that this op
  // makes, and rejects the same rows. The other pixels are undefined. Returns nullptr when that
  // would save nothing.
  virtual std::unique_ptr<Op> ForPart(const ImagePart& /*part*/) const { return nullptr; }

  // Writes what the op makes of a sample outside of training, for programs that run without
  // Tidemill (portable_graph.h). FAILED_PRECONDITION when it cannot be written; the message is the
  // end of the sentence "cannot be exported: ...". Nothing is written then.
  virtual absl::Status WriteSteps(std::span<const Learned> learned, PortableGraph& graph) const;

  // Whether it reads the records of samples: the column `payload`.
  virtual bool reads_records() const { return false; }

  // Whether it makes texts that Frame::AddText() counts.
  virtual bool makes_texts() const { return false; }

  // Returns nullptr for an op that learns nothing.
  virtual std::unique_ptr<OpFitter> NewFitter() const { return nullptr; }
};

// INVALID_ARGUMENT when there is no such statistic.
absl::StatusOr<const Learned*> FindLearned(std::span<const Learned> learned,
                                           std::string_view column, std::string_view statistic);

}  // namespace tidemill::transform
