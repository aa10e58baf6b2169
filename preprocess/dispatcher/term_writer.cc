#include "preprocess/dispatcher/term_writer.h"

#include <chrono>
#include <future>
#include <utility>

#include "base/failpoints.h"

namespace tidemill::preprocess {

absl::Status TermWriter::BeginTerm(const std::function<absl::Status(pqxx::work&)>& body) {
  return database_.Transact([&](pqxx::work& work) {
    term_ = IssueTable(work).BeginTerm();
    return body(work);
  });
}

absl::Status TermWriter::Run(const std::function<absl::Status()>& body) {
  std::promise<absl::Status> result;
  thread_.Submit([&] { result.set_value(body()); });
  return result.get_future().get();
}

absl::Status TermWriter::Transact(const std::function<absl::Status(pqxx::work&)>& body) {
  return database_.Transact([&](pqxx::work& work) -> absl::Status {
    RETURN_IF_ERROR(IssueTable(work).CheckTerm(term_));
    return body(work);
  });
}

absl::Status TermWriter::Write(const IssueChanges& changes, bool has_leases) {
  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  absl::Status written = [&]() -> absl::Status {
    if (has_leases) RETURN_IF_FAILPOINT("preprocess.before_lease");
    if (!has_leases) RETURN_IF_FAILPOINT("preprocess.before_progress");
    RETURN_IF_ERROR(database_.Transact(
        [&](pqxx::work& work) { return IssueTable(work).Write(term_, changes); }));
    if (has_leases) RETURN_IF_FAILPOINT("preprocess.after_lease");
    if (!has_leases) RETURN_IF_FAILPOINT("preprocess.after_progress");
    return absl::OkStatus();
  }();
  metrics_.write_seconds.Observe(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  if (!written.ok()) metrics_.failed_writes.Add();
  return written;
}

}  // namespace tidemill::preprocess
