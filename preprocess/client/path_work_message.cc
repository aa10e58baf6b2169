#include "preprocess/client/path_work_message.h"

namespace tidemill::preprocess {

rpc::v1::SharedWork ToMessage(const loader::SharedWork& shared) {
  rpc::v1::SharedWork message;
  message.set_made(shared.made);
  message.set_taken(shared.taken);
  message.set_again(shared.again);
  message.set_failed(shared.failed);
  message.set_wait_nanos(shared.wait_ns);
  return message;
}

loader::SharedWork FromMessage(const rpc::v1::SharedWork& message) {
  return {.made = message.made(),
          .taken = message.taken(),
          .again = message.again(),
          .failed = message.failed(),
          .wait_ns = message.wait_nanos()};
}

rpc::v1::PathWork ToMessage(const loader::PathWork& work) {
  rpc::v1::PathWork message;
  message.set_batches(work.batches);
  message.set_rows(work.rows);
  message.set_bytes(work.bytes);
  message.set_busy_nanos(work.busy_ns);
  message.set_cpu_nanos(work.cpu_ns);
  message.set_queue_nanos(work.queue_ns);
  message.set_read_nanos(work.read_ns);
  message.set_found(work.found);
  message.set_find_nanos(work.find_ns);
  message.set_capacity_nanos(work.capacity_ns);
  message.set_link_busy_nanos(work.link_busy_ns);
  message.set_link_nanos(work.link_ns);
  message.set_processors_nanos(work.processors_ns);
  message.set_processors_busy_nanos(work.processors_busy_ns);
  message.set_process_nanos(work.process_ns);
  if (work.shared != loader::SharedWork()) *message.mutable_shared() = ToMessage(work.shared);
  for (const transform::OpStatistics& op : work.ops) {
    rpc::v1::OpWork* const added = message.add_ops();
    added->set_type(op.type);
    added->set_runs(op.work.runs);
    added->set_rows(op.work.rows);
    added->set_rejected(op.work.rejected);
    added->set_unknown(op.work.unknown);
    added->set_bytes(op.work.bytes);
    added->set_cpu_nanos(op.work.cpu_ns);
    added->set_wall_nanos(op.work.wall_ns);
  }
  return message;
}

loader::PathWork FromMessage(const rpc::v1::PathWork& message) {
  loader::PathWork work = {.batches = message.batches(),
                           .rows = message.rows(),
                           .bytes = message.bytes(),
                           .busy_ns = message.busy_nanos(),
                           .cpu_ns = message.cpu_nanos(),
                           .queue_ns = message.queue_nanos(),
                           .read_ns = message.read_nanos(),
                           .found = message.found(),
                           .find_ns = message.find_nanos(),
                           .capacity_ns = message.capacity_nanos(),
                           .link_busy_ns = message.link_busy_nanos(),
                           .link_ns = message.link_nanos(),
                           .processors_ns = message.processors_nanos(),
                           .processors_busy_ns = message.processors_busy_nanos(),
                           .process_ns = message.process_nanos(),
                           .shared = FromMessage(message.shared())};
  for (const rpc::v1::OpWork& op : message.ops()) {
    work.ops.push_back({.type = op.type(),
                        .work = {.runs = op.runs(),
                                 .rows = op.rows(),
                                 .rejected = op.rejected(),
                                 .bytes = op.bytes(),
                                 .cpu_ns = op.cpu_nanos(),
                                 .wall_ns = op.wall_nanos(),
                                 .unknown = op.unknown()}});
  }
  return work;
}

rpc::v1::PredictedGain ToMessage(const loader::PredictedGain& gain) {
  rpc::v1::PredictedGain message;
  message.set_change(gain.change);
  message.set_factor(gain.factor);
  return message;
}

}  // namespace tidemill::preprocess
