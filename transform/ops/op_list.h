// Lists every op. To add one, write two lines here; see transform/engine/graph_op.h.
#pragma once

#include "config/spec_list.h"
#include "transform/ops/audio/decode_wav.h"
#include "transform/ops/audio/mel_spectrogram.h"
#include "transform/ops/categories/hash_buckets.h"
#include "transform/ops/categories/hash_cross.h"
#include "transform/ops/categories/one_hot.h"
#include "transform/ops/delay.h"
#include "transform/ops/images/colour_jitter.h"
#include "transform/ops/images/crop.h"
#include "transform/ops/images/decode_image.h"
#include "transform/ops/images/flip.h"
#include "transform/ops/images/random_crop.h"
#include "transform/ops/images/random_erasing.h"
#include "transform/ops/images/random_flip.h"
#include "transform/ops/images/resize.h"
#include "transform/ops/label.h"
#include "transform/ops/numbers/cast.h"
#include "transform/ops/numbers/clip.h"
#include "transform/ops/numbers/compute.h"
#include "transform/ops/numbers/fill_missing.h"
#include "transform/ops/numbers/filter.h"
#include "transform/ops/numbers/log1p.h"
#include "transform/ops/numbers/normalize.h"
#include "transform/ops/numbers/quantile_bins.h"
#include "transform/ops/numbers/standardize.h"
#include "transform/ops/numbers/time_features.h"
#include "transform/ops/pad.h"
#include "transform/ops/plugin_op.h"
#include "transform/ops/records/parse_csv.h"
#include "transform/ops/records/parse_example.h"
#include "transform/ops/records/parse_json.h"
#include "transform/ops/records/parse_record.h"
#include "transform/ops/reshape.h"
#include "transform/ops/stack.h"
#include "transform/ops/tables/lookup.h"
#include "transform/ops/texts/hash_tokens.h"
#include "transform/ops/texts/vocabulary.h"
#include "transform/ops/texts/word_pieces.h"
#include "transform/ops/torchscript.h"

namespace tidemill::transform {

// In the order of the reference.
using Ops = config::SpecList<ParseCsvSpec,      //
                             ParseRecordSpec,   //
                             ParseJsonSpec,     //
                             ParseExampleSpec,  //
                             DecodeImageSpec,   //
                             DecodeWavSpec,     //
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
                             WordPiecesSpec,      //
                             ResizeSpec,          //
                             CropSpec,            //
                             FlipSpec,            //
                             RandomCropSpec,      //
                             RandomFlipSpec,      //
                             ColourJitterSpec,    //
                             RandomErasingSpec,   //
                             MelSpectrogramSpec,  //
                             PadSpec,             //
                             CastSpec,            //
                             ReshapeSpec,         //
                             StackSpec,           //
                             TorchScriptSpec,     //
                             PluginOpSpec,        //
                             DelaySpec,           //
                             LabelSpec>;

}  // namespace tidemill::transform
