#include "evaluator/windows/window_baselines.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/numbers/random.h"
#include "base/testing/status_matchers.h"
#include "batch/wire.h"
#include "config/config.h"
#include "evaluator/testing/predictors.h"
#include "evaluator/windows/window_measurement.h"
#include "rpc/access/tokens.h"
#include "rpc/server.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"

namespace tidemill::evaluator {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

struct Row {
  int64_t time = 0;
  std::optional<int64_t> of_class = std::nullopt;
  double value = 0;
};

// Samples with the keys 1, 2 ... in the order of their times.
class LabelledStorage final : public storage::v1::StorageService::Service {
 public:
  explicit LabelledStorage(std::vector<Row> rows) : rows_(std::move(rows)) {}

  grpc::Status ListSamples(grpc::ServerContext*, const storage::v1::ListSamplesRequest* request,
                           grpc::ServerWriter<storage::v1::ListSamplesResponse>* writer) override {
    const auto place = [](const rpc::v1::Cut& cut) {
      return std::pair(cut.event_time(), cut.sample_key());
    };
    for (size_t i = 0; i < rows_.size(); ++i) {
      const std::pair position(rows_[i].time, static_cast<int64_t>(i) + 1);
      if (request->has_from() && position < place(request->from())) continue;
      if (request->has_to() && position >= place(request->to())) continue;
      size_t row = i;
      if (breaks_before_.compare_exchange_strong(row, kNowhere)) {
        return {grpc::StatusCode::DATA_LOSS, "a block is damaged"};
      }
      ++num_listed_;
      storage::v1::ListSamplesResponse response;
      response.set_batch(batch::Encode(Batch(i, i + 1)));
      writer->Write(response);
    }
    return grpc::Status::OK;
  }

  // As storage reads them, less the payload.
  batch::Batch Batch(size_t from, size_t to) const {
    std::vector<int64_t> keys, times, classes;
    std::vector<double> values;
    std::vector<bool> valid;
    for (size_t i = from; i < to; ++i) {
      keys.push_back(static_cast<int64_t>(i) + 1);
      times.push_back(rows_[i].time);
      classes.push_back(rows_[i].of_class.value_or(0));
      values.push_back(rows_[i].value);
      valid.push_back(rows_[i].of_class.has_value());
    }
    batch::Batch batch(static_cast<int64_t>(keys.size()));
    batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)).IgnoreError();
    batch.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, times)).IgnoreError();
    if (std::find(valid.begin(), valid.end(), true) != valid.end()) {
      batch.Set(batch::MakeColumn<int64_t>(batch::kClassLabelColumn, classes)).IgnoreError();
    }
    batch.Set(batch::MakeColumn<double>(batch::kRealLabelColumn, values)).IgnoreError();
    return batch;
  }

  // The first listing that comes to this row ends there with DATA_LOSS.
  void BreakOnceBefore(size_t row) { breaks_before_ = row; }

  const std::vector<Row>& rows() const { return rows_; }
  int64_t num_listed() const { return num_listed_; }

 private:
  static constexpr size_t kNowhere = std::numeric_limits<size_t>::max();

  const std::vector<Row> rows_;
  std::atomic<size_t> breaks_before_ = kNowhere;
  std::atomic<int64_t> num_listed_ = 0;
};

constexpr char kOfClasses[] = R"(path: /nowhere
format: {type: csv, header: false, columns: [x, y]}
label: {column: y, classes: [A, B, C]}
)";
constexpr char kOfValues[] = R"(path: /nowhere
format: {type: csv, header: false, columns: [x, y]}
label: {column: y, kind: real}
)";

rpc::v1::Cut CutAt(int64_t time, int64_t key = 0) {
  rpc::v1::Cut cut;
  cut.set_event_time(time);
  cut.set_sample_key(key);
  return cut;
}

