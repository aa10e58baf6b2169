// Finds tables of users and items: who rated, bought or clicked what.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/init/look/guess.h"
#include "records/columns/column_facts.h"

namespace tidemill::cli {

// A column of ids whose embeddings a model can learn, because each comes back often.
struct IdColumn {
  size_t column = 0;
  int64_t buckets = 0;
};

// Returns the columns with ids of users and of items, when there are both. A recommender learns an
// embedding for each. `taken`: columns that are not looked at.
std::vector<IdColumn> FindUsersAndItems(std::span<const ColumnFacts> facts,
                                        std::span<const size_t> taken);

}  // namespace tidemill::cli
