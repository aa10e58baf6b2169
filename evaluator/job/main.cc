// The process of one evaluation job: tidemill-evaluate --zygote, or tidemill-evaluate JOB_FILE.
#include <string>
#include <vector>

#include "base/logs/log.h"
#include "base/process/job_program.h"
#include "evaluator/job/evaluation_run.h"
#include "evaluator/job/network_predictor.h"

int main(int argc, char** argv) {
  using tidemill::process::Report;
  return tidemill::process::RunJobProgram(
      argc, argv, [](const std::vector<std::string>& arguments, Report& report) {
        if (arguments.size() != 1) {
          tidemill::log::Error("usage: tidemill-evaluate JOB_FILE");
          return 2;
        }
        return tidemill::evaluator::RunEvaluationJob(
            arguments.front(), tidemill::evaluator::ArithmeticOfNetworks,
            [&](const std::string& line) { report.Line(line); });
      });
}
