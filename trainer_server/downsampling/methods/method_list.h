// Lists every downsampling method. To add one, write two lines here and its files; see
// method_spec.h.
#pragma once

#include "config/spec_list.h"
#include "trainer_server/downsampling/methods/craig.h"
#include "trainer_server/downsampling/methods/el2n.h"
#include "trainer_server/downsampling/methods/entropy.h"
#include "trainer_server/downsampling/methods/grad_match.h"
#include "trainer_server/downsampling/methods/gradient_norm.h"
#include "trainer_server/downsampling/methods/info_batch.h"
#include "trainer_server/downsampling/methods/least_confidence.h"
#include "trainer_server/downsampling/methods/loss.h"
#include "trainer_server/downsampling/methods/margin.h"
#include "trainer_server/downsampling/methods/none.h"
#include "trainer_server/downsampling/methods/plugin_score.h"
#include "trainer_server/downsampling/methods/rho_loss.h"
#include "trainer_server/downsampling/methods/rs2.h"
#include "trainer_server/downsampling/methods/schedule.h"
#include "trainer_server/downsampling/methods/submodular.h"
#include "trainer_server/downsampling/methods/uniform.h"

namespace tidemill::trainer_server {

// In the order of the reference; the first is what a pipeline has that names none.
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
