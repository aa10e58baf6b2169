// What an object store writes as XML.
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

// A page of ListObjectsV2 with encoding-type=url.
struct ListPage {
  std::vector<ListedObject> objects;
  // Where the next page begins; std::nullopt: this is the last.
  std::optional<std::string> continuation;
};

// UNAVAILABLE for what is no such page: a proxy's answer, or one cut off.
absl::StatusOr<ListPage> ParseListPage(std::string_view xml);

struct StoreError {
  std::string code;  // "NoSuchKey"; empty when the body is no error of a store.
  std::string message;
};

StoreError ParseStoreError(std::string_view xml);

}  // namespace tidemill::storage
