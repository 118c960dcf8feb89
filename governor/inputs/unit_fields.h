#pragma once

#include "governor/inputs/listed.h"
#include "sluice/units.h"

// The fields of the units.

namespace sluice {

void fields(FieldsOf<Points> auto& self, auto&& visit) {
  auto& [value] = self;
  visit(value);
}
void fields(FieldsOf<Bytes> auto& self, auto&& visit) {
  auto& [value] = self;
  visit(value);
}
void fields(FieldsOf<JobId> auto& self, auto&& visit) {
  auto& [value] = self;
  visit(value);
}

}  // namespace sluice
