// tidemill-train: forks and runs fits and trainings for the trainer server.
#include "trainer_server/job/train_job.h"

int main(int argc, char** argv) {
  return tidemill::process::RunJobProgram(argc, argv, tidemill::trainer_server::RunTrainJob);
}
