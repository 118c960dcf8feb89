#pragma once

#include <string>

#include "metrics/service_facts.h"
#include "sluice/status.h"

namespace sluice {

/// A snapshot of a busy executor under `adaptive` in which every metric has a value: memory is red,
/// cgroup was never readable, and the first pending job waits for the sensor.
Status busy_status();
ServiceFacts busy_facts();

/// A fresh, green sensor with these conditions.
SensorStatus green_sensor(std::string name, std::vector<Condition> conditions);

/// A snapshot in which nothing has happened yet.
Status idle_status();

}  // namespace sluice
