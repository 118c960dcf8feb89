#pragma once

#include <sluice.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "sluice/embed.h"
#include "sluice/governor.h"
#include "sluice/job.h"
#include "sluice/permit.h"

/// Each handle begins with a number of its kind: ctypes and casts pass a handle for another.
struct sluice_governor {
  static constexpr std::uint32_t kKind = 0x51ce6001;
  std::uint32_t kind = kKind;
  sluice::Governor governor;

  sluice_governor(sluice::Assembly parts, sluice::GovernorEvents events)
      : governor(std::move(parts.options), std::move(parts.sensors), std::move(parts.cost_model),
                 std::move(events)) {}
};

struct sluice_job {
  static constexpr std::uint32_t kKind = 0x51ce6002;
  std::uint32_t kind = kKind;
  sluice::JobRequest request;
};

struct sluice_permit {
  static constexpr std::uint32_t kKind = 0x51ce6003;
  std::uint32_t kind = kKind;
  sluice::Permit permit;

  /// Each thread keeps the memory of one permit for its next: malloc and free would be a tenth of
  /// an admission and its release.
  static void* operator new(std::size_t size);
  static void operator delete(void* memory);
};

namespace sluice::capi {

template <typename Handle>
bool is_handle(const Handle* handle) {
  return handle != nullptr && handle->kind == Handle::kKind;
}

[[noreturn]] inline void reject_handle(const void* handle, const char* name) {
  const char* problem = handle == nullptr ? ": is NULL" : ": is a handle of another kind, or none";
  throw std::invalid_argument(name + std::string(problem));
}

/// Throws std::invalid_argument, with the argument's `name`, unless it is a handle of this kind.
template <typename Handle>
Handle& checked(Handle* handle, const char* name) {
  if (!is_handle(handle)) reject_handle(handle, name);
  return *handle;
}

/// The place for a result, set to 0. Throws std::invalid_argument, with the argument's `name`, if
/// it is null.
template <typename Result>
Result& place_of(Result* result, const char* name) {
  if (result == nullptr) reject_handle(result, name);
  return *result = Result{};
}

}  // namespace sluice::capi
