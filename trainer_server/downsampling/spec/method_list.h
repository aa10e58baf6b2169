// Lists every downsampling method. To add one, write two lines here and its files; see
// method_spec.h.
#pragma once

#include "config/spec_list.h"
#include "trainer_server/downsampling/spec/by_score.h"
#include "trainer_server/downsampling/spec/craig.h"
#include "trainer_server/downsampling/spec/grad_match.h"
#include "trainer_server/downsampling/spec/info_batch.h"
#include "trainer_server/downsampling/spec/none.h"
#include "trainer_server/downsampling/spec/plugin_score.h"
#include "trainer_server/downsampling/spec/rho_loss.h"
#include "trainer_server/downsampling/spec/rs2.h"
#include "trainer_server/downsampling/spec/schedule.h"
#include "trainer_server/downsampling/spec/submodular.h"
#include "trainer_server/downsampling/spec/uniform.h"

namespace tidemill::trainer_server {

// In the order of the reference. The first one is the default of a pipeline.
// clang-format off
using Methods = config::SpecList<
    NoDownsampling,
    UniformSubset,
    Rs2,
    LossSampling,
    GradientNormSampling,
    LeastConfidence,
    Margin,
    Entropy,
    El2n,
    Craig,
    GradMatch,
    SubmodularGradients,
    RhoLoss,
    InfoBatch,
    PluginScore,
    DownsamplingSchedule>;
// clang-format on

}  // namespace tidemill::trainer_server
