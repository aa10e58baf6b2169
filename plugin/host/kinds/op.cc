#include "plugin/host/kinds/op.h"

#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plugin/host/calls/answer_columns.h"
#include "plugin/host/calls/contract.h"
#include "plugin/host/calls/json_fields.h"
#include "plugin/host/calls/request_columns.h"

namespace tidemill::plugin::host {
namespace {

using nlohmann::json;

// By TidemillColumnFormat.
constexpr const char* kFormats[] = {"", "int64", "int32", "uint8", "float32", "float64", "binary"};

// For what an answer says beside its columns.
constexpr size_t kMaxReasonBytes = 200;

// A column with what its contract struct points at. Stays where it is.
struct OpColumn {
  std::string name;
  TidemillColumnFormat format = TIDEMILL_FLOAT32;
  std::vector<int64_t> shape;

  TidemillColumnType Face() const {
    return {.size = sizeof(TidemillColumnType),
            .name = name.c_str(),
            .format = format,
            .shape = shape.empty() ? nullptr : shape.data(),
            .num_dimensions = shape.size()};
  }
};

absl::StatusOr<OpColumn> ReadInput(const json& said) {
  OpColumn input;
  ASSIGN_OR_RETURN(input.name, TextOf(said, "name"));
  ASSIGN_OR_RETURN(const std::string type, TextOf(said, "type"));
  int format = TIDEMILL_INT64;
  while (format <= TIDEMILL_BINARY && type != kFormats[format]) ++format;
  if (format > TIDEMILL_BINARY) {
    return InvalidArgument("the input {} has the unknown type {}", input.name, type);
  }
  input.format = static_cast<TidemillColumnFormat>(format);
  for (const json& size : FieldOf(said, "shape")) {
    if (!size.is_number_integer()) return InvalidArgument("the input {} has no shape", input.name);
    input.shape.push_back(size.get<int64_t>());
  }
  return input;
}

absl::StatusOr<OpColumn> ReadOutput(const TidemillColumnType& given) {
  if (given.name == nullptr || *given.name == '\0') {
    return InvalidArgument("outputs: a column has no name");
  }
  OpColumn output{.name = given.name, .format = given.format, .shape = {}};
  if (given.format < TIDEMILL_INT64 || given.format > TIDEMILL_BINARY) {
    return InvalidArgument("outputs: the column {} has an unknown type", output.name);
  }
  if (given.num_dimensions > 0 && given.shape == nullptr) {
    return InvalidArgument("outputs: the column {} has no shape", output.name);
  }
  if (given.num_dimensions > 0) {
    output.shape.assign(given.shape, given.shape + given.num_dimensions);
  }
  return output;
}

// The answer to `apply` while the plug-in fills it.
class OpAnswer {
 public:
  OpAnswer(const std::vector<OpColumn>& outputs, int64_t num_rows, AnswerColumns& columns)
      : face_{.made = {.size = sizeof(TidemillMade),
                       .numbers = nullptr,
                       .num_outputs = outputs.size(),
                       .give_strings = &GiveStrings,
                       .reject = &Reject},
              .answer = this},
        outputs_(outputs),
        num_rows_(num_rows),
        columns_(columns),
        has_strings_(outputs.size(), false) {}
  OpAnswer(const OpAnswer&) = delete;
  OpAnswer& operator=(const OpAnswer&) = delete;

  // Places the columns of numbers.
  absl::Status Begin() {
    columns_.Begin(num_rows_);
    for (const OpColumn& output : outputs_) {
      ASSIGN_OR_RETURN(void* const place, Place(output));
      numbers_.push_back(place);
    }
    face_.made.numbers = numbers_.data();
    return absl::OkStatus();
  }

  const TidemillMade* made() const { return &face_.made; }

  absl::StatusOr<json> Said() const {
    RETURN_IF_ERROR(failure_);
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i].format == TIDEMILL_BINARY && !has_strings_[i]) {
        return InvalidArgument("it returned no byte strings for the output {}", outputs_[i].name);
      }
    }
    json said = columns_.Said();
    json bad = json::array();
    for (const auto& [row, why] : bad_) bad.push_back({{"row", row}, {"why", why}});
    said["bad"] = std::move(bad);
    return said;
  }

 private:
  // The struct that plug-ins receive. It has the same address as its first member.
  struct Face {
    TidemillMade made;
    OpAnswer* answer;
  };

  static OpAnswer& Of(const TidemillMade* made) {
    return *reinterpret_cast<const Face*>(made)->answer;
  }

  template <typename T>
  absl::StatusOr<void*> PlaceOf(const OpColumn& output) {
    ASSIGN_OR_RETURN(const std::span<T> numbers, columns_.Add<T>(output.name, output.shape));
    return numbers.data();
  }
  absl::StatusOr<void*> Place(const OpColumn& output) {
    switch (output.format) {
      case TIDEMILL_INT64:
        return PlaceOf<int64_t>(output);
      case TIDEMILL_INT32:
        return PlaceOf<int32_t>(output);
      case TIDEMILL_UINT8:
        return PlaceOf<uint8_t>(output);
      case TIDEMILL_FLOAT32:
        return PlaceOf<float>(output);
      case TIDEMILL_FLOAT64:
        return PlaceOf<double>(output);
      case TIDEMILL_BINARY:
        break;
    }
    return nullptr;
  }

  // Nothing is thrown through the contract.
  static int GiveStrings(const TidemillMade* made, size_t output, const int64_t* offsets,
                         const void* data) {
    OpAnswer& answer = Of(made);
    const absl::Status guarded =
        Guard([&] { answer.failure_.Update(answer.Take(output, offsets, data)); });
    answer.failure_.Update(guarded);
    return answer.failure_.ok() ? 0 : 1;
  }
  static void Reject(const TidemillMade* made, int64_t row, const char* why) {
    OpAnswer& answer = Of(made);
    const absl::Status guarded = Guard([&] {
      if (row < 0 || row >= answer.num_rows_) {
        answer.failure_.Update(
            InvalidArgument("it rejects row {} of a block of {}", row, answer.num_rows_));
        return;
      }
      answer.bad_.try_emplace(
          row, std::string(why != nullptr ? why : "it gave no reason").substr(0, kMaxReasonBytes));
    });
    answer.failure_.Update(guarded);
  }

  absl::Status Take(size_t output, const int64_t* offsets, const void* data) {
    if (output >= outputs_.size() || outputs_[output].format != TIDEMILL_BINARY ||
        has_strings_[output]) {
      return InvalidArgument("output {} does not hold byte strings, or was already filled", output);
    }
    const std::span all(offsets, static_cast<size_t>(num_rows_) + 1);
    ASSIGN_OR_RETURN(const std::span<std::byte> place,
                     columns_.AddBinary(outputs_[output].name, all));
    if (!place.empty()) std::memcpy(place.data(), data, place.size());
    has_strings_[output] = true;
    return absl::OkStatus();
  }

  Face face_;
  const std::vector<OpColumn>& outputs_;
  const int64_t num_rows_;
  AnswerColumns& columns_;
  std::vector<void*> numbers_;
  std::vector<bool> has_strings_;
  std::map<int64_t, std::string> bad_;
  absl::Status failure_;
};

