#include "plugin/host/kind.h"
#include "plugin/host/measure.h"
#include "plugin/host/op.h"
#include "plugin/host/score.h"
#include "plugin/host/selection.h"
#include "plugin/host/trigger.h"

namespace tidemill::plugin::host {

const KindEntry* FindKind(std::string_view name) {
  static constexpr KindEntry kKinds[] = {
      {"trigger", &CheckTrigger, &MakeTrigger},
      {"measure", &CheckMeasure, &MakeMeasure},
      {"op", &CheckOp, &MakeOp},
      {"score", &CheckScore, &MakeScore},
      {"selection", &CheckSelection, &MakeSelection},
  };
  for (const KindEntry& kind : kKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace tidemill::plugin::host
