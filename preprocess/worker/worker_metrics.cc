#include "preprocess/worker/worker_metrics.h"

#include <string>

namespace tidemill::preprocess {
namespace {

double Seconds(int64_t nanos) { return static_cast<double>(nanos) / 1e9; }

// What is 0 makes no series.
void Add(metrics::Counter& counter, double more, const std::string& series = "") {
  if (more > 0) counter.Add(more, series);
}

}  // namespace

WorkerMetrics::WorkerMetrics(metrics::Registry& registry)
    : batches_(registry.AddCounter({"preprocess_made", "batches", "Batches that were made."})),
      rows_(registry.AddCounter({"preprocess_made", "rows", "Rows of these batches."})),
      bytes_(registry.AddCounter({"preprocess_made", "bytes", "Bytes of these batches."})),
      busy_(registry.AddCounter(
          {"preprocess_making", "seconds",
           "Time of threads from the beginning to the end of making batches."})),
      cpu_(registry.AddCounter(
          {"preprocess_making_cpu", "seconds", "Part of that time on a processor."})),
      queued_(registry.AddCounter({"preprocess_making_queued", "seconds",
                                   "Part of that time ready to run, but without a processor."})),
      read_(registry.AddCounter(
          {"preprocess_making_read", "seconds", "Part of that time waiting for storage."})),
      link_busy_(registry.AddCounter(
          {"preprocess_link_busy", "seconds", "Time in which batches waited for a busy link."})),
      op_rows_(registry.AddCounter({"preprocess_op", "rows", "Rows that came into an op.", "op"})),
      op_rejected_(registry.AddCounter(
          {"preprocess_op_rejected", "rows", "Rows that an op could not process.", "op"})),
      op_bytes_(registry.AddCounter({"preprocess_op", "bytes", "Bytes that an op made.", "op"})),
      op_cpu_(registry.AddCounter(
          {"preprocess_op_cpu", "seconds", "Time of an op on a processor.", "op"})),
      op_wall_(registry.AddCounter(
          {"preprocess_op", "seconds", "Time of an op from its beginning to its end.", "op"})) {}

void WorkerMetrics::Note(int64_t job_id, const loader::PathWork& work) {
  loader::PathWork& before = noted_[job_id];
  if (work.batches < before.batches) before = {};  // It was opened again.
  Add(batches_, static_cast<double>(work.batches - before.batches));
  Add(rows_, static_cast<double>(work.rows - before.rows));
  Add(bytes_, static_cast<double>(work.bytes - before.bytes));
  Add(busy_, Seconds(work.busy_ns - before.busy_ns));
  Add(cpu_, Seconds(work.cpu_ns - before.cpu_ns));
  Add(queued_, Seconds(work.queue_ns - before.queue_ns));
  Add(read_, Seconds(work.read_ns - before.read_ns));
  Add(link_busy_, Seconds(work.link_busy_ns - before.link_busy_ns));
  before.ops.resize(work.ops.size());
  for (size_t i = 0; i < work.ops.size(); ++i) {
    const std::string& op = work.ops[i].type;
    const transform::OpWork& now = work.ops[i].work;
    const transform::OpWork& then = before.ops[i].work;
    Add(op_rows_, static_cast<double>(now.rows - then.rows), op);
    Add(op_rejected_, static_cast<double>(now.rejected - then.rejected), op);
    Add(op_bytes_, static_cast<double>(now.bytes - then.bytes), op);
    Add(op_cpu_, Seconds(now.cpu_ns - then.cpu_ns), op);
    Add(op_wall_, Seconds(now.wall_ns - then.wall_ns), op);
  }
  before = work;
}

}  // namespace tidemill::preprocess
