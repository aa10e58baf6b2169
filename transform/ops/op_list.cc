#include "transform/ops/op_list.h"

#include "config/config.h"
#include "config/spec_list.h"
#include "transform/engine/graph_op.h"

namespace tidemill::transform {

std::span<const config::Alternative<GraphOp>> GraphOp::Alternatives() {
  return config::Alternatives<GraphOp, GraphOpOf>(Ops());
}

}  // namespace tidemill::transform
