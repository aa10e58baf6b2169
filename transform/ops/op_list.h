// Lists every op. To add one, write two lines here; see graph_op.h.
#pragma once

#include "config/spec_list.h"
#include "transform/ops/cast.h"
#include "transform/ops/clip.h"
#include "transform/ops/colour_jitter.h"
#include "transform/ops/compute.h"
#include "transform/ops/crop.h"
#include "transform/ops/decode_image.h"
#include "transform/ops/delay.h"
#include "transform/ops/fill_missing.h"
#include "transform/ops/filter.h"
#include "transform/ops/flip.h"
#include "transform/ops/hash_buckets.h"
#include "transform/ops/hash_cross.h"
#include "transform/ops/hash_tokens.h"
#include "transform/ops/label.h"
#include "transform/ops/log1p.h"
#include "transform/ops/lookup.h"
#include "transform/ops/normalize.h"
#include "transform/ops/one_hot.h"
#include "transform/ops/pad.h"
#include "transform/ops/parse_csv.h"
#include "transform/ops/parse_example.h"
#include "transform/ops/parse_json.h"
#include "transform/ops/parse_record.h"
#include "transform/ops/plugin_op.h"
#include "transform/ops/quantile_bins.h"
#include "transform/ops/random_crop.h"
#include "transform/ops/random_erasing.h"
#include "transform/ops/random_flip.h"
#include "transform/ops/reshape.h"
#include "transform/ops/resize.h"
#include "transform/ops/stack.h"
#include "transform/ops/standardize.h"
#include "transform/ops/time_features.h"
#include "transform/ops/torchscript.h"
#include "transform/ops/vocabulary.h"
#include "transform/ops/word_pieces.h"

namespace tidemill::transform {

// In the order of the reference.
using Ops = config::SpecList<ParseCsvSpec,      //
                             ParseRecordSpec,   //
                             ParseJsonSpec,     //
                             ParseExampleSpec,  //
                             DecodeImageSpec,   //
                             TimeFeaturesSpec,  //
                             ComputeSpec,       //
                             FilterSpec,        //
                             LookupSpec,        //
                             FillMissingSpec,   //
                             ClipSpec,          //
                             Log1pSpec,         //
                             NormalizeSpec,     //
                             StandardizeSpec,   //
                             QuantileBinsSpec,  //
                             OneHotSpec,        //
                             HashBucketsSpec,   //
                             HashCrossSpec,
                             VocabularySpec,  //
                             HashTokensSpec,
                             WordPiecesSpec,     //
                             ResizeSpec,         //
                             CropSpec,           //
                             FlipSpec,           //
                             RandomCropSpec,     //
                             RandomFlipSpec,     //
                             ColourJitterSpec,   //
                             RandomErasingSpec,  //
                             PadSpec,            //
                             CastSpec,           //
                             ReshapeSpec,        //
                             StackSpec,          //
                             TorchScriptSpec,    //
                             PluginOpSpec,       //
                             DelaySpec,          //
                             LabelSpec>;

}  // namespace tidemill::transform
