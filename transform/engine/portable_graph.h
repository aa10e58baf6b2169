// A graph as steps of arithmetic on whole columns, for programs that run without Tidemill. Ops add
// their steps to it (Op::WriteSteps()). models/export writes it to files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "batch/batch.h"
#include "transform/engine/op_builder.h"

namespace tidemill::transform {

enum class StepKind {
  kRead,            // The column of `name` that the user gives.
  kConstant,        // `numbers`, in the order of `shape`. It has no rows.
  kCast,            // To `type`. Fractions are cut off.
  kAdd,             //
  kSubtract,        //
  kMultiply,        //
  kDivide,          // Takes floats.
  kFloorDivide,     // Takes int64, the second one positive: the quotient, rounded down.
  kRemainder,       // Takes int64, the second one positive: what kFloorDivide leaves.
  kFloatRemainder,  // Takes floats; as fmod() of C.
  kPower,           // Takes floats.
  kFloor,           // Takes floats.
  kAbsolute,        // Takes floats.
  kSquareRoot,      // Takes float64.
  kExponential,     // Takes float64.
  kLogarithm,       // Takes float64.
  kLog1p,           // Takes float64. The number must not be less than -1.
  kSine,            // Takes float64.
  kIsMissing,       // Takes floats, makes a truth.
  kIsFinite,        // Takes floats, makes a truth.
  kNot,             // Takes a truth.
  kAnd,             // Takes truths.
  kOr,              // Takes truths.
  kEqual,           // A truth.
  kLess,            // A truth.
  kGreaterOrEqual,  // A truth.
  kWhere,           // The second input where the first, a truth, holds; else the third.
  kAnyOfRow,        // Takes truths, makes one for each row.
  kSumOfLast,       // The sum along the last dimension, of int64.
  kReshape,         // The numbers of a row in another `shape`.
  kConcatenate,     // Along the dimension settings[0] of the shape.
  kSlice,           // [settings[1], settings[2]) of the dimension settings[0].
  kReverse,         // The dimension settings[0] in the opposite order.
  kPad,             // settings: the numbers before, then after, for each dimension. numbers[0].
  kRepeat,          // A row of one number becomes settings[0] equal numbers.
  kTranspose,       // Dimension i of the result is the dimension settings[i].
  kMatrixProduct,   // Takes the last two dimensions of floats. One factor is a constant.
  kPlaceOfText,     // The place of a text among `words`, int64; -1 when it is not there.
  kHashOfNumber,    // XXH3-64 of eight bytes, modulo settings[0]; the seed is settings[1].
  kHashOfText,      // XXH3-64 of a text, modulo settings[0]; the seed is settings[1].
  kPlacesOfWords,   // settings: ngrams, length, lowercase. Places among `words` plus 2; 1; 0.
  kHashesOfWords    // settings: ngrams, length, lowercase, buckets, seed. Hashes plus 1; 0.
};

// The number of a step, from 0. A step uses earlier ones only.
using StepId = int;

struct Step {
  StepKind kind = StepKind::kRead;
  std::vector<StepId> inputs = {};
  batch::DataType type = batch::DataType::kFloat32;
  bool is_truth = false;  // Then `type` is not used.
  // The shape of the numbers of a row; for a constant, its own shape.
  std::vector<int64_t> shape = {};
  std::string name = {};  // kRead and kConstant have one.
  std::vector<double> numbers = {};
  std::vector<int64_t> settings = {};
  std::vector<std::string> words = {};
};

inline constexpr int kEventTimeSlot = -1;

// A column that a user of the file gives.
struct GivenColumn {
  ColumnSchema schema;
  // The op after which this slot of the frame holds the same numbers when the graph runs.
  int op_index = 0;
  int slot = 0;  // kEventTimeSlot for the event time of the samples, which is in no slot.
  // Whether the file takes images as [height, width, channels], while the frame holds [channels,
  // height, width].
  bool channels_last = false;
  // A description for people: "the field wind of a record".
  std::string meaning = {};
  StepId step = 0;
};

// An op that cannot be written. A user gives the columns that it makes.
struct UnwrittenOp {
  int op_index = 0;
  std::string type;    // "lookup"
  std::string reason;  // The end of a sentence: "its table is not a tensor".
  std::vector<std::string> columns = {};
};

// Steps are added in order. Types and shapes that do not match are mistakes of an op, and abort the
// program. Thread-compatible.
class PortableGraph {
 public:
  // Begins an op. Names of constants begin with its place and type.
  void BeginOp(int op_index, std::string_view type);

