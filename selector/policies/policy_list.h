// Lists every selection policy. To add one, write two lines here and its files; see policy.h.
#pragma once

#include "config/spec_list.h"
#include "selector/policies/all_data.h"
#include "selector/policies/balanced.h"
#include "selector/policies/embedded/deduplicated.h"
#include "selector/policies/embedded/facility_location.h"
#include "selector/policies/embedded/k_center.h"
#include "selector/policies/embedded/k_medoids.h"
#include "selector/policies/embedded/pairwise.h"
#include "selector/policies/freshness.h"
#include "selector/policies/importance.h"
#include "selector/policies/new_data.h"
#include "selector/policies/plugin/plugin_selection.h"
#include "selector/policies/reservoir.h"
#include "selector/policies/schedule.h"
#include "selector/policies/uniform.h"

namespace tidemill::selector {

// In the order of the reference. The first one is the default of a pipeline.
// clang-format off
using Policies = config::SpecList<
    NewData,
    AllData,
    Uniform,
    Balanced,
    Freshness,
    Reservoir,
    Importance,
    KCenter,
    FacilityLocation,
    KMedoids,
    Pairwise,
    Deduplicated,
    SelectionSchedule,
    PluginSelection>;
// clang-format on

}  // namespace tidemill::selector
