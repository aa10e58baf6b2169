#include "supervisor/pipeline/pipeline_spec.h"

TIDEMILL_CONFIG_TYPE(tidemill::supervisor::PipelineSpec);