class WindowBaselinesTest : public ::testing::Test {
 protected:
  void Serve(std::vector<Row> rows) {
    storage_ = std::make_unique<LabelledStorage>(std::move(rows));
    std::string pattern = ::testing::TempDir() + "labels_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    ASSERT_THAT(rpc::Tokens::Create(folder_ + "/tokens"), IsOk());
    const rpc::Tokens tokens = *rpc::Tokens::Read(folder_ + "/tokens");
    server_ =
        *rpc::Server::Start({.listen = "unix:" + folder_ + "/storage"}, tokens, {storage_.get()});
    client_ = std::make_unique<storage::StorageClient>(rpc::Peer{
        .endpoint = server_->endpoint(), .token = *tokens.TokenOf(rpc::v1::ROLE_SERVICE)});
  }

  // What the baselines reach on the rows [from, to), where labels before row `known` are known,
  // with blocks of 7 rows: "constant/accuracy" and so on.
  std::map<std::string, std::optional<double>> Measure(const std::string& dataset_yaml,
                                                       const std::string& measures, size_t from,
                                                       size_t to, size_t known) {
    const auto dataset = *config::Read<storage::DatasetSpec>(dataset_yaml, "dataset");
    const auto spec =
        *config::Read<EvaluationSpec>("{dataset: d, measures: [" + measures + "]}", "evaluation");
    v1::StartEvaluationRequest request;
    request.mutable_known_labels();
    v1::JobWindow window;
    const auto& rows = storage_->rows();
    *window.mutable_window()->mutable_from() =
        CutAt(rows[from].time, static_cast<int64_t>(from) + 1);
    *window.mutable_window()->mutable_known_to() =
        CutAt(rows[known].time, static_cast<int64_t>(known) + 1);
    window.mutable_window()->set_trigger_in_use(4);
    Baselines baselines(*client_, request, spec, dataset);
    const auto entered = baselines.Enter(window);
    EXPECT_THAT(entered, IsOk());
    for (size_t at = from; at < to; at += 7) {
      const size_t end = std::min(to, at + 7);
      std::vector<size_t> all(end - at);
      std::iota(all.begin(), all.end(), size_t{0});
      (*entered)->Add(storage_->Batch(at, end), all);
    }
    EXPECT_THAT((*entered)->status(), IsOk());
    std::map<std::string, std::optional<double>> values;
    for (const v1::ModelScores& scores : (*entered)->Scores()) {
      EXPECT_EQ(scores.common().trigger(), 4);
      for (const v1::Evaluation& score : scores.scores()) {
        values[scores.common().baseline() + "/" + score.measure()] =
            score.has_value() ? std::optional(score.value()) : std::nullopt;
      }
    }
    return values;
  }

  ~WindowBaselinesTest() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
  std::unique_ptr<LabelledStorage> storage_;
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<storage::StorageClient> client_;
};

// 200 rows, some at the same time, with classes of unequal frequency that change as time goes.
std::vector<Row> ManyRows() {
  std::vector<Row> rows;
  for (int64_t i = 0; i < 200; ++i) {
    const double unit = RandomUnit({.purpose = "label"}, i);
    const double value = 100 + 3 * unit + static_cast<double>(i) / 50;
    rows.push_back({.time = 10 * (i / 3),
                    .of_class = unit < 0.2 ? 2 : (unit < (i < 120 ? 0.5 : 0.9) ? 0 : 1),
                    .value = value});
  }
  return rows;
}

