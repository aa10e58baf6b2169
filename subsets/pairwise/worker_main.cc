// tidemill-select-worker: carries out tasks of a pairwise selection for the process that leads it.
#include "base/process/job_program.h"
#include "subsets/pairwise/worker.h"

int main(int argc, char** argv) {
  return tidemill::process::RunJobProgram(argc, argv, tidemill::subsets::RunWorkerJob);
}
