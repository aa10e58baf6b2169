#include "trainer_server/job/program_checkpoint.h"

#include "gtest/gtest.h"

namespace tidemill::trainer_server {
namespace {

TEST(ProgramCheckpoint, IsReadAsItWasWritten) {
  ProgramState state{.ends_epoch = true, .num_unreported = 7};
  state.counters.batches = 12;
  state.counters.samples = 190;
  state.counters.num_skipped = 2;
  state.counters.epoch = 1;
  state.counters.loss_sum = 0.1 + 0.2;
  state.counters.loss_samples = 3;
  state.counters.last_epoch_loss = 1e-300;
  state.curve.Add(0.7, 16, 16);
  state.curve.AddValidation(0.9);
  state.curve.Add(0.3, 15, 32);
  state.of_program = std::string("\n{\0}\n", 5);
  const auto read = DecodeProgramState(EncodeProgramState(state));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->counters.batches, 12);
  EXPECT_EQ(read->counters.samples, 190);
  EXPECT_EQ(read->counters.num_skipped, 2);
  EXPECT_EQ(read->counters.epoch, 1);
  EXPECT_EQ(read->counters.loss_sum, 0.1 + 0.2);
  EXPECT_EQ(read->counters.last_epoch_loss, 1e-300);
  EXPECT_TRUE(read->ends_epoch);
  EXPECT_EQ(read->num_unreported, 7);
  EXPECT_EQ(read->curve.state(), state.curve.state());
  EXPECT_EQ(read->of_program, state.of_program);
}

TEST(ProgramCheckpoint, OfAnotherKindIsRefused) {
  for (const char* const bytes : {"", "{}", "{}\n", "[1]\n", "{\"counters\": 3}\nx", "\x80\n"}) {
    EXPECT_TRUE(absl::IsDataLoss(DecodeProgramState(bytes).status())) << bytes;
  }
}

}  // namespace
}  // namespace tidemill::trainer_server
