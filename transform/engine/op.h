// One step of a graph, bound to the columns that it reads and makes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "transform/engine/frame.h"

namespace tidemill::transform {

class BlockOp;

// Something an op learned of a column: numbers or words.
struct Learned {
  std::string column;
  // What it is: "mean", "std", "categories" ...
  std::string statistic;
  std::vector<double> numbers = {};
  std::vector<std::string> words = {};

  friend bool operator==(const Learned&, const Learned&) = default;
};

struct FitResult {
  std::vector<Learned> learned;
  std::vector<std::string> warnings = {};
};

// Learns what one op needs from samples given in order. What it learns is a function of the
// sequence of good rows alone, not of how the sequence was cut into batches. Thread-compatible.
class OpFitter {
 public:
  virtual ~OpFitter() = default;
  virtual absl::Status Add(const Frame& frame) = 0;
  // FAILED_PRECONDITION when there was no good row.
  virtual absl::StatusOr<FitResult> Finish() = 0;
};

// Works on whole columns and treats each row by itself, so that it does not matter how samples are
// cut into batches. A row that it cannot treat it rejects, with a reason that names column and
// value. Thread-safe: a built op never changes.
class Op {
 public:
  virtual ~Op() = default;

  // `learned`: what the op's fitter learned; empty for other ops. Fails only when the batch as a
  // whole is not what the graph was built for.
  virtual absl::Status Run(std::span<const Learned> learned, Frame& frame) const = 0;

  // The op itself when it can be run on some rows at a time (block_op.h), else nullptr.
  virtual const BlockOp* block_op() const { return nullptr; }

  // nullptr for an op that learns nothing.
  virtual std::unique_ptr<OpFitter> NewFitter() const { return nullptr; }
};

// INVALID_ARGUMENT when there is no such entry.
absl::StatusOr<const Learned*> FindLearned(std::span<const Learned> learned,
                                           std::string_view column, std::string_view statistic);

}  // namespace tidemill::transform
