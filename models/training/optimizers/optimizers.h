// Lists every optimiser, in the order of the reference. To add one, write two lines here: its
// include and its name.
#pragma once

#include "config/spec_list.h"
#include "models/training/optimizers/adagrad.h"
#include "models/training/optimizers/adam.h"
#include "models/training/optimizers/adamw.h"
#include "models/training/optimizers/lamb.h"
#include "models/training/optimizers/lion.h"
#include "models/training/optimizers/nadam.h"
#include "models/training/optimizers/rmsprop.h"
#include "models/training/optimizers/sgd.h"

namespace tidemill::models {

using Optimizers = config::SpecList<Sgd, Adam, AdamW, Adagrad, RmsProp, NAdam, Lamb, Lion>;

}  // namespace tidemill::models
