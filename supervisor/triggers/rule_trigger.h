// Computes the verdict of a rule again from recorded observations. The source of a rule includes
// it, because trigger.h only declares verdicts, which are slow to compile.
#pragma once

#include "supervisor/triggers/trigger.h"
#include "supervisor/triggers/verdict.h"

namespace tidemill::supervisor {

template <typename Spec>
Verdict RuleTrigger<Spec>::Replay(const Verdict& recorded) const {
  return Judge(this->spec_, recorded.observed());
}

}  // namespace tidemill::supervisor