class OpKind : public Kind {
 public:
  OpKind(const void* functions, Instance& instance, const Memories& memories)
      : functions_(Known<TidemillOp>(functions)),
        instance_(instance),
        requests_(memories.requests),
        answer_columns_(memories.answers) {}

  absl::StatusOr<json> Created(const json& request) override {
    RETURN_IF_ERROR(ReadInputs(request));
    std::vector<TidemillColumnType> faces;
    for (const OpColumn& input : inputs_) faces.push_back(input.Face());
    auto outputs = Sized<TidemillOutputs>();
    RETURN_IF_ERROR(instance_.Call("outputs", [&] {
      return functions_.outputs(instance_.self(), faces.data(), faces.size(), &outputs);
    }));
    json said = json::array();
    for (const TidemillColumnType& given : KnownOnes(outputs.columns, outputs.count)) {
      ASSIGN_OR_RETURN(OpColumn output, ReadOutput(given));
      said.push_back(
          {{"name", output.name}, {"type", kFormats[output.format]}, {"shape", output.shape}});
      outputs_.push_back(std::move(output));
    }
    if (outputs.fits != 0 && (functions_.fit == nullptr || functions_.fitted == nullptr)) {
      return InvalidArgument("an op that learns needs the functions fit and fitted");
    }
    return json{{"outputs", std::move(said)}, {"fits", outputs.fits != 0}};
  }

  absl::StatusOr<json> Call(std::string_view call, const json& request) override {
    if (call == "apply") return Apply(request);
    if (call == "fit" && functions_.fit != nullptr) return Fit(request);
    if (call == "fitted" && functions_.fitted != nullptr) return Fitted();
    return InvalidArgument("this op has no call {}", call);
  }

 private:
  absl::Status ReadInputs(const json& request) {
    const json& said = FieldOf(request, "inputs");
    if (!said.is_array()) return InvalidArgument("the request has no inputs");
    for (const json& input : said) {
      ASSIGN_OR_RETURN(inputs_.emplace_back(), ReadInput(input));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<json> Apply(const json& request) {
    ASSIGN_OR_RETURN(const auto block, RequestColumns::Read(request, requests_));
    OpAnswer answer(outputs_, block->view().array->length, answer_columns_);
    RETURN_IF_ERROR(answer.Begin());
    RETURN_IF_ERROR(instance_.Call("apply", [&] {
      return functions_.apply(instance_.self(), &block->view(), answer.made());
    }));
    return answer.Said();
  }

  // Each answer has the state, so that another process can continue without the rows.
  absl::StatusOr<json> Fit(const json& request) {
    ASSIGN_OR_RETURN(const auto block, RequestColumns::Read(request, requests_));
    RETURN_IF_ERROR(
        instance_.Call("fit", [&] { return functions_.fit(instance_.self(), &block->view()); }));
    return Sealed();
  }

  absl::StatusOr<json> Fitted() {
    RETURN_IF_ERROR(instance_.Call("fitted", [&] { return functions_.fitted(instance_.self()); }));
    return Sealed();
  }

  absl::StatusOr<json> Sealed() {
    ASSIGN_OR_RETURN(std::string state, instance_.Seal());
    return json{{"state", std::move(state)}};
  }

  const TidemillOp functions_;
  Instance& instance_;
  const Memory& requests_;
  AnswerColumns answer_columns_;
  std::vector<OpColumn> inputs_;
  std::vector<OpColumn> outputs_;
};

}  // namespace

absl::Status CheckOp(const void* functions) {
  const auto known = Known<TidemillOp>(functions);
  if (known.outputs != nullptr && known.apply != nullptr) return absl::OkStatus();
  return InvalidArgument("it needs the functions outputs and apply");
}

std::unique_ptr<Kind> MakeOp(const void* functions, Instance& instance, const Memories& memories) {
  return std::make_unique<OpKind>(functions, instance, memories);
}

}  // namespace tidemill::plugin::host
