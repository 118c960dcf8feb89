#pragma once

#include <sluice.h>

#include <string_view>
#include <type_traits>

#include "sluice/refusal.h"

namespace sluice::capi {

/// Describes a failure in `error`, as far as the program knows the struct; nothing is written if it
/// is null. `reason` is that of SLUICE_REFUSED. Returns `code`.
sluice_code fail(sluice_error* error, sluice_code code, std::string_view text,
                 std::string_view reason = {}) noexcept;

/// The same for a refusal, whose sentence is made only if the caller can read it. It may throw.
sluice_code refuse(sluice_error* error, const Refusal& refusal);

/// Describes the exception that is being handled.
sluice_code fail_by_exception(sluice_error* error) noexcept;

/// Runs `act`, which returns a code or nothing, and turns an exception into a code.
template <typename Act>
sluice_code guarded(sluice_error* error, Act act) noexcept {
  try {
    if constexpr (std::is_void_v<decltype(act())>) {
      act();
      return SLUICE_OK;
    } else {
      return act();
    }
  } catch (...) {
    return fail_by_exception(error);
  }
}

}  // namespace sluice::capi
