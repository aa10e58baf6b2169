// An op as a graph names it, and all that the platform asks of one.
//
// To add an op: a header beside this one with its spec, which says and does what GraphOpOf in
// graph_op.cc asks of it, its source, and its two lines in op_list.h. What a spec must have is in
// transform/engine/op_spec.h.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "config/choice.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

// An op and its settings. Thread-compatible.
class GraphOp : public config::Part<GraphOp> {
 public:
  // Every op there is.
  static std::span<const config::Alternative<GraphOp>> Alternatives();

  // See op_spec.h.
  virtual std::unique_ptr<Op> Build(OpBuilder& builder) const = 0;

  // Whether what it makes of a sample in training is drawn anew in every epoch.
  virtual bool IsRandom() const = 0;

  // `autocache`, which does nothing and stands in specs of before.
  virtual bool autocache() const = 0;
  virtual void ClearAutocache() = 0;

  // Means something of an op that makes the column `target`.
  virtual TargetMade Target() const = 0;

  // What it reads of CSV records by names, so that who has seen some can try it on them before the
  // graph runs.
  virtual ReadFields Reads() const = 0;
  // What keeps the text of such a field from being what it takes; std::nullopt: nothing.
  virtual std::optional<BadField> TryField(const std::string& text) const = 0;

  // Puts what is in the files that it names in the place of their names: a graph goes where the
  // files are not. Notes problems at its own keys; something stands for what could not be read.
  virtual void TakeFiles(NamedFiles& files, config::Problems& problems) = 0;

  // Whether an op of the same type has the same settings.
  virtual bool Equals(const GraphOp& other) const = 0;
};

using OpSpec = config::Choice<GraphOp>;

}  // namespace tidemill::transform
