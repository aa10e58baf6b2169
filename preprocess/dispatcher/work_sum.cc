#include "preprocess/dispatcher/work_sum.h"

namespace tidemill::preprocess {
namespace {

void Add(const rpc::v1::OpWork& more, rpc::v1::OpWork& total) {
  total.set_runs(total.runs() + more.runs());
  total.set_rows(total.rows() + more.rows());
  total.set_rejected(total.rejected() + more.rejected());
  total.set_bytes(total.bytes() + more.bytes());
  total.set_cpu_nanos(total.cpu_nanos() + more.cpu_nanos());
  total.set_wall_nanos(total.wall_nanos() + more.wall_nanos());
}

}  // namespace

void Add(const rpc::v1::PathWork& more, rpc::v1::PathWork& total) {
  total.set_batches(total.batches() + more.batches());
  total.set_rows(total.rows() + more.rows());
  total.set_bytes(total.bytes() + more.bytes());
  total.set_busy_nanos(total.busy_nanos() + more.busy_nanos());
  total.set_cpu_nanos(total.cpu_nanos() + more.cpu_nanos());
  total.set_queue_nanos(total.queue_nanos() + more.queue_nanos());
  total.set_read_nanos(total.read_nanos() + more.read_nanos());
  total.set_capacity_nanos(total.capacity_nanos() + more.capacity_nanos());
  total.set_link_busy_nanos(total.link_busy_nanos() + more.link_busy_nanos());
  total.set_link_nanos(total.link_nanos() + more.link_nanos());
  if (total.ops_size() == 0) {
    *total.mutable_ops() = more.ops();
    return;
  }
  for (int i = 0; i < more.ops_size() && i < total.ops_size(); ++i) {
    if (more.ops(i).type() == total.ops(i).type()) Add(more.ops(i), *total.mutable_ops(i));
  }
}

}  // namespace tidemill::preprocess
