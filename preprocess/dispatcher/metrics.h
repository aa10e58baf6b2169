// The metrics of the dispatcher.
#pragma once

#include "base/metrics.h"

namespace tidemill::preprocess {

struct DispatcherMetrics {
  explicit DispatcherMetrics(metrics::Registry& registry)
      : splits_issued(
            registry.AddCounter({"preprocess_issued", "splits",
                                 "Splits leased to workers, again or for the first time."})),
        splits_reissued(registry.AddCounter(
            {"preprocess_reissued", "splits", "Splits leased that had been leased before."})),
        leases_lost(
            registry.AddCounter({"preprocess_given_up", "splits",
                                 "Leases given up because the worker or its connection was."})),
        workers_lost(registry.AddCounter(
            {"preprocess_lost", "workers", "Workers that were silent for too long."})),
        jobs_collected(registry.AddCounter(
            {"preprocess_collected", "jobs", "Jobs ended because no consumer reported."})),
        failed_writes(
            registry.AddCounter({"preprocess_failed_writes", "",
                                 "Transactions that failed; what they held was taken back."})),
        workers(registry.AddGauge(
            {"preprocess_registered", "workers", "Workers, by their state.", "state"})),
        jobs(registry.AddGauge({"preprocess_open", "jobs", "Jobs there are."})),
        recovered_rows(registry.AddGauge({"preprocess_recovered", "rows",
                                          "Rows that the last start read: what was in flight."})),
        write_seconds(
            registry.AddHistogram({"preprocess_write", "seconds",
                                   "Time of one transaction, with the leases of all that wait."},
                                  metrics::kSeconds)) {}

  metrics::Counter& splits_issued;
  metrics::Counter& splits_reissued;
  metrics::Counter& leases_lost;
  metrics::Counter& workers_lost;
  metrics::Counter& jobs_collected;
  metrics::Counter& failed_writes;
  metrics::Gauge& workers;
  metrics::Gauge& jobs;
  metrics::Gauge& recovered_rows;
  metrics::Histogram& write_seconds;
};

}  // namespace tidemill::preprocess
