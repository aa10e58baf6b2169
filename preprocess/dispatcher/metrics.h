// The metrics of the dispatcher.
#pragma once

#include "base/metrics.h"

namespace tidemill::preprocess {

struct DispatcherMetrics {
  explicit DispatcherMetrics(metrics::Registry& registry)
      : splits_issued(registry.AddCounter(
            {"preprocess_issued", "splits",
             "Splits that were leased to workers, for the first time or again."})),
        splits_reissued(registry.AddCounter(
            {"preprocess_reissued", "splits", "Splits that were leased again."})),
        leases_lost(registry.AddCounter(
            {"preprocess_given_up", "splits",
             "Leases that were given up because the worker or its connection was lost."})),
        workers_lost(registry.AddCounter(
            {"preprocess_lost", "workers", "Workers that were silent for too long."})),
        workers_distrusted(registry.AddCounter(
            {"preprocess_distrusted", "workers",
             "Workers that were given up because they did not send what they had leased, or sent "
             "what was not asked for."})),
        jobs_collected(registry.AddCounter({"preprocess_collected", "jobs",
                                            "Jobs that were ended because no consumer reported."})),
        failed_writes(
            registry.AddCounter({"preprocess_failed_writes", "",
                                 "Transactions that failed. Their changes were taken back."})),
        workers(registry.AddGauge(
            {"preprocess_registered", "workers", "Workers, by their state.", "state"})),
        jobs(registry.AddGauge({"preprocess_open", "jobs", "Number of jobs."})),
        recovered_rows(registry.AddGauge({"preprocess_recovered", "rows",
                                          "Rows that the last start read. They were in flight."})),
        write_seconds(registry.AddHistogram(
            {"preprocess_write", "seconds",
             "Time of one transaction with the leases of all waiting workers."},
            metrics::kSeconds)) {}

  metrics::Counter& splits_issued;
  metrics::Counter& splits_reissued;
  metrics::Counter& leases_lost;
  metrics::Counter& workers_lost;
  metrics::Counter& workers_distrusted;
  metrics::Counter& jobs_collected;
  metrics::Counter& failed_writes;
  metrics::Gauge& workers;
  metrics::Gauge& jobs;
  metrics::Gauge& recovered_rows;
  metrics::Histogram& write_seconds;
};

}  // namespace tidemill::preprocess
