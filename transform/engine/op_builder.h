// The context of an op while its graph is built: the columns made so far, and methods to report
// problems.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "transform/engine/sample_schema.h"

namespace tidemill::config {
struct ColumnList;
struct ColumnRule;
}  // namespace tidemill::config

namespace tidemill::transform {

// The column that a model learns to predict.
inline constexpr std::string_view kTargetColumn = "target";

// A problem in a graph. A checker turns it into a line of the user's file.
struct GraphProblem {
  // The place of the op in the graph, from 0. It is the number of ops when something is missing at
  // the end.
  int op_index = 0;
  // The key within the op. Empty for the op as a whole.
  std::string field;
  std::string message;
  // What to do about the problem; may be empty.
  std::string hint;

  friend bool operator==(const GraphProblem&, const GraphProblem&) = default;
};

// The properties of a column that are known before any sample is read.
struct ColumnSchema {
  std::string name;
  batch::DataType type = batch::DataType::kFloat32;
  // The shape of a row's numbers, as in batch::Column.
  std::vector<int64_t> shape = {};

  // Returns the product of `shape`.
  int64_t Width() const;
  friend bool operator==(const ColumnSchema&, const ColumnSchema&) = default;
};

// A column and its slot in a Frame.
struct BoundColumn {
  int slot = 0;
  ColumnSchema schema;

  friend bool operator==(const BoundColumn&, const BoundColumn&) = default;
};

// The columns that a list with rules chooses. `all` counts as a rule in a list of fields.
struct ChosenColumns {
  int op_index = 0;
  std::string field;  // The key of the list within the op.
  std::vector<std::string> names;

  friend bool operator==(const ChosenColumns&, const ChosenColumns&) = default;
};

// Which columns an op accepts. `all` means all accepted columns.
enum class Accepts {
  kFloats,   // `all`: float32 and float64. By name also whole numbers.
  kNumbers,  // Everything but text. `all` reports text as a problem.
  kKeys,     // `all`: texts and whole numbers. Floats are a problem by name.
};

// Thread-compatible.
class OpBuilder {
 public:
  explicit OpBuilder(const SampleSchema& samples) : samples_(samples) {}
  // Begins with these columns. It is for one op, which replaces some of them and makes no others.
  OpBuilder(const SampleSchema& samples, const std::vector<BoundColumn>& columns);

  const SampleSchema& samples() const { return samples_; }

  // Starts an op. Columns and problems belong to this op until the next call.
  void BeginOp(int op_index);

  // Returns a column that an earlier op made. Reports a problem when there is none of that name.
  std::optional<BoundColumn> Input(std::string_view field, std::string_view name);
  // Returns the columns that `columns` chooses. They are in the order named or, for `all` and
  // rules, in the order made. `all` and rules never take targets, nor what `accepts` leaves out; a
  // rule takes no column that an earlier entry of its list has taken. Reports a problem for a
  // column that is missing, named twice or not accepted, for a rule that is wrong, and when no
  // column is left.
  std::vector<BoundColumn> Inputs(std::string_view field, const config::ColumnList& columns,
                                  Accepts accepts);

  // Returns the fields of the records that `columns` chooses: the named fields and, for `all` and
  // rules, fields in the order of the records, without the field of the label. Reports a problem
  // for a rule that is wrong. While the fields of the records are not known, the graph is open().
  std::vector<std::string> Fields(std::string_view field, const config::ColumnList& columns);

  // Adds a column that this op makes. It may replace a column that is an input of this op. Any
  // other name that is in use is a problem. A column with `is_target` is never part of `all`.
  BoundColumn Output(std::string_view field, ColumnSchema schema, bool is_target = false);

  // Declares that this op learns from samples. Its outputs are not known before it is fitted.
  void MarkFitted() { fitted_ = true; }

  // Adds the bytes of the user's tables that the op holds. Returns the bytes of all ops so far.
  int64_t HoldTable(int64_t bytes) { return table_bytes_ += bytes; }

  void Problem(std::string_view field, std::string message, std::string hint = "");

  // Ends the build with a failure that is not a mistake in the graph, such as a machine that cannot
  // start a process now. The first of several counts.
  void Fail(const absl::Status& failure) { failure_.Update(failure); }
  const absl::Status& failure() const { return failure_; }

  // Call it after an op. The number of fit passes that must be complete before the op can run, not
  // counting the op's own.
  int stage() const { return stage_; }
  bool fitted() const { return fitted_; }
  int num_slots() const { return num_slots_; }
  const std::vector<GraphProblem>& problems() const { return problems_; }
  // Returns nullptr when no op made the column.
  const BoundColumn* Find(std::string_view name) const;
  // Returns the columns made so far, including targets, in the order made.
  std::vector<BoundColumn> Columns() const;
  // The columns that the op reads, before it replaces any.
  const std::vector<BoundColumn>& inputs() const { return inputs_; }
  // The columns that the op makes.
  const std::vector<BoundColumn>& outputs() const { return outputs_; }
  // The columns that rules of the ops have chosen, in the order of the ops.
  const std::vector<ChosenColumns>& chosen() const { return chosen_; }
  // Whether a rule cannot choose yet. No later op can then be built.
  bool open() const { return open_; }
  // The place of the op that is being built, from 0.
  int op_index() const { return op_index_; }

 private:
  struct MadeColumn {
    BoundColumn bound;
    bool is_target = false;
    int stage = 0;
  };

  MadeColumn* FindMade(std::string_view name);
  bool Accept(const MadeColumn& column, std::string_view field, Accepts accepts, bool by_name);
  void Use(const MadeColumn& column);
  std::vector<size_t> ByRule(std::string_view at, const config::ColumnRule& rule,
                             std::span<const std::string> names);
  void InputsByRule(std::string_view at, std::string_view field, const config::ColumnRule& rule,
                    Accepts accepts, std::set<std::string>& seen, std::vector<BoundColumn>& inputs);
  std::string HintFor(std::string_view name) const;

  const SampleSchema& samples_;
  std::vector<MadeColumn> columns_;
  std::vector<GraphProblem> problems_;
  std::vector<ChosenColumns> chosen_;
  absl::Status failure_;
  // The columns of the op that is being built.
  std::vector<BoundColumn> inputs_;
  std::vector<BoundColumn> outputs_;
  int op_index_ = 0;
  int stage_ = 0;
  bool fitted_ = false;
  bool open_ = false;
  int num_slots_ = 0;
  int64_t table_bytes_ = 0;
};

inline bool IsFloat(batch::DataType type) {
  return type == batch::DataType::kFloat32 || type == batch::DataType::kFloat64;
}
inline bool IsText(batch::DataType type) { return type == batch::DataType::kBinary; }
inline bool IsInteger(batch::DataType type) { return !IsFloat(type) && !IsText(type); }

// Whether columns of the type can hold the number. It must be finite.
bool Holds(batch::DataType type, double value);

// Reports a problem unless the column holds text.
void CheckIsText(OpBuilder& builder, std::string_view field, const BoundColumn& column);

// Returns "text" for byte strings, else the name of the type.
std::string_view Describe(batch::DataType type);

}  // namespace tidemill::transform
