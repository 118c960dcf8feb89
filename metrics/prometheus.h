#pragma once

#include <string>

#include "metrics/service_facts.h"
#include "sluice/status.h"

namespace sluice {

/// The `Content-Type` of `prometheus_text`.
inline constexpr const char* kPrometheusContentType = "text/plain; version=0.0.4; charset=utf-8";

/// All metrics in Prometheus' text format 0.0.4. A pure function of one snapshot: all values on the
/// page belong to one instant, and admission does no counting for it. `docs/metrics.md` lists the
/// names. Thread-safe.
std::string prometheus_text(const Status& status, const ServiceFacts& facts);

}  // namespace sluice
