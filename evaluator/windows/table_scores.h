// Computes the values of a table of outcomes: for the whole and for its slices, each with its
// interval.
#pragma once

#include <string>
#include <vector>

#include "evaluator/client/evaluation_spec.h"
#include "evaluator/outcomes/outcome_table.h"
#include "evaluator/windows/slice_columns.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator {

// The context that the tables of one window share.
struct TableContext {
  const EvaluationSpec& spec;
  const std::vector<std::string>& class_names;
  const SliceColumns& columns;
};

// Completes `scores`, which holds one score for each measure of the spec, in order. Fills in the
// values of measures of ranks, and all intervals. Then adds a score for each slice and measure that
// has a value. The 50 most frequent values have a slice each; the others are in `other`. `table`
// must be sealed. When it holds only a part of the samples, intervals are scaled to the number of
// all samples.
void ScoreTable(const OutcomeTable& table, const TableContext& context,
                google::protobuf::RepeatedPtrField<v1::Evaluation>& scores);

}  // namespace tidemill::evaluator
