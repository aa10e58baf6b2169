// The evaluator's process.
#include "evaluator/evaluator_server.h"

int main(int argc, char** argv) {
  return tidemill::rpc::ServiceMain(argc, argv, "evaluator", tidemill::evaluator::StartEvaluator);
}