  // Adds a column that the user gives, as `column` of the frame. Returns its step.
  StepId Give(const BoundColumn& column, std::string meaning);
  // The event time of a sample, int64: microseconds since 1970 in UTC. A user gives it as
  // `event_time`, or as `event_time_microseconds` where a column has that name.
  StepId EventTime();
  // Does the same for images that are given as [height, width, channels].
  StepId GiveImage(const BoundColumn& column, std::string meaning);

  // `name` describes the numbers: "temp_max_mean".
  StepId Constant(std::string_view name, batch::DataType type, std::vector<int64_t> shape,
                  std::vector<double> numbers);
  // One number.
  StepId Number(batch::DataType type, double number);

  StepId Cast(StepId from, batch::DataType type);
  // For the kinds of one input. The result has its shape.
  StepId Apply(StepKind kind, StepId input);
  // For arithmetic and comparisons: numbers of one type, and shapes that are equal or, from the
  // end, 1 in one of them.
  StepId Apply(StepKind kind, StepId left, StepId right);
  StepId Where(StepId truth, StepId yes, StepId no);
  StepId Reshape(StepId from, std::vector<int64_t> shape);
  StepId Concatenate(std::vector<StepId> from, int64_t dimension);
  StepId Slice(StepId from, int64_t dimension, int64_t begin, int64_t end);
  StepId Reverse(StepId from, int64_t dimension);
  StepId Pad(StepId from, const std::vector<int64_t>& before, const std::vector<int64_t>& after,
             double number);
  StepId Repeat(StepId from, int64_t count);
  StepId Transpose(StepId from, std::vector<int64_t> dimensions);
  StepId MatrixProduct(StepId left, StepId right);
  StepId PlaceOfText(StepId text, std::vector<std::string> words);
  StepId HashOf(StepId from, int64_t buckets, int64_t seed);
  // `settings` as StepKind says for these two kinds.
  StepId PlacesOfWords(StepId text, std::vector<int64_t> settings, std::vector<std::string> words);
  StepId HashesOfWords(StepId text, std::vector<int64_t> settings);

  // float32 rows of `width` numbers, with a 1 at the place. Other places make zeros.
  StepId OneHot(StepId place, int64_t width);

  // Marks rows for which a truth holds as bad, because the graph rejects them.
  void Reject(StepId truth);
  // Rejects rows of floats that are not all finite.
  void RejectNonFinite(StepId numbers);

  // Declares that the column of an op is the result of a step.
  void Set(const BoundColumn& column, StepId step);
  // Whether the column is written. Columns that depend on the label are not.
  bool Has(const BoundColumn& column) const { return columns_.contains(column.slot); }
  StepId Get(const BoundColumn& column) const;

  // Arithmetic and comparisons with one number, which gets the type of `left`.
  StepId WithNumber(StepKind kind, StepId left, double right) {
    return Apply(kind, left, Number(steps_[left].type, right));
  }

  // Adds a remark for users of the file.
  void Note(std::string note) { notes_.push_back(std::move(note)); }
  void AddUnwritten(UnwrittenOp op) { unwritten_.push_back(std::move(op)); }

  // Declares the columns that the model takes, in order, and drops the steps that no result needs.
  void Finish(const std::vector<BoundColumn>& model_inputs);

  const std::vector<Step>& steps() const { return steps_; }
  const Step& step(StepId id) const { return steps_[id]; }
  const std::vector<GivenColumn>& given() const { return given_; }
  // The truths that reject rows.
  const std::vector<StepId>& rejects() const { return rejects_; }
  const std::vector<std::string>& notes() const { return notes_; }
  const std::vector<UnwrittenOp>& unwritten() const { return unwritten_; }
  // The columns that the model takes, by name, once finished.
  const std::map<std::string, StepId>& model_inputs() const { return model_inputs_; }

 private:
  StepId Add(Step step);
  void NameEventTime();
  std::vector<StepId> Renumber(const std::vector<bool>& used);

  int op_index_ = 0;
  std::string prefix_;  // The names of constants begin with it.
  std::vector<Step> steps_;
  std::vector<GivenColumn> given_;
  std::map<int, StepId> columns_;  // By slot.
  std::vector<StepId> rejects_;
  std::vector<std::string> notes_;
  std::vector<UnwrittenOp> unwritten_;
  std::map<std::string, StepId> model_inputs_;
};

}  // namespace tidemill::transform
