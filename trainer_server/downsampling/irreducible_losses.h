// The losses of models that were trained on other samples.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "trainer_server/downsampling/choice.h"
#include "trainer_server/downsampling/downsampled_source.h"

namespace tidemill::trainer_server {

// By ordinal, the loss of a model that did not see the sample: one trained on the share `holdout`
// of the samples, an exact number by the order of their hashes, or with `twin` two, each trained on
// one half and asked about the other. NaN for the holdout and for what cannot be read.
//
// Trains those models here, from a fresh initialisation and like `training` but for the epochs, and
// writes the losses to `path` when done; from then on they are read. A model whose training is
// interrupted begins anew. Leaves torch's generator anywhere: call it before the training's own
// loop is made. A set of fewer than two samples has losses of zero.
absl::StatusOr<StoredNumbers> FindIrreducibleLosses(const models::AuxiliaryModel& auxiliary,
                                                    const TrainingSetup& training,
                                                    const DownsamplingSetup& downsampling,
                                                    const std::string& path);

}  // namespace tidemill::trainer_server
