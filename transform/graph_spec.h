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

#include "config/describe.h"
#include "config/types.h"
#include "transform/ops/cast.h"
#include "transform/ops/clip.h"
#include "transform/ops/crop.h"
#include "transform/ops/decode_image.h"
#include "transform/ops/delay.h"
#include "transform/ops/fill_missing.h"
#include "transform/ops/flip.h"
#include "transform/ops/hash_buckets.h"
#include "transform/ops/hash_tokens.h"
#include "transform/ops/label.h"
#include "transform/ops/log1p.h"
#include "transform/ops/normalize.h"
#include "transform/ops/one_hot.h"
#include "transform/ops/pad.h"
#include "transform/ops/parse_csv.h"
#include "transform/ops/parse_example.h"
#include "transform/ops/parse_json.h"
#include "transform/ops/parse_record.h"
#include "transform/ops/quantile_bins.h"
#include "transform/ops/random_crop.h"
#include "transform/ops/random_flip.h"
#include "transform/ops/reshape.h"
#include "transform/ops/resize.h"
#include "transform/ops/stack.h"
#include "transform/ops/standardize.h"
#include "transform/ops/time_features.h"
#include "transform/ops/torchscript.h"
#include "transform/ops/vocabulary.h"

namespace tidemill::transform {

using OpSpec = std::variant<ParseCsvSpec,      //
                            ParseRecordSpec,   //
                            ParseJsonSpec,     //
                            ParseExampleSpec,  //
                            DecodeImageSpec,   //
                            TimeFeaturesSpec,  //
                            FillMissingSpec,   //
                            ClipSpec,          //
                            Log1pSpec,         //
                            NormalizeSpec,     //
                            StandardizeSpec,   //
                            QuantileBinsSpec,  //
                            OneHotSpec,        //
                            HashBucketsSpec,   //
                            VocabularySpec,    //
                            HashTokensSpec,    //
                            ResizeSpec,        //
                            CropSpec,          //
                            FlipSpec,          //
                            RandomCropSpec,    //
                            RandomFlipSpec,    //
                            PadSpec,           //
                            CastSpec,          //
                            ReshapeSpec,       //
                            StackSpec,         //
                            TorchScriptSpec,   //
                            DelaySpec,         //
                            LabelSpec>;

using GraphSpec = std::vector<config::Keyed<OpSpec>>;

// The section `preprocess` of a pipeline.
struct PreprocessSpec {
  static constexpr std::string_view kDoc =
      "How samples become the tensors that the model takes: ops in order, each making columns out "
      "of those before it. The graph ends with a column `input` of float32 or int64, further "
      "columns `input_...` where the model takes several, and, for training, a column `target`.";
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

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::transform::GraphSpec);
