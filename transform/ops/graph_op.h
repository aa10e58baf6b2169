// An op of a graph as its spec defines it, with all that the platform asks of an op.
//
// To add an op, write a header beside this one with its spec, and its source, and add its two lines
// to op_list.h. transform/engine/op_spec.h says what a spec must have. The spec also defines what
// GraphOpOf in graph_op.cc asks for.
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
  // Lists every op.
  static std::span<const config::Alternative<GraphOp>> Alternatives();

  // Builds the op; see op_spec.h.
  virtual std::unique_ptr<Op> Build(OpBuilder& builder) const = 0;

  // Whether the result for a sample in training is drawn anew in every epoch.
  virtual bool IsRandom() const = 0;

  // The key `autocache`. It does nothing; older specs contain it.
  virtual bool autocache() const = 0;
  virtual void ClearAutocache() = 0;

  // What the column `target` contains, for an op that makes it.
  virtual TargetMade Target() const = 0;

  // Returns the fields of CSV records that the op reads by name. Who has seen some records can try
  // the op on them before the graph runs.
  virtual ReadFields Reads() const = 0;
  // Returns why the op cannot take this text of such a field, or std::nullopt when it can.
  // `decimal` stands before the fraction of a number.
  virtual std::optional<BadField> TryField(const std::string& text, char decimal) const = 0;

  // Replaces the list of columns at `key` by these names, which its rules stand for.
  virtual void NameColumns(std::string_view key, const std::vector<std::string>& names) = 0;

  // Replaces the names of files in the spec by their contents, because a graph goes to where the
  // files are not. Notes problems at its own keys. What could not be read is replaced by a
  // placeholder.
  virtual void TakeFiles(config::NamedFiles& files, config::Problems& problems) = 0;

  // For what was submitted: the plug-in of an op of the user's own, its version and what it runs
  // in; empty for other ops.
  virtual std::string RunsWith() const = 0;

  // Whether `other` is of the same type and has the same settings.
  virtual bool Equals(const GraphOp& other) const = 0;
};

using OpSpec = config::Choice<GraphOp>;

}  // namespace tidemill::transform
