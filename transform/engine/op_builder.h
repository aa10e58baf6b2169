// What an op sees while its graph is built: the columns made so far, and a place for complaints.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch/batch.h"
#include "transform/engine/sample_schema.h"

namespace tidemill::config {
struct NameList;
}

namespace tidemill::transform {

// What a model learns to say.
inline constexpr std::string_view kTargetColumn = "target";

// Something wrong in a graph. A checker turns it into a line of the user's file.
struct GraphProblem {
  // Place of the op in the graph, from 0; the number of ops when something is missing at the end.
  int op_index = 0;
  // Key within the op; empty for the op as a whole.
  std::string field;
  std::string message;
  // What to do about it; may be empty.
  std::string hint;

  friend bool operator==(const GraphProblem&, const GraphProblem&) = default;
};

// What is known of a column before any sample is read.
struct ColumnSchema {
  std::string name;
  batch::DataType type = batch::DataType::kFloat32;
  // Numbers in a row, as in batch::Column.
  std::vector<int64_t> shape = {};

  // Product of `shape`.
  int64_t Width() const;
  friend bool operator==(const ColumnSchema&, const ColumnSchema&) = default;
};

// A column and where a Frame holds it.
struct BoundColumn {
  int slot = 0;
  ColumnSchema schema;
};

// Which columns an op accepts, and so which ones `all` stands for.
enum class Accepts {
  kFloats,   // `all`: float32 and float64; by name also whole numbers.
  kNumbers,  // Everything but text; `all` complains about text.
};

// Thread-compatible.
class OpBuilder {
 public:
  explicit OpBuilder(const SampleSchema& samples) : samples_(samples) {}

  const SampleSchema& samples() const { return samples_; }

  // From here on, columns and problems belong to this op.
  void BeginOp(int op_index);

  // A column that an earlier op made. Reports a problem when there is none of that name.
  std::optional<BoundColumn> Input(std::string_view field, std::string_view name);
  // The columns that `names` stands for, in the order named or, for `all`, made; never targets.
  // Reports what is missing, named twice or not accepted, and when nothing is left.
  std::vector<BoundColumn> Inputs(std::string_view field, const config::NameList& names,
                                  Accepts accepts);

  // Adds a column that this op makes. It may replace a column that is an input of this op;
  // otherwise a name that is taken is a problem. `is_target`: never part of `all`.
  BoundColumn Output(std::string_view field, ColumnSchema schema, bool is_target = false);

  // This op learns from samples: what it makes is not known before it is fitted.
  void MarkFitted() { fitted_ = true; }

  void Problem(std::string_view field, std::string message, std::string hint = "");

  // After an op: the fit passes that must lie before it can run, itself not counted.
  int stage() const { return stage_; }
  bool fitted() const { return fitted_; }
  int num_slots() const { return num_slots_; }
  const std::vector<GraphProblem>& problems() const { return problems_; }
  // nullptr when no op made it.
  const BoundColumn* Find(std::string_view name) const;
  // The columns made so far, targets among them, in the order made.
  std::vector<BoundColumn> Columns() const;
  // Where the op reads: the slots of the columns that it asked for.
  const std::vector<int>& input_slots() const { return input_slots_; }
  // What it makes.
  const std::vector<BoundColumn>& outputs() const { return outputs_; }
  // Place of the op being built, from 0.
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
  std::string HintFor(std::string_view name) const;

  const SampleSchema& samples_;
  std::vector<MadeColumn> columns_;
  std::vector<GraphProblem> problems_;
  // Of the op being built.
  std::vector<std::string> inputs_;
  std::vector<int> input_slots_;
  std::vector<BoundColumn> outputs_;
  int op_index_ = 0;
  int stage_ = 0;
  bool fitted_ = false;
  int num_slots_ = 0;
};

inline bool IsFloat(batch::DataType type) {
  return type == batch::DataType::kFloat32 || type == batch::DataType::kFloat64;
}
inline bool IsText(batch::DataType type) { return type == batch::DataType::kBinary; }
inline bool IsInteger(batch::DataType type) { return !IsFloat(type) && !IsText(type); }

// Reports a problem unless the column holds text.
void CheckIsText(OpBuilder& builder, std::string_view field, const BoundColumn& column);

// "text" for byte strings, else the name of the type.
std::string_view Describe(batch::DataType type);

}  // namespace tidemill::transform
