#include "models/spec/model_spec.h"

TIDEMILL_CONFIG_TYPE(tidemill::models::ModelSpec);
