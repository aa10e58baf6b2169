#include "plugin/host/kinds/kinds.h"

#include "plugin/host/kinds/format.h"
#include "plugin/host/kinds/measure.h"
#include "plugin/host/kinds/op.h"
#include "plugin/host/kinds/score.h"
#include "plugin/host/kinds/selection.h"
#include "plugin/host/kinds/trigger.h"

namespace tidemill::plugin::host {

const KindEntry* FindKind(std::string_view name) {
  static constexpr KindEntry kKinds[] = {
      {"trigger", &CheckTrigger, &MakeTrigger},
      {"measure", &CheckMeasure, &MakeMeasure},
      {"op", &CheckOp, &MakeOp},
      {"score", &CheckScore, &MakeScore},
      {"selection", &CheckSelection, &MakeSelection},
      {"format", &CheckFormat, &MakeFormat},
  };
  for (const KindEntry& kind : kKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace tidemill::plugin::host
