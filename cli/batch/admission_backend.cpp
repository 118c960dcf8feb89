#include "cli/batch/admission_backend.h"

#include "sluice/refusal.h"

namespace sluice::cli {

std::optional<AdmissionBackend::Wait> wait_in(const Status& status) {
  if (!status.limiting) return std::nullopt;
  const Refusal& refusal = *status.limiting;
  return AdmissionBackend::Wait{
      std::string(to_string(refusal.code)) + ' ' + std::string(refusal.binding),
      to_sentence(refusal, status)};
}

}  // namespace sluice::cli
