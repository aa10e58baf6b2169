// Parses the XML of an object store.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace tidemill::storage {

struct ListedObject {
  std::string key;
  std::string etag;  // With its quotes, as in the header.
  int64_t size_bytes = 0;
  int64_t modified_nanos = 0;
};

// One page of ListObjectsV2 with encoding-type=url.
struct ListPage {
  std::vector<ListedObject> objects;
  // Where the next page begins. std::nullopt on the last page.
  std::optional<std::string> continuation;
};

// UNAVAILABLE when it is not such a page, for example a proxy's answer or a truncated page.
absl::StatusOr<ListPage> ParseListPage(std::string_view xml);

struct StoreError {
  std::string code;  // "NoSuchKey". Empty when the body is not an error of a store.
  std::string message;
};

StoreError ParseStoreError(std::string_view xml);

}  // namespace tidemill::storage
