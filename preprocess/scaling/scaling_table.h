// The rows of scaling decisions. It holds SQL only; see migrations/0005_engine.sql.
#pragma once

#include <vector>

#include "tidemill/preprocess/v1/scaling.pb.h"
#include <pqxx/pqxx>

namespace tidemill::preprocess {

// The methods work in an open transaction. They throw pqxx exceptions, which db::Database::Transact
// catches.
class ScalingTable {
 public:
  explicit ScalingTable(pqxx::work& work) : work_(work) {}

  // Adds a decision, and removes all but the last 10,000.
  void Add(const v1::ScalingDecision& decision);
  // Returns the last ones, the latest first.
  std::vector<v1::ScalingDecision> List(int most);

 private:
  pqxx::work& work_;
};

}  // namespace tidemill::preprocess
