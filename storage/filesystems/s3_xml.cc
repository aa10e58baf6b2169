#include "storage/filesystems/s3_xml.h"

#include "base/time.h"
#include "storage/filesystems/object_path.h"
#include <pugixml.hpp>

namespace tidemill::storage {

namespace {

absl::StatusOr<ListedObject> ToObject(const pugi::xml_node& contents) {
  ListedObject object{.key = PercentDecode(contents.child_value("Key")),
                      .etag = contents.child_value("ETag"),
                      .size_bytes = contents.child("Size").text().as_llong(-1)};
  const std::string modified = contents.child_value("LastModified");
  const absl::StatusOr<Timestamp> at = ParseTimestamp(modified);
  if (object.key.empty() || object.etag.empty() || object.size_bytes < 0 || !at.ok()) {
    return Unavailable("a listing names the object '{}' of {} bytes, ETag '{}', changed at '{}'",
                       object.key, object.size_bytes, object.etag, modified);
  }
  object.modified_nanos = at->micros * 1000;
  return object;
}

}  // namespace

absl::StatusOr<ListPage> ParseListPage(std::string_view xml) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size());
  const pugi::xml_node result = document.child("ListBucketResult");
  if (!parsed || !result) return Unavailable("the answer is not a listing of a bucket");
  ListPage page;
  for (const pugi::xml_node& contents : result.children("Contents")) {
    ASSIGN_OR_RETURN(ListedObject object, ToObject(contents));
    page.objects.push_back(std::move(object));
  }
  if (result.child("IsTruncated").text().as_bool()) {
    page.continuation = result.child_value("NextContinuationToken");
    if (page.continuation->empty()) {
      return Unavailable("a listing continues but does not say from where");
    }
  }
  return page;
}

StoreError ParseStoreError(std::string_view xml) {
  pugi::xml_document document;
  if (!document.load_buffer(xml.data(), xml.size())) return {};
  const pugi::xml_node error = document.child("Error");
  return {.code = error.child_value("Code"), .message = error.child_value("Message")};
}

}  // namespace tidemill::storage
