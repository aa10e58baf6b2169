#include "transform/ops/graph_op.h"

#include "config/config.h"
#include "config/spec_list.h"
#include "transform/ops/op_list.h"

namespace tidemill::transform {

std::span<const config::Alternative<GraphOp>> GraphOp::Alternatives() {
  return config::Alternatives<GraphOp, GraphOpOf>(Ops());
}

}  // namespace tidemill::transform
