// Rewrites a graph to an equal one that does less. The ops that do nothing are left out. A filter
// runs before ops that work on the samples that it leaves out. Ops that cut or mirror images run
// before ops that convert them to larger numbers. Images are decoded at a smaller size where a key
// asks for it and they are scaled next.
//
// Equal means, unless images are decoded at a smaller size: the same tensors to the last bit, the
// same bad samples for the same reasons, the same number of filtered samples, and the same that is
// learned. An op runs elsewhere only when that is proven, from what ops say about themselves
// (transform/engine/op_effect.h) and from the numbers that columns may hold. Where a proof is
// missing, the op stays.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "transform/engine/op.h"
#include "transform/engine/op_builder.h"

namespace tidemill::transform {

// An op of a graph as it is written.
struct WrittenOp {
  const Op* op = nullptr;
  std::string name = {};  // "op 2 (standardize)"
  bool learns = false;
  std::vector<BoundColumn> inputs = {};
  std::vector<BoundColumn> outputs = {};
};

enum class RewriteKind {
  kRemoved,  // The op does nothing.
  kMoved,    // The op runs before the op `beside`.
  kReduced,  // The op makes smaller images, which the op `beside` scales.
  kStays     // The op would gain from running before the op `beside`, but must not.
};

struct Rewrite {
  RewriteKind kind = RewriteKind::kRemoved;
  int op = 0;       // The place of the op as written, from 0.
  int beside = -1;  // The place of the other op as written.
  // A sentence for people: "op 3 (crop) runs before op 2 (cast): ...".
  std::string reason = {};

  friend bool operator==(const Rewrite&, const Rewrite&) = default;
};

// An op that makes images at this many eighths of their height and width
// (transform/engine/images.h).
struct ReducedImages {
  int op = 0;  // The place of the op as written.
  int eighths = 0;

  friend bool operator==(const ReducedImages&, const ReducedImages&) = default;
};

struct RewritePlan {
  // The places of the ops as written, in the order in which they run.
  std::vector<int> order;
  std::vector<ReducedImages> reduced = {};
  // In the order of the ops as written.
  std::vector<Rewrite> rewrites = {};
};

// Returns the ops as they are written, without a rewrite.
RewritePlan IdentityPlan(size_t num_ops);

// Ops that learn, and ops whose columns have other names than their inputs, keep their places. An
// op keeps its place as written as its name: for its draws, its learned state and its counters.
RewritePlan PlanRewrites(std::span<const WrittenOp> ops);

}  // namespace tidemill::transform
