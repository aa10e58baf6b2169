// Answers which models pipelines have in use, and changes it for users.
#pragma once

#include <functional>

#include "base/status.h"
#include "db/database.h"
#include "supervisor/model_use/model_use.h"
#include "tidemill/supervisor/v1/model_use.pb.h"

namespace tidemill::supervisor {

// The errors are as in model_use.proto. A change is committed before its answer is given, and a
// repeated request gets the same answer. Thread-safe.
class ModelUses {
 public:
  // `database` must outlive this object.
  explicit ModelUses(db::Database& database) : database_(database) {}

  absl::StatusOr<v1::GetModelInUseResponse> Get(const v1::GetModelInUseRequest& request) const;
  absl::StatusOr<v1::ListModelChangesResponse> List(
      const v1::ListModelChangesRequest& request) const;

  absl::StatusOr<v1::UseModelResponse> Use(const v1::UseModelRequest& request);
  absl::StatusOr<v1::ReleaseModelResponse> Release(const v1::ReleaseModelRequest& request);
  absl::StatusOr<v1::RollBackModelResponse> RollBack(const v1::RollBackModelRequest& request);

 private:
  // Runs `change` in a transaction, unless the request has an answer already.
  template <typename Response>
  absl::StatusOr<Response> Once(const rpc::v1::Command& command,
                                const std::function<absl::StatusOr<Response>(pqxx::work&)>& change);

  db::Database& database_;
};

}  // namespace tidemill::supervisor