TEST_F(WindowBaselinesTest, AreWhatTheLabelsSayCountedByHand) {
  Serve(ManyRows());
  const size_t from = 120, to = 200, known = 110;
  const auto& rows = storage_->rows();
  std::map<int64_t, double> counts;
  for (size_t i = 0; i < known; ++i) ++counts[*rows[i].of_class];
  int64_t majority = 0;
  for (const auto& [of_class, count] : counts) {
    if (count > counts[majority]) majority = of_class;
  }
  double right = 0, right_last = 0, loss = 0;
  for (size_t i = from; i < to; ++i) {
    right += *rows[i].of_class == majority;
    size_t last = i;
    while (rows[last].time >= rows[i].time) --last;
    right_last += *rows[i].of_class == *rows[last].of_class;
    loss -= std::log(static_cast<double>(
        static_cast<float>(counts[*rows[i].of_class] / static_cast<double>(known))));
  }
  const double size = to - from;
  const auto values =
      Measure(kOfClasses, "accuracy, log_loss, roc_auc, {type: top_k, k: 2}", from, to, known);
  EXPECT_THAT(values.at("constant/accuracy"), Optional(DoubleEq(right / size)));
  EXPECT_THAT(values.at("last/accuracy"), Optional(DoubleEq(right_last / size)));
  EXPECT_THAT(values.at("constant/log_loss"), Optional(::testing::DoubleNear(loss / size, 1e-12)));
  EXPECT_THAT(values.at("constant/roc_auc"), Optional(DoubleEq(0.5)));
  EXPECT_FALSE(values.contains("last/log_loss")) << "the last label has no probabilities";
  EXPECT_GT(*values.at("constant/top_2"), *values.at("constant/accuracy"));
}

TEST_F(WindowBaselinesTest, OfRealLabelsAreTheMeanAndTheLastOne) {
  Serve(ManyRows());
  const size_t from = 100, to = 170, known = 100;
  const auto& rows = storage_->rows();
  double sum = 0;
  for (size_t i = 0; i < known; ++i) sum += rows[i].value;
  const auto mean = static_cast<double>(static_cast<float>(sum / static_cast<double>(known)));
  double squared = 0, absolute = 0, squared_last = 0, total = 0, total_squared = 0;
  for (size_t i = from; i < to; ++i) {
    const auto truth = static_cast<double>(static_cast<float>(rows[i].value));
    size_t last = i;
    while (rows[last].time >= rows[i].time) --last;
    squared += std::pow(truth - mean, 2);
    absolute += std::abs(truth - mean);
    squared_last += std::pow(truth - static_cast<double>(static_cast<float>(rows[last].value)), 2);
    total += truth;
    total_squared += truth * truth;
  }
  const double size = to - from;
  const double spread = total_squared - total * total / size;
  const auto values = Measure(kOfValues, "rmse, mae, r2", from, to, known);
  EXPECT_THAT(values.at("constant/rmse"), Optional(DoubleEq(std::sqrt(squared / size))));
  EXPECT_THAT(values.at("constant/mae"), Optional(DoubleEq(absolute / size)));
  EXPECT_THAT(values.at("constant/r2"),
              Optional(::testing::DoubleNear(1 - squared / spread, 1e-7)));
  EXPECT_THAT(values.at("last/rmse"), Optional(DoubleEq(std::sqrt(squared_last / size))));
}

TEST_F(WindowBaselinesTest, HaveNothingWhereNoLabelWasKnown) {
  std::vector<Row> rows = ManyRows();
  for (size_t i = 0; i < 50; ++i) rows[i].of_class.reset();
  Serve(std::move(rows));
  EXPECT_THAT(Measure(kOfClasses, "accuracy", 60, 100, 50), IsEmpty());
  EXPECT_THAT(Measure(kOfClasses, "accuracy", 60, 100, 51), ::testing::SizeIs(2));
}

