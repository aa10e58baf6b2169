#include "plugin/host/kinds/format.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "plugin/host/calls/answer_columns.h"
#include "plugin/host/calls/contract.h"
#include "plugin/host/calls/json_fields.h"
#include "plugin/host/calls/request_columns.h"

namespace tidemill::plugin::host {
namespace {

using nlohmann::json;

constexpr size_t kMaxHeadBytes = size_t{1} << 20;
// The limit of what an answer says beside its columns.
constexpr size_t kMaxRejectionBytes = 200;

// The one byte string of a column; empty if there is no such column.
std::string_view BytesOf(const TidemillColumns& columns, std::string_view name) {
  for (int64_t i = 0; i < columns.schema->n_children; ++i) {
    if (columns.schema->children[i]->name != name) continue;
    if (std::string_view(columns.schema->children[i]->format) != "Z") break;
    const ArrowArray* array = columns.array->children[i];
    const auto* offsets = static_cast<const int64_t*>(array->buffers[1]);
    return {static_cast<const char*>(array->buffers[2]) + offsets[0],
            static_cast<size_t>(offsets[1] - offsets[0])};
  }
  return {};
}

// The answer for a piece while the plug-in makes it.
class ReadRecords {
 public:
  ReadRecords() { face_.records = Sized<TidemillRecords>(); }
  ReadRecords(const ReadRecords&) = delete;
  ReadRecords& operator=(const ReadRecords&) = delete;

  TidemillRecords* records() {
    face_.records.reject = &Reject;
    face_.owner = this;
    return &face_.records;
  }

  // The answer, whose numbers are copied to where the owner reads them.
  absl::StatusOr<json> Answer(AnswerColumns& answer) const {
    RETURN_IF_ERROR(failure_);
    const TidemillRecords& given = face_.records;
    if (given.count > 0 && (given.begins == nullptr || given.ends == nullptr)) {
      return InvalidArgument("it did not return the places of its {} records", given.count);
    }
    if (given.class_labels != nullptr && given.real_labels != nullptr) {
      return InvalidArgument("its labels are classes or real numbers, not both");
    }
    if (!bad_.empty() && bad_.rbegin()->first >= given.count) {
      return InvalidArgument("it rejects record {} of {}", bad_.rbegin()->first, given.count);
    }
    answer.Begin(static_cast<int64_t>(given.count));
    RETURN_IF_ERROR(Copy("begin", given.begins, nullptr, answer));
    RETURN_IF_ERROR(Copy("end", given.ends, nullptr, answer));
    RETURN_IF_ERROR(Copy("label", given.class_labels, given.has_label, answer));
    RETURN_IF_ERROR(Copy("label", given.real_labels, given.has_label, answer));
    RETURN_IF_ERROR(Copy("event_time", given.event_times, given.has_event_time, answer));
    json said = answer.Said();
    said["consumed"] = given.consumed;
    json bad = json::array();
    for (const auto& [record, why] : bad_) bad.push_back({{"row", record}, {"why", why}});
    said["bad"] = std::move(bad);
    return said;
  }

 private:
  // The struct that plug-ins receive. It has the same address as its first member.
  struct Face {
    TidemillRecords records;
    ReadRecords* owner;
  };

  // Nothing is thrown through the contract.
  static void Reject(const TidemillRecords* records, size_t record, const char* why) {
    ReadRecords& owner = *reinterpret_cast<const Face*>(records)->owner;
    owner.failure_.Update(Guard([&] {
      owner.bad_.try_emplace(
          record,
          std::string(why != nullptr ? why : "it gave no reason").substr(0, kMaxRejectionBytes));
    }));
  }

  // Skips numbers that do not exist.
  template <typename T>
  absl::Status Copy(const char* name, const T* numbers, const uint8_t* has,
                    AnswerColumns& answer) const {
    const size_t count = face_.records.count;
    if (numbers == nullptr) return absl::OkStatus();
    ASSIGN_OR_RETURN(const std::span<T> place, answer.Add<T>(name));
    std::copy_n(numbers, count, place.begin());
    if (has == nullptr || std::all_of(has, has + count, [](uint8_t one) { return one != 0; })) {
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const std::span<uint8_t> bits, answer.AddValidity(name));
    for (size_t i = 0; i < count; ++i) {
      if (has[i] != 0) bits[i / 8] |= static_cast<uint8_t>(1U << (i % 8));
    }
    return absl::OkStatus();
  }

  Face face_ = {};
  std::map<size_t, std::string> bad_;
  absl::Status failure_;
};

class FormatKind : public Kind {
 public:
  FormatKind(const void* functions, Instance& instance, const Memories& memories)
      : functions_(Known<TidemillFormat>(functions)),
        instance_(instance),
        requests_(memories.requests),
        answer_(memories.answers) {}

  absl::StatusOr<json> Created(const json& /*request*/) override {
    return json{{"head_bytes", functions_.num_head_bytes}};
  }

  absl::StatusOr<json> Call(std::string_view call, const json& request) override {
    if (call == "read") return Read(request);
    return InvalidArgument("a format has no call {}", call);
  }

 private:
  absl::StatusOr<json> Read(const json& request) {
    ASSIGN_OR_RETURN(const auto columns, RequestColumns::Read(request, requests_));
    if (columns->view().array->length != 1) return InvalidArgument("the request has no piece");
    const std::string_view bytes = BytesOf(columns->view(), "bytes");
    const std::string_view head = BytesOf(columns->view(), "head");
    auto piece = Sized<TidemillPiece>();
    piece.data = bytes.data();
    piece.num_bytes = bytes.size();
    ASSIGN_OR_RETURN(piece.offset, WholeOf(request, "offset"));
    piece.is_last = FieldOf(request, "is_last") == true ? 1 : 0;
    piece.head = head.data();
    piece.num_head_bytes = head.size();
    ReadRecords read;
    RETURN_IF_ERROR(instance_.Call(
        "read", [&] { return functions_.read(instance_.self(), &piece, read.records()); }));
    return read.Answer(answer_);
  }

  const TidemillFormat functions_;
  Instance& instance_;
  const Memory& requests_;
  AnswerColumns answer_;
};

}  // namespace

absl::Status CheckFormat(const void* functions) {
  const auto known = Known<TidemillFormat>(functions);
  if (known.read == nullptr) return InvalidArgument("it needs the function read");
  if (known.num_head_bytes <= kMaxHeadBytes) return absl::OkStatus();
  return InvalidArgument("it asks for the first {} bytes of a file; at most {} are allowed",
                         known.num_head_bytes, kMaxHeadBytes);
}

std::unique_ptr<Kind> MakeFormat(const void* functions, Instance& instance,
                                 const Memories& memories) {
  return std::make_unique<FormatKind>(functions, instance, memories);
}

}  // namespace tidemill::plugin::host
