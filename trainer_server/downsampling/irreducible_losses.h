// The losses of samples under models that were trained on other samples.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "trainer_server/downsampling/choice.h"
#include "trainer_server/downsampling/downsampled_source.h"

namespace tidemill::trainer_server {

// Returns, for each ordinal, the loss of a model that did not see the sample. Without `twin`, one
// model is trained on the share `holdout` of the samples; the order of their hashes decides which
// samples, so that their number is exact. With `twin`, two models are trained, each on one half,
// and each gives the losses of the other half. NaN for the samples of the holdout, and for those
// that cannot be read.
//
// Trains these models here, each from a fresh initialisation. They are trained like `training`,
// except for the number of epochs. Writes the losses to `path` at the end; later calls read them. A
// model whose training is interrupted starts again. The state of torch's generator is undefined
// afterwards, so call it before the training's own loop is made. A set of fewer than two samples
// has losses of zero.
absl::StatusOr<StoredNumbers> FindIrreducibleLosses(const models::AuxiliaryModel& auxiliary,
                                                    const TrainingSetup& training,
                                                    const DownsamplingSetup& downsampling,
                                                    const std::string& path);

}  // namespace tidemill::trainer_server