// What a window reports of baselines beside a model whose graph ends in `ops_on_target`.
class BesideAModelTest : public WindowBaselinesTest {
 protected:
  std::vector<std::string> NamesBeside(const std::string& ops_on_target) {
    Serve({{.time = 10, .value = 3}, {.time = 20, .value = 5}});
    const transform::SampleSchema samples{.columns = std::vector<std::string>{"x", "y"},
                                          .label = transform::LabelKind::kReal};
    const MeasurementPlan plan{
        .spec = *config::Read<EvaluationSpec>("{dataset: d, measures: [rmse]}", "evaluation"),
        .class_names = {},
        .samples = samples};
    ScoredModel model = ModelOf(
        "[{parse_csv: {columns: [x]}}, {stack: {columns: all}}, label" + ops_on_target + "]",
        samples);
    ScoredModel* const models[] = {&model};
    WindowBaselines baselines = BaselinesOf(plan.spec);
    WindowMeasurement measurement(0, plan, models, &baselines);
    measurement.Add({.samples = WithPayload(storage_->Batch(0, 2)), .num_known = 2});
    std::vector<std::string> names;
    for (const v1::ModelScores& scores : measurement.Scores()) {
      EXPECT_EQ(scores.common().failure(), "");
      EXPECT_EQ(scores.common().num_samples(), 2);
      if (!scores.common().baseline().empty()) names.push_back(scores.common().baseline());
    }
    return names;
  }

 private:
  static constexpr int64_t kModel = 7;

  static ScoredModel ModelOf(const std::string& graph_yaml,
                             const transform::SampleSchema& samples) {
    const auto spec = *config::Read<transform::GraphSpec>(graph_yaml, "graph");
    ScoredModel model;
    model.model_id = kModel;
    model.graph = std::make_shared<const PreparedGraph>(
        PreparedGraph{.graph = *transform::Graph::Build(spec, samples),
                      .fitted = std::nullopt,
                      .fingerprint = "graph"});
    model.predictor = *testing::MakeThresholdPredictor({}, "4");
    return model;
  }

  // Where one label, 4, was known.
  WindowBaselines BaselinesOf(const EvaluationSpec& spec) const {
    v1::JobWindow window;
    window.mutable_window()->set_model_in_use(kModel);
    LabelCounts counts;
    counts.Add({.value = 4}, /*is_class=*/false);
    const LabelStream labels(*client_, {}, std::nullopt, /*is_class=*/false);
    return {spec, window, {.counts = counts, .is_class = false, .last = {labels, Duration{0}}}};
  }

  static batch::Batch WithPayload(batch::Batch samples) {
    const std::vector<std::string_view> payloads(static_cast<size_t>(samples.num_rows()), "1,2");
    EXPECT_THAT(samples.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, payloads)), IsOk());
    return samples;
  }
};

TEST_F(BesideAModelTest, BaselinesAreGivenWhereItsTargetIsTheLabel) {
  EXPECT_THAT(NamesBeside(""), ElementsAre("constant", "last"));
}

TEST_F(BesideAModelTest, NoneAreGivenWhereItsGraphChangesTheTarget) {
  EXPECT_THAT(NamesBeside(", {log1p: {columns: [target]}}"), IsEmpty());
}

class LastLabelsTest : public WindowBaselinesTest {
 protected:
  std::vector<int64_t> At(LastLabels& last, const std::vector<int64_t>& times) {
    std::vector<int64_t> classes;
    const auto labels = last.At(times);
    EXPECT_THAT(labels, IsOk());
    for (const auto& label : *labels) classes.push_back(label ? label->of_class : -1);
    return classes;
  }

  LastLabels Make(Duration delay) {
    return LastLabels(LabelStream(*client_, {}, std::nullopt, /*is_class=*/true), delay);
  }
};

TEST_F(LastLabelsTest, AreOfEarlierMomentsOnly) {
  Serve({{.time = 10, .of_class = 1},
         {.time = 10, .of_class = 2},
         {.time = 20, .of_class = 0},
         {.time = 30},
         {.time = 40, .of_class = 1}});
  LastLabels last = Make(Duration{0});
  ASSERT_THAT(last.Enter(CutAt(0)), IsOk());
  EXPECT_THAT(At(last, {10, 10, 20}), ElementsAre(-1, -1, 2));
  EXPECT_THAT(At(last, {30, 40, 50}), ElementsAre(0, 0, 1)) << "the sample at 30 has no label";
}

