// In which order an epoch visits the samples of several sources.
#pragma once

#include <cstdint>
#include <memory>

#include "base/random.h"
#include "loader/sample_sources.h"
#include "models/training/orders/epoch_order.h"

namespace tidemill::loader {

// An epoch of `size` positions, cut into batches of `batch_size`, each with samples of all sources.
//
// stratified: of each batch, a source has its share, rounded up or down such that the mean over
// batches is the share itself: systematic sampling with an offset that is drawn for each batch
// (Madow, "On the theory of systematic sampling, II", 1949). A share that is a whole number of
// samples is met by every batch. A source's samples are spread evenly over its batch, so that
// slices of the batch are mixed as well.
//
// random: the source of each position is drawn, with the weights as probabilities.
//
// A source gives its samples in a random order, and, when all were given, in another. Each epoch
// begins anew: of a source that has more samples than its share of an epoch, each epoch draws
// others. Holds the ordinals of an epoch, or of two.
std::unique_ptr<models::EpochOrder> MakeMixedOrder(std::shared_ptr<const SampleSources> sources,
                                                   const RandomKey& key, int64_t batch_size,
                                                   int64_t size);

}  // namespace tidemill::loader
