// A preprocessing graph as users write it. This list of alternatives is the registry of ops: an op
// is one header and one source file in ops/, and one line here.
//
//   graph:
//     - parse_csv: {columns: [temperature, wind], dtype: float32}
//     - standardize: {columns: all}
//     - stack: {columns: all, into: input}
//     - label: {into: target}
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/config_types.h"
#include "transform/ops/cast.h"
#include "transform/ops/decode_image.h"
#include "transform/ops/hash_buckets.h"
#include "transform/ops/label.h"
#include "transform/ops/normalize.h"
#include "transform/ops/one_hot.h"
#include "transform/ops/parse_csv.h"
#include "transform/ops/parse_record.h"
#include "transform/ops/reshape.h"
#include "transform/ops/stack.h"
#include "transform/ops/standardize.h"

namespace tidemill::transform {

using OpSpec = std::variant<ParseCsvSpec,     //
                            ParseRecordSpec,  //
                            DecodeImageSpec,  //
                            NormalizeSpec,    //
                            StandardizeSpec,  //
                            OneHotSpec,       //
                            HashBucketsSpec,  //
                            CastSpec,         //
                            ReshapeSpec,      //
                            StackSpec,        //
                            LabelSpec>;

using GraphSpec = std::vector<config::Keyed<OpSpec>>;

// The section `preprocess` of a pipeline.
struct PreprocessSpec {
  static constexpr std::string_view kDoc =
      "How samples become the tensors that the model takes: ops in order, each making columns out "
      "of those before it. The graph ends with a column `input` of float32 and, for training, a "
      "column `target`.";
  std::string dataset;
  GraphSpec graph;

  void Fields(auto&& field) {
    field("dataset", dataset, "Name of the dataset to train on.",
          config::Limits{.required = true, .example = "elec2"});
    field("graph", graph, "The ops, in order.", config::Limits{.required = true, .min_items = 1});
  }

  friend bool operator==(const PreprocessSpec&, const PreprocessSpec&) = default;
};

}  // namespace tidemill::transform
