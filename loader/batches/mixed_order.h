// The order in which an epoch visits the samples of several sources.
#pragma once

#include <cstdint>
#include <memory>

#include "base/numbers/random.h"
#include "loader/sample_sources.h"
#include "models/training/orders/epoch_order.h"

namespace tidemill::loader {

// An epoch of `size` positions, divided into batches of `batch_size`. Every batch has samples of
// all sources.
//
// stratified: a source has its share of each batch, rounded up or down so that the mean over
// batches is the share itself. This is systematic sampling with an offset that is drawn for each
// batch (Madow, "On the theory of systematic sampling, II", 1949). Every batch has exactly a share
// that is a whole number of samples. A source's samples are spread evenly over the batch, so that
// its slices are mixed as well.
//
// random: the source of each position is drawn, with the weights as probabilities.
//
// A source gives its samples in a random order and, when all were given, in another one. Each epoch
// starts again. When a source has more samples than its share of an epoch, each epoch draws others.
// Holds the ordinals of one or two epochs.
std::unique_ptr<models::EpochOrder> MakeMixedOrder(std::shared_ptr<const SampleSources> sources,
                                                   const RandomKey& key, int64_t batch_size,
                                                   int64_t size);

}  // namespace tidemill::loader