TEST_F(LastLabelsTest, WaitUntilALabelIsKnown) {
  Serve({{.time = 10, .of_class = 1}, {.time = 20, .of_class = 2}, {.time = 30, .of_class = 0}});
  LastLabels last = Make(Duration{15});
  ASSERT_THAT(last.Enter(CutAt(20)), IsOk());
  EXPECT_THAT(At(last, {20, 24, 25, 34, 35, 100}), ElementsAre(-1, -1, 1, 1, 2, 0));
}

TEST_F(LastLabelsTest, GoBackForAWindowThatOverlaps) {
  Serve(ManyRows());
  LastLabels once = Make(Duration{0});
  ASSERT_THAT(once.Enter(CutAt(100)), IsOk());
  const std::vector<int64_t> expected = At(once, {100, 110, 120, 130});
  LastLabels again = Make(Duration{0});
  ASSERT_THAT(again.Enter(CutAt(500)), IsOk());
  At(again, {500, 600});
  ASSERT_THAT(again.Enter(CutAt(100)), IsOk());
  EXPECT_EQ(At(again, {100, 110, 120, 130}), expected);
}

TEST_F(LastLabelsTest, AfterAListingThatBrokeAreNotOfTheFuture) {
  Serve({{.time = 100, .of_class = 1}, {.time = 110, .of_class = 0}, {.time = 150, .of_class = 2}});
  LastLabels last = Make(Duration{0});
  ASSERT_THAT(last.Enter(CutAt(20)), IsOk());
  storage_->BreakOnceBefore(2);
  EXPECT_THAT(last.Enter(CutAt(200)), StatusIs(absl::StatusCode::kDataLoss, "a block is damaged"));
  ASSERT_THAT(last.Enter(CutAt(50)), IsOk());
  EXPECT_THAT(At(last, {50, 60, 120}), ElementsAre(-1, -1, 0));
}

TEST_F(LastLabelsTest, OfWindowsThatFollowEachOtherAreReadTwiceAtMost) {
  Serve(ManyRows());
  LastLabels last = Make(Duration{0});
  for (int64_t from = 0; from < 600; from += 50) {
    ASSERT_THAT(last.Enter(CutAt(from)), IsOk());
    At(last, {from, from + 10, from + 20, from + 40});
  }
  EXPECT_LE(storage_->num_listed(), 2 * 200);
}

TEST_F(LastLabelsTest, CountsOfCutsThatAscendTakeOnePass) {
  Serve(ManyRows());
  CountedLabels counted(LabelStream(*client_, {}, std::nullopt, /*is_class=*/true),
                        /*is_class=*/true);
  for (const int64_t time : {0, 100, 100, 350, 600}) {
    const auto counts = counted.Before(CutAt(time));
    ASSERT_THAT(counts, IsOk());
    EXPECT_EQ(counts->num_labels, 3 * time / 10);
  }
  EXPECT_EQ(storage_->num_listed(), 180);
  EXPECT_EQ(counted.Before(CutAt(100))->num_labels, 30) << "an earlier cut starts again";
}

TEST_F(LastLabelsTest, CountsAfterAListingThatBrokeHoldNothingTwice) {
  Serve(ManyRows());
  CountedLabels counted(LabelStream(*client_, {}, std::nullopt, /*is_class=*/true),
                        /*is_class=*/true);
  ASSERT_THAT(counted.Before(CutAt(100)), IsOk());
  storage_->BreakOnceBefore(45);
  EXPECT_THAT(counted.Before(CutAt(200)),
              StatusIs(absl::StatusCode::kDataLoss, "a block is damaged"));
  const auto counts = counted.Before(CutAt(200));
  ASSERT_THAT(counts, IsOk());
  EXPECT_EQ(counts->num_labels, 60);
  int64_t num_of_classes = 0;
  for (const auto& [of_class, number] : counts->classes) num_of_classes += number;
  EXPECT_EQ(num_of_classes, 60);
}

}  // namespace
}  // namespace tidemill::evaluator
