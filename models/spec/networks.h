// Lists every network, in the order of the reference. To add one, write two lines here: its include
// and its name.
#pragma once

#include "config/spec_list.h"
#include "models/spec/convnet.h"
#include "models/spec/densenet121.h"
#include "models/spec/dlrm.h"
#include "models/spec/embedding_bag.h"
#include "models/spec/factorization_machine.h"
#include "models/spec/gru.h"
#include "models/spec/logistic.h"
#include "models/spec/mlp.h"
#include "models/spec/program_model.h"
#include "models/spec/resnet18.h"
#include "models/spec/resnet50.h"
#include "models/spec/tcn.h"
#include "models/spec/text_transformer.h"
#include "models/spec/torchscript.h"

namespace tidemill::models {

using Networks = config::SpecList<Mlp, Convnet, Logistic, Resnet18, Resnet50, Densenet121,
                                  EmbeddingBag, TextTransformer, Dlrm, FactorizationMachine, Gru,
                                  Tcn, TorchScript, ProgramModel>;

}  // namespace tidemill::models
