#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "../tests/governor/host_simulation.h"

namespace sluice::model {

/// One change of the defaults.
struct Variation {
  std::string name;
  std::function<void(Scenario&)> apply;
};

inline PointsSpec per_cpu(double points) { return {points, PointsSpec::Per::cpu}; }

/// Adds a change for each whole number, such as "initial 5/cpu": `set(scenario, number)`.
template <typename Set>
void vary(std::vector<Variation>& all, const std::string& name, std::initializer_list<int> numbers,
          const std::string& unit, Set set) {
  for (const int number : numbers) {
    all.push_back({name + " " + std::to_string(number) + unit,
                   [set, number](Scenario& scenario) { set(scenario, number); }});
  }
}

/// Which rows to compute and to compare.
struct VariationChoice {
  std::vector<HostShape> machines;
  int seeds = 20;
  std::vector<std::string> names;  ///< Beginnings of names; empty: all.
  std::string rows;                ///< The file of rows; those in it are not computed again.
};

/// `law: knee` with learned costs, with one default changed at a time, on the machines and seeds of
/// `choice`. Appends a row to the file for each run, then prints what the whole file says: which
/// changes finish more than 2 % more jobs an hour without more kills, or have fewer kills without
/// losing more than 2 %, by Wilcoxon's test of the seeds, corrected by Holm's method. False, after
/// a line on stderr, if the file cannot be used.
bool compare_variations(const VariationChoice& choice);

}  // namespace sluice::model
