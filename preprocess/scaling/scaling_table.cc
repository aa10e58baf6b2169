#include "preprocess/scaling/scaling_table.h"

namespace tidemill::preprocess {
namespace {

constexpr char kAdd[] = "INSERT INTO preprocess.scaling_decisions (decision) VALUES ($1)";

constexpr char kRemoveOld[] = R"(
  DELETE FROM preprocess.scaling_decisions
  WHERE decision_id <= (SELECT max(decision_id) - 10000 FROM preprocess.scaling_decisions))";

constexpr char kList[] = R"(
  SELECT decision FROM preprocess.scaling_decisions ORDER BY decision_id DESC LIMIT $1)";

}  // namespace

void ScalingTable::Add(const v1::ScalingDecision& decision) {
  work_.exec_params(kAdd, pqxx::binarystring(decision.SerializeAsString()));
  work_.exec_params(kRemoveOld);
}

std::vector<v1::ScalingDecision> ScalingTable::List(int most) {
  std::vector<v1::ScalingDecision> decisions;
  for (const pqxx::row& row : work_.exec_params(kList, most)) {
    decisions.emplace_back().ParseFromString(pqxx::binarystring(row[0]).str());
  }
  return decisions;
}

}  // namespace tidemill::preprocess
