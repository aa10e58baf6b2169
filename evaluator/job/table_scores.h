// The values of a table of outcomes: of the whole and of its slices, each with its interval.
#pragma once

#include <string>
#include <vector>

#include "evaluator/client/evaluation_spec.h"
#include "evaluator/job/outcome_table.h"
#include "evaluator/job/slice_columns.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator {

// What the tables of one window have in common.
struct TableContext {
  const EvaluationSpec& spec;
  const std::vector<std::string>& class_names;
  const SliceColumns& columns;
};

// Completes `scores`, which holds one for each measure of the spec, in order: values of measures of
// ranks, all intervals, and then a score for each slice and measure that has a value. A slice is
// one of the 50 most frequent values; the others are `other`. `table` is sealed; where it holds but
// some of the samples, intervals are scaled to the number of all.
void ScoreTable(const OutcomeTable& table, const TableContext& context,
                google::protobuf::RepeatedPtrField<v1::Score>& scores);

}  // namespace tidemill::evaluator
